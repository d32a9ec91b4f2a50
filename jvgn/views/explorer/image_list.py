"""The images of the explorer: those that it offers, and uploaded ones.

Uploads stay in memory; nothing is written to disk. Only the images that were looked at last are kept.
"""

import io
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Self

from PIL import Image

from jvgn.datasets import tables
from jvgn.grounding.answerer import ImageRegions
from jvgn.grounding.grounder import Grounder
from jvgn.grounding.rule_grounder import RuleGrounder
from jvgn.rules.given_regions import GivenRegions
from jvgn.rules.scene_finder import SeenPicture
from jvgn.storage.pictures import FORMATS, checked_picture, read_picture
from jvgn.views.self_contained_page import small_jpeg
from parsers.errors import UserError

MOST_BYTES = 20 * 2**20
MOST_PIXELS = 40_000_000
"""Limits of an upload."""
SHOWN_SIDE, THUMBNAIL_SIDE = 1024, 160
KEPT = 32
"""Images whose regions are remembered."""
ENDINGS = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif"})

Seen = ImageRegions | SeenPicture
Look = Callable[[Path | Image.Image], Seen]
"""Returns the regions of an image."""


@dataclass(frozen=True)
class Offered:
    """An image that a person may choose, with sentences to try."""

    name: str
    picture: Path
    remark: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ShownImage:
    jpeg: bytes
    """Small, for the page; regions are in pixels of the original."""
    image: Seen


class ImageList:
    """Images by name: an offered one, or `upload-1`, `upload-2` and so on."""

    def __init__(self, offered: Iterable[Offered], look_at_upload: Look, look: Look | None = None) -> None:
        """`look_at_upload` finds the regions of an uploaded image; `look`, if it is given, those of an offered file."""
        self.offered = {one.name: one for one in offered}
        self.look_at_upload, self.look = look_at_upload, look or look_at_upload
        self._kept: OrderedDict[str, ShownImage] = OrderedDict()
        self._numbers = count(1)

    @classmethod
    def of_dataset(cls, grounder: Grounder, dataset: Path, folder: Path) -> Self:
        """Offer the images that a run is evaluated on; their files are in `folder`."""
        images = tables.read_images(dataset / "images.parquet").to_pandas()
        expressions = tables.evaluated(tables.read_expressions(dataset / "expressions.parquet").to_pandas())
        file_names = dict(zip(images["image_id"], images["file_name"], strict=True))
        offered = [
            Offered(
                str(image_id),
                folder / file_names[image_id],
                ", ".join(sorted(set(own["split"]))),
                tuple(dict.fromkeys(own["text"])),  # each sentence once, in order
            )
            for image_id, own in expressions.groupby("image_id")
        ]
        return cls(offered, grounder.look)

    @classmethod
    def of_regions(cls, grounder: RuleGrounder, folder: Path) -> Self:
        """Offer the images of a file of regions that are in `folder`."""
        given, offered = grounder.finder, []
        assert isinstance(given, GivenRegions)
        for image in given.images.values():
            if (folder / image.file_name).is_file():
                names = given.scene(image, None).names
                remark = f"{len(names)} regions"
                offered.append(Offered(str(image.id), folder / image.file_name, remark, sentences_of(names)))
        if not offered:
            raise UserError(f"{folder}: has no image of {given.path}; give the folder of its images: --images FOLDER")

        def refuse(_: Path | Image.Image) -> Seen:
            raise UserError(f"{given.path}: has no regions of an upload; for uploads, run jvgn explore --detector NAME")

        return cls(offered, refuse, grounder.look)

    @classmethod
    def of_folder(cls, grounder: RuleGrounder, folder: Path | None) -> Self:
        """Offer the images in a folder, if one is given; a detector finds their regions."""
        files = [] if folder is None else sorted(path for path in files_in(folder) if path.suffix.lower() in ENDINGS)
        return cls([Offered(path.name, path, path.name, ()) for path in files], grounder.look)

    def listed(self) -> list[dict[str, Any]]:
        """Return what the page shows of the offered images."""
        return [
            {"name": one.name, "split": one.remark, "sentences": list(one.sentences)} for one in self.offered.values()
        ]

    def upload(self, data: bytes) -> str:
        """Find the regions of an uploaded image and return its name."""
        shown = self.shown(self.look_at_upload(decoded(data)))
        name = f"upload-{next(self._numbers)}"
        self.keep(name, shown)
        return name

    def thumbnail(self, name: str) -> bytes:
        return small_jpeg(checked_picture(self.picture(name)), THUMBNAIL_SIDE)

    def __getitem__(self, name: str) -> ShownImage:
        if name not in self._kept:
            self.keep(name, self.shown(self.look(self.picture(name))))
        self._kept.move_to_end(name)
        return self._kept[name]

    def picture(self, name: str) -> Path:
        if name not in self.offered:
            raise UserError(f"image {name}: not available any more; choose or upload it again")
        return self.offered[name].picture

    def shown(self, seen: Seen) -> ShownImage:
        assert seen.pixels_HW3 is not None
        jpeg = small_jpeg(Image.fromarray(seen.pixels_HW3), SHOWN_SIDE)
        # A run needs no pixels any more, which would take much memory for all that are kept; rules look at colours.
        return ShownImage(jpeg, replace(seen, pixels_HW3=None) if isinstance(seen, ImageRegions) else seen)

    def keep(self, name: str, shown: ShownImage) -> None:
        self._kept[name] = shown
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)


def files_in(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder of images; give --images FOLDER")
    return list(folder.iterdir())


def sentences_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return sentences about regions with these names, to try: those that occur most first."""
    counts = Counter(names)
    in_order = [name for name, _ in counts.most_common()]
    sentences = [f"the {name} on the left" if counts[name] > 1 else f"the {name}" for name in in_order]
    if len(in_order) > 1:
        sentences.insert(0, f"the {in_order[0]} next to the {in_order[1]}")
    return tuple(sentences)


def decoded(data: bytes) -> Image.Image:
    """Return an uploaded image, turned as its camera noted."""
    try:
        return read_picture(io.BytesIO(data), as_seen=True, most_pixels=MOST_PIXELS)
    except (OSError, ValueError, SyntaxError) as error:
        raise UserError(f"the upload is not a readable image; upload one of: {', '.join(FORMATS)}") from error
