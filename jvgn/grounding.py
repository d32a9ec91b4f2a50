"""A grounding: one mentioned object, found in an image; and a joint one: all that a sentence mentions, together."""

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


@dataclass(frozen=True)
class JointGrounding:
    """One way to ground every mentioned object, and its probability among all ways."""

    probability: float
    groundings: list[Grounding]
