"""Settings of the evaluation."""

from pydantic import Field, PositiveInt

from jvgn.settings.base import Frozen


class EvaluationSettings(Frozen):
    """Settings of the evaluation, the same for all runs."""

    iou_threshold: float = Field(0.5, ge=0, lt=1)
    """In `det`, a grounding is correct if its IoU with the gold box is larger than this."""
    held_out: PositiveInt = 500
    """The largest number of excluded val images to measure a detector's average precision on."""
    allow_leaking: bool = False
    """Evaluate also with a detector that was trained on evaluation images. The metrics then say `leaking`."""
