"""The pictures that can be asked about: the dataset's evaluation images, and those that are uploaded.

Uploads live in memory alone; nothing is written to disk. The last ones looked at are kept, the others forgotten.
"""

import io
from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from PIL import Image

from jvgn.datasets import tables
from jvgn.grounding.answerer import ImageRegions
from jvgn.grounding.grounder import Grounder
from jvgn.storage.pictures import FORMATS, checked_picture, read_picture
from jvgn.views.gallery.pictures import small_jpeg
from parsers.errors import UserError

MOST_BYTES = 20 * 2**20
MOST_UPLOADED = 40_000_000
"""Pixels: who uploads is not always who started the page."""
SHOWN_SIDE, THUMBNAIL_SIDE = 1024, 160
KEPT = 32
"""Pictures whose regions are remembered."""


@dataclass(frozen=True)
class Picture:
    jpeg: bytes
    """As it is shown; regions refer to the pixels it was made from."""
    image: ImageRegions


class Pictures:
    """Pictures by name: an image's id, or `upload-1`, `upload-2` and so on."""

    def __init__(self, grounder: Grounder, dataset: Path, folder: Path) -> None:
        """The images that the dataset's tables have sentences about beyond the train split; files are in `folder`."""
        self.grounder, self.folder = grounder, folder
        images = tables.read_images(dataset / "images.parquet").to_pandas()
        expressions = tables.read_expressions(dataset / "expressions.parquet").to_pandas()
        self.expressions = tables.evaluated(expressions)
        evaluated = images[images["image_id"].isin(self.expressions["image_id"])]
        self.file_names = dict(zip(evaluated["image_id"].astype(str), evaluated["file_name"], strict=True))
        self._kept: OrderedDict[str, Picture] = OrderedDict()
        self._numbers = count(1)

    def listed(self) -> list[dict[str, Any]]:
        """The dataset's images with their splits and sentences."""
        splits: dict[int, set[str]] = {}
        sentences: dict[int, dict[str, None]] = {}  # each once, in their order
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
        """The name under which an uploaded picture can be asked about."""
        picture = self.looked_at(decoded(data))
        name = f"upload-{next(self._numbers)}"
        self.keep(name, picture)
        return name

    def thumbnail(self, name: str) -> bytes:
        return small_jpeg(self.read(name), THUMBNAIL_SIDE)

    def __getitem__(self, name: str) -> Picture:
        if name not in self._kept:
            self.keep(name, self.looked_at(self.read(name)))
        self._kept.move_to_end(name)
        return self._kept[name]

    def read(self, name: str) -> Image.Image:
        if name not in self.file_names:
            raise UserError(f"picture {name}: it is not here, or not any more; choose or upload it again")
        return checked_picture(self.folder / self.file_names[name])

    def looked_at(self, image: Image.Image) -> Picture:
        return Picture(small_jpeg(image, SHOWN_SIDE), self.grounder.look(image))

    def keep(self, name: str, picture: Picture) -> None:
        self._kept[name] = picture
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)


def decoded(data: bytes) -> Image.Image:
    """An uploaded image, the way up that it is looked at; what its name says does not count."""
    try:
        return read_picture(io.BytesIO(data), as_seen=True, most_pixels=MOST_UPLOADED)
    except (OSError, ValueError, SyntaxError) as error:
        raise UserError(f"this is not a readable image; upload one of these: {', '.join(FORMATS)}") from error
