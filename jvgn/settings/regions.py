"""The settings of region extraction: which of a detector's boxes become regions, and how they are stored."""

from typing import Literal

from pydantic import Field, PositiveInt

from jvgn.settings.base import Frozen


class RegionSettings(Frozen):
    proposals: PositiveInt | None = None
    """Proposals an image, where they shall not be as many as the detector's `test_proposals`."""
    nms: float = Field(default=0.3, gt=0, le=1)
    """Of two boxes of one class that overlap more than this, the one with the lower score goes."""
    score: float = Field(default=0.65, gt=0, lt=1)
    """The lowest score of a region, unless the image would be left with none."""
    step: float = Field(default=0.1, ge=0.001)
    """`score` is lowered by this until the image has a region; at 0, its top box is the only one."""
    cap: PositiveInt | None = None
    """At most this many regions an image, those with the highest scores."""
    on_bad_input: Literal["stop", "skip"] = "stop"
    """An image that is absent, unreadable or without regions, a box outside of its image or without area: stop and
    name it, or leave it out, list it beside the regions, and count what rests on it as not found."""
    precision: Literal["float16", "float32"] = "float16"
    batch_size: PositiveInt = 8
    """In images."""
