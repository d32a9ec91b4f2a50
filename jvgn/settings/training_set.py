"""Annotated images that detectors learn from, besides a dataset's own."""

from pydantic import Field

from jvgn.settings.base import Frozen


class TrainingSetSettings(Frozen):
    annotations: str
    """COCO's instances, as JSON."""
    images: str
    """The folder of the image files."""
    withhold: tuple[str, ...] = Field(min_length=1)
    """Datasets of which no detector learns an image outside their train split, whatever dataset is run."""
