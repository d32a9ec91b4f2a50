"""Settings of a user's own dataset: annotations in COCO's format, and a table of expressions."""

from typing import Annotated

from pydantic import StringConstraints, field_validator

from jvgn.settings.base import Frozen


class CustomSettings(Frozen):
    """The files of a user's own dataset, and how they are read."""

    annotations: str
    """JSON in COCO's format: images, annotations and categories."""
    expressions: Annotated[str, StringConstraints(pattern=r"\.(csv|jsonl|parquet)$")]
    """A table with one row per expression; docs/custom.md describes its columns."""
    images: str | None = None
    """The folder of the image files. No detector is trained on evaluation images of datasets with this folder. Without
    it, all features must be precomputed, and nothing that shows images is made."""
    splits: tuple[str, ...] = ("train", "val", "test")
    """The values that the column `split` may have."""

    @field_validator("splits")
    @classmethod
    def check_splits(cls, splits: tuple[str, ...]) -> tuple[str, ...]:
        for needed in ("train", "val"):
            if needed not in splits:
                raise ValueError(f"{needed} is missing: val decides which epoch of training on train is best")
        return splits
