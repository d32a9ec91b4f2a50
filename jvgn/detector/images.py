"""Image files as tensors, in batches. Shape suffixes: H, W pixels."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from PIL import Image
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from jvgn.storage.pictures import checked_picture
from jvgn.storage.processes import ignore_signals
from parsers.errors import BrokenFile, UserError

KEPT_BYTES = 2**29
"""Decoded images of at most this size are kept in memory and not read ahead."""

SLIMMEST = 100
"""Highest ratio of sides: resized for a detector, a slimmer image would have a width of 0."""


def as_tensor(image: Image.Image) -> Tensor:
    """Return an RGB image as (3, H, W) uint8."""
    return torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous()


def read_image(path: Path, as_seen: bool = False) -> Tensor:
    """Read an image as stored, because boxes refer to stored pixels, or `as_seen`: turned as the camera noted."""
    return as_tensor(checked_picture(path, as_seen))


def slimness(image_3HW: Tensor) -> str | None:
    """Return why an image is too slim for a detector, or None."""
    height, width = image_3HW.shape[1:]
    if max(width, height) <= SLIMMEST * min(width, height):
        return None
    return f"has {width} x {height} pixels, too slim for a detector"


class ImageFiles(Dataset[Tensor | UserError]):
    """The images of `images.parquet`, read from a folder. If they are few and `seen_often`, they are kept in memory.

    An unreadable image is returned as an error, not raised: a loader's worker would bury the message in a traceback.
    """

    def __init__(self, images: pa.Table, folder: Path | str, seen_often: bool) -> None:
        self.folder = Path(folder)
        self.names: list[str] = images["file_name"].to_pylist()
        self.sizes: list[tuple[int, int]] = [(row["width"], row["height"]) for row in images.to_pylist()]
        self.are_few = sum(3 * width * height for width, height in self.sizes) <= KEPT_BYTES
        self.seen_often = seen_often
        self._kept: dict[int, Tensor] = {}

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index: int) -> Tensor | UserError:
        if index in self._kept:
            return self._kept[index]
        path = self.folder / self.names[index]
        try:
            image = read_image(path)
            found = (image.shape[2], image.shape[1])
            if found != self.sizes[index]:
                raise BrokenFile(path, f"expected {self.sizes[index]} pixels, found {found}", "fetch or draw it again")
            if slim := slimness(image):
                raise UserError(f"{path} {slim}")
        except UserError as error:
            return UserError(str(error))
        if self.are_few and self.seen_often:
            self._kept[index] = image
        return image


def load(
    files: ImageFiles, batches: Sequence[list[int]], threads: int, pinned: bool = False
) -> Iterator[list[Tensor | UserError]]:
    """Yield the images of each batch of indices in order, read ahead by other processes unless they are few."""
    workers = 0 if files.are_few else threads
    yield from DataLoader(
        files,
        batch_sampler=batches,
        collate_fn=list,
        num_workers=workers,
        pin_memory=pinned,
        worker_init_fn=ignore_signals,
    )


def load_whole(files: ImageFiles, batches: Sequence[list[int]], threads: int) -> Iterator[list[Tensor]]:
    """Yield batches as `load` does; raise the error of an image that cannot be read."""
    for batch in load(files, batches, threads):
        for image in batch:
            if isinstance(image, UserError):
                raise image
        yield [image for image in batch if isinstance(image, Tensor)]
