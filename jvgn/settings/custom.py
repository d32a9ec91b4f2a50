"""Where a dataset of the user's own is found: annotations in COCO's format, and a table of expressions."""

from typing import Annotated

from pydantic import StringConstraints, field_validator

from jvgn.settings.base import Frozen


class CustomSettings(Frozen):
    annotations: str
    """JSON in COCO's format: images, annotations and categories."""
    expressions: Annotated[str, StringConstraints(pattern=r"\.(csv|jsonl|parquet)$")]
    """A table with a row for each expression; docs/custom.md says which columns it has."""
    images: str
    """The folder of the image files. No detector sees an image that a dataset of the same folder evaluates on."""
    splits: tuple[str, ...] = ("train", "val", "test")
    """The names that the table's column `split` may have."""

    @field_validator("splits")
    @classmethod
    def check_splits(cls, splits: tuple[str, ...]) -> tuple[str, ...]:
        for needed in ("train", "val"):
            if needed not in splits:
                raise ValueError(f"{needed} is missing: a model learns from train, and val says which epoch was best")
        return splits
