"""A grounding: one mentioned object, found in an image."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Grounding:
    """Where a mentioned object is: its box, and the box's probability before and after message passing."""

    node: int
    phrase: str
    box: tuple[float, float, float, float]
    unary: float
    marginal: float
    is_referent: bool
