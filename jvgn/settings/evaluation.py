"""What counts as right."""

from pydantic import Field, PositiveInt

from jvgn.settings.base import Frozen


class EvaluationSettings(Frozen):
    iou_threshold: float = Field(0.5, ge=0, lt=1)
    """det: a grounding is right if its IoU with the gold box is larger than this."""
    held_out: PositiveInt = 500
    """A detector's average precision is measured on at most this many of the val images withheld from it."""
    allow_leaking: bool = False
    """Evaluate even with a detector that saw evaluation images; the metrics then say `leaking`."""
