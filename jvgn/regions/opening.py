"""Opens a file of regions that nobody vouches for: `jvgn.regions.store` says what it should hold.

HDF5 can say that a dataset is as large as any number, or that it lies in other files. What is read is in this file, and
no more than a file of its size can hold.
"""

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from jvgn.regions.trial import CURE, TRIALS
from parsers.errors import BrokenFile, UserError

FORMAT = "1"
COLUMNS = {"box": "float32", "feature": "", "score": "float32", "label": "int32", "object_id": "int64"}
"""Data types; that of `feature` is the writer's choice."""
SKIPPED = ("skipped/image_id", "skipped/object_id", "skipped/reason")
"""Datasets of a group that is absent where nothing was left out."""
KINDS = {"box": ("f", 2), "feature": ("f", 2), "score": ("f", 1), "reason": ("S", 1)}
"""The kind of a dataset's values, and how many dimensions they have; the others are whole numbers, in one."""
RATIO, AT_LEAST = 50, 1 << 26
"""Bytes that are read for each byte of the file, from 64 MB on: our own are not compressed, and have less than one."""
DAMAGE = (OSError, RuntimeError, LookupError, ValueError, TypeError, OverflowError, MemoryError)
"""What the library raises in the midst of a damaged file."""


@dataclass(frozen=True)
class Opened:
    process: int
    file: h5py.File
    info: dict[str, Any]
    image_id: np.ndarray
    offset: np.ndarray
    columns: dict[str, Any]
    """Arrays, but for `feature`, which stays where it is."""
    skipped: list[h5py.Dataset]
    """Those of `SKIPPED`, or none."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """What breaks while it is read names the file."""
    try:
        yield
    except DAMAGE as error:
        why = " ".join(str(error).split()) or type(error).__name__
        raise BrokenFile(path, f"not a readable HDF5 file ({why.rpartition('(')[2].rstrip(')')})", CURE) from error


def opened(path: Path) -> Opened:
    """The file, after a check that it is whole and of our format."""
    if not path.exists():
        raise BrokenFile(path, "there is no such file", "make it with the workflow")
    if path.is_dir():
        raise UserError(f"{path}: a folder; name a file of regions, such as results/regions/shapes_det/tiny.h5")
    TRIALS.check(path)
    file, info, found = described(path)
    check_size(path, sum(bytes_read(one, len(one)) for name, one in found.items() if name != "feature"))
    with naming(path):
        # All but the features is small and stays in memory, so that an image is one contiguous read.
        image_id, offset = found["image_id"][:].astype(np.int64), found["offset"][:].astype(np.int64)
        label = found["label"][:]
        if (label != label.astype(COLUMNS["label"])).any():
            raise BrokenFile(path, "it has a label beyond 32 bits", CURE)
        columns = {name: found[name][:].astype(kind) if kind else found[name] for name, kind in COLUMNS.items()}
    skipped = [found[name] for name in SKIPPED if name in found]
    made = Opened(os.getpid(), file, info, image_id, offset, columns, skipped)
    check_rows(path, made)
    return made


def described(path: Path) -> tuple[h5py.File, dict[str, Any], dict[str, h5py.Dataset]]:
    """The file, what made it, and its datasets, of which a first row was read."""
    with naming(path):
        file = h5py.File(path, "r")
        info = attributes(path, file)
        skipped = SKIPPED if file.id.links.exists(b"skipped") else ()
        found = {name: dataset(path, file, name) for name in ("image_id", "offset", *COLUMNS, *skipped)}
        for one in found.values():
            check_size(path, bytes_read(one, 1))
            one[:1]
        return file, info, found


def attributes(path: Path, file: h5py.File) -> dict[str, Any]:
    """What made the file: text and numbers."""
    told = {key: value.item() if isinstance(value, np.generic) else value for key, value in file.attrs.items()}
    info = {key: value for key, value in told.items() if isinstance(value, str | int | float)}
    found = info.get("format")
    if found != FORMAT:
        raise BrokenFile(path, f"expected regions of format version {FORMAT}, found {found or 'none'}", CURE)
    return info


def dataset(path: Path, file: h5py.File, name: str) -> h5py.Dataset:
    """The dataset, which is of the expected kind and in this file alone."""
    *groups, last = name.split("/")
    found: Any = file
    for part in (*groups, last):
        found = linked(found, part) if isinstance(found, h5py.Group) else None
    if not isinstance(found, h5py.Dataset) or found.is_virtual or found.external:
        raise BrokenFile(path, f"holds no {name}", CURE)
    kind, dimensions = KINDS.get(last, ("i", 1))
    if found.dtype.kind != kind or len(found.shape or ()) != dimensions:
        expected = f"{name} of {dimensions} dimensions of type {kind}"
        raise BrokenFile(path, f"expected {expected}, found {found.shape} of type {found.dtype}", CURE)
    return found


def linked(owner: h5py.Group, name: str) -> h5py.Group | h5py.Dataset | None:
    """What the group itself holds under this name: no link is followed, not even to ask where it leads."""
    links, key = owner.id.links, name.encode()
    is_here = links.exists(key) and links.get_info(key).type == h5py.h5l.TYPE_HARD
    return owner[name] if is_here else None


def bytes_read(found: h5py.Dataset, rows: int) -> int:
    """What so many of its rows take: all chunks that they are in, which are unpacked whole."""
    sides = zip((rows, *found.shape[1:]), found.chunks or (1,) * found.ndim, strict=True)
    return found.dtype.itemsize * math.prod(-(-length // chunk) * chunk for length, chunk in sides)


def check_size(path: Path, said: int) -> None:
    if said > max(AT_LEAST, RATIO * path.stat().st_size):
        raise BrokenFile(path, f"says that it holds {said:,} bytes, far more than a file of its size", CURE)


def check_rows(path: Path, made: Opened) -> None:
    """The rows are those of the images, one after the other."""
    if len(made.offset) != len(made.image_id) + 1:
        raise BrokenFile(path, f"{len(made.image_id)} images have {len(made.offset)} offsets", CURE)
    if (np.diff(made.image_id) <= 0).any():
        raise BrokenFile(path, "its images are not in ascending order", CURE)
    if made.offset[0] != 0 or (np.diff(made.offset) < 0).any():
        raise BrokenFile(path, "its offsets do not ascend from 0", CURE)
    for name, column in made.columns.items():
        if len(column) != made.offset[-1]:
            raise BrokenFile(path, f"expected {made.offset[-1]} rows of {name}, found {len(column)}", CURE)
    most_rows = int(np.diff(made.offset).max(initial=0))
    check_size(path, most_rows * made.columns["feature"].shape[1] * made.columns["feature"].dtype.itemsize)
    if made.columns["box"].shape[1] != 4 or not np.isfinite(made.columns["box"]).all():
        raise BrokenFile(path, "it has a box that is none", CURE)
    if made.columns["feature"].dtype not in (np.float16, np.float32):
        raise BrokenFile(path, f"expected features of float16 or float32, found {made.columns['feature'].dtype}", CURE)
