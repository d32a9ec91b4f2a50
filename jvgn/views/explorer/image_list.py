"""The images of the explorer: the dataset's evaluation images, and uploaded ones.

Uploads stay in memory; nothing is written to disk. Only the images that were looked at last are kept.
"""

import io
from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from PIL import Image

from jvgn.datasets import tables
from jvgn.grounding.answerer import ImageRegions
from jvgn.grounding.grounder import Grounder
from jvgn.storage.pictures import FORMATS, checked_picture, read_picture
from jvgn.views.self_contained_page import small_jpeg
from parsers.errors import UserError

MOST_BYTES = 20 * 2**20
MOST_PIXELS = 40_000_000
"""Limits of an upload."""
SHOWN_SIDE, THUMBNAIL_SIDE = 1024, 160
KEPT = 32
"""Images whose regions are remembered."""


@dataclass(frozen=True)
class ShownImage:
    jpeg: bytes
    """Small, for the page; regions are in pixels of the original."""
    image: ImageRegions


class ImageList:
    """Images by name: an image's id, or `upload-1`, `upload-2` and so on."""

    def __init__(self, grounder: Grounder, dataset: Path, folder: Path) -> None:
        """Read the dataset's tables; the image files are in `folder`."""
        self.grounder, self.folder = grounder, folder
        images = tables.read_images(dataset / "images.parquet").to_pandas()
        expressions = tables.read_expressions(dataset / "expressions.parquet").to_pandas()
        self.expressions = tables.evaluated(expressions)
        evaluated = images[images["image_id"].isin(self.expressions["image_id"])]
        self.file_names = dict(zip(evaluated["image_id"].astype(str), evaluated["file_name"], strict=True))
        self._kept: OrderedDict[str, ShownImage] = OrderedDict()
        self._numbers = count(1)

    def listed(self) -> list[dict[str, Any]]:
        """Return the dataset's images with their splits and sentences."""
        splits: dict[int, set[str]] = {}
        sentences: dict[int, dict[str, None]] = {}  # each sentence once, in order
        for row in self.expressions.itertuples():
            splits.setdefault(row.image_id, set()).add(row.split)
            sentences.setdefault(row.image_id, {})[row.text] = None
        return [
            {
                "name": str(image_id),
                "split": ", ".join(sorted(splits[image_id])),
                "sentences": list(sentences[image_id]),
            }
            for image_id in sorted(splits)
        ]

    def upload(self, data: bytes) -> str:
        """Detect regions in an uploaded image and return its name."""
        shown = self.looked_at(decoded(data))
        name = f"upload-{next(self._numbers)}"
        self.keep(name, shown)
        return name

    def thumbnail(self, name: str) -> bytes:
        return small_jpeg(checked_picture(self.file(name)), THUMBNAIL_SIDE)

    def __getitem__(self, name: str) -> ShownImage:
        if name not in self._kept:
            self.keep(name, self.looked_at(self.file(name)))
        self._kept.move_to_end(name)
        return self._kept[name]

    def file(self, name: str) -> Path:
        if name not in self.file_names:
            raise UserError(f"image {name}: not available any more; choose or upload it again")
        return self.folder / self.file_names[name]

    def looked_at(self, image: Path | Image.Image) -> ShownImage:
        seen = self.grounder.look(image)
        assert seen.pixels_HW3 is not None
        jpeg = small_jpeg(Image.fromarray(seen.pixels_HW3), SHOWN_SIDE)
        # Without the pixels, which would take much memory for all that are kept.
        return ShownImage(jpeg, replace(seen, pixels_HW3=None))

    def keep(self, name: str, shown: ShownImage) -> None:
        self._kept[name] = shown
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)


def decoded(data: bytes) -> Image.Image:
    """Return an uploaded image, turned as its camera noted."""
    try:
        return read_picture(io.BytesIO(data), as_seen=True, most_pixels=MOST_PIXELS)
    except (OSError, ValueError, SyntaxError) as error:
        raise UserError(f"the upload is not a readable image; upload one of: {', '.join(FORMATS)}") from error
