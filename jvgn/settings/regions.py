"""Settings of region extraction: the selection of a detector's boxes, and their storage."""

from typing import Literal

from pydantic import Field, PositiveInt

from jvgn.settings.base import Frozen


class RegionSettings(Frozen):
    proposals: PositiveInt | None = None
    """Proposals per image; null: the detector's `test_proposals`."""
    nms: float = Field(default=0.3, gt=0, le=1)
    """If two boxes of one class overlap more than this, the one with the lower score is dropped."""
    score: float = Field(default=0.65, gt=0, lt=1)
    """The lowest score of a region; lowered for an image that would have no region."""
    step: float = Field(default=0.1, ge=0.001)
    """`score` is lowered by this until the image has a region. At 0, only the best box is kept."""
    cap: PositiveInt | None = None
    """The largest number of regions per image; those with the highest scores are kept."""
    on_bad_input: Literal["stop", "skip"] = "stop"
    """For an image that is missing, unreadable or without regions, and a box outside of its image or without area: stop
    with an error, or skip it, list it beside the regions, and count its expressions as not found."""
    precision: Literal["float16", "float32"] = "float16"
    batch_size: PositiveInt = 8
    """Images per step."""
