"""Formats of precomputed features. Each is read one image at a time, whatever the size of the file.

`tsv`: bottom-up attention's, one line per image, no quotes: image_id, image_w, image_h, num_boxes, boxes, features; the
last two are base64 of float32. LXMERT's is read too: img_id, img_h, img_w, objects_id, objects_conf, attrs_id,
attrs_conf, num_boxes, boxes, features. A header line may set another order.
`npz`: a folder with one file per image, named by its id (`9.npz`, `000000000009.npz`) or by the image's file
(`COCO_train2014_000000000009.npz`, `….jpg.npz`). Each holds, under one of these names, `box`, `boxes` or `bbox` (N, 4),
`feature`, `features`, `feat` or `x` (N, D, or D, N), and may hold `score`, `scores` or `objects_conf` (N), `label` (N;
the dataset's category ids), `object_id` or `ann_id` (N), `image_w` and `image_h`, and `num_boxes` or `num_bbox`: rows
after these are padding.
`hdf5`: a file of regions, see `jvgn.regions.hdf5_store`.

Boxes are xyxy in pixels of the image. Nothing is unpickled. Shape suffixes: N regions of an image, D feature size.
"""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from jvgn.regions.hdf5_store import RegionStore
from jvgn.storage.files import reading
from parsers.errors import BrokenFile, UserError

BOTTOM_UP = ("image_id", "image_w", "image_h", "num_boxes", "boxes", "features")
LXMERT = ("img_id", "img_h", "img_w", "objects_id", "objects_conf", "attrs_id", "attrs_conf", *BOTTOM_UP[3:])
NAMES: dict[str, tuple[str, ...]] = {
    "box": ("box", "boxes", "bbox"),
    "feature": ("feature", "features", "feat", "x"),
    "score": ("score", "scores", "objects_conf"),
    "label": ("label",),
    "object_id": ("object_id", "ann_id"),
    "width": ("image_w", "img_w"),
    "height": ("image_h", "img_h"),
    "count": ("num_boxes", "num_bbox"),
}
"""The names of each array in files."""
INTEGERS = {"label": "int32", "object_id": "int64", "count": "int32", "width": "int32", "height": "int32"}
CURE = "fix the file, or compute its features again"


@dataclass(frozen=True)
class Precomputed:
    """The precomputed features of one image. Optional arrays are None if the file does not have them."""

    box: np.ndarray
    feature: np.ndarray
    score: np.ndarray | None = None
    label: np.ndarray | None = None
    object_id: np.ndarray | None = None
    size: tuple[int, int] | None = None
    """Width and height of the image."""


class FeatureFiles(Protocol):
    """Precomputed features in any format."""

    def read(self, image_id: int, file_name: str) -> Precomputed:
        """Return the features of an image; a `UserError` if they are missing or invalid."""


class TsvFile:
    """A TSV file. It is read through once, to find where the line of each image begins."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns: tuple[str, ...] = ()
        self.start: dict[int, int] = {}
        with reading(path, "TSV file", CURE), path.open("rb") as file:
            position = 0
            for line in file:
                self._index(line, position)
                position += len(line)

    def _index(self, line: bytes, position: int) -> None:
        key = line[: line.find(b"\t")].decode(errors="replace")
        if not self.columns:
            count = line.count(b"\t") + 1
            is_header = key in (BOTTOM_UP[0], LXMERT[0])
            known = {len(BOTTOM_UP): BOTTOM_UP, len(LXMERT): LXMERT}
            if not is_header and count not in known:
                raise BrokenFile(self.path, f"expected lines of 6 or 10 columns, found {count}", CURE)
            names = tuple(line.decode(errors="replace").strip().split("\t"))
            self.columns = names if is_header else known[count]
            if is_header:
                return
        if not (digits := re.search(r"(?<![0-9])([0-9]{1,18})(\.\w+)?$", key)):
            raise BrokenFile(self.path, f"expected an image id at byte {position}, found {key[:40]!r}", CURE)
        self.start.setdefault(int(digits[1]), position)

    def read(self, image_id: int, file_name: str) -> Precomputed:
        if image_id not in self.start:
            raise UserError(f"{self.path}: has no line for image {image_id} ({file_name})")
        where = f"{self.path}: image {image_id}"
        with reading(where, "line", CURE), self.path.open("rb") as file:
            file.seek(self.start[image_id])
            cells = file.readline().decode(errors="replace").rstrip("\r\n").split("\t")
            if len(cells) != len(self.columns):
                raise BrokenFile(where, f"expected {len(self.columns)} columns, found {len(cells)}", CURE)
            row = dict(zip(self.columns, cells, strict=True))
            arrays = {name: np.asarray(int(row[name])) for name in row if name.endswith(("_w", "_h", "num_boxes"))}
            for name in ("boxes", "features", "objects_conf"):
                if name in row:
                    numbers = np.frombuffer(base64.b64decode(row[name], validate=True), np.float32)
                    arrays[name] = numbers if name == "objects_conf" else numbers.reshape(int(row["num_boxes"]), -1)
        return checked(where, arrays)


class NpzFolder:
    """A folder with one `.npz` file for each image."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UserError(f"{folder}: no such folder; fix the detector's settings")
        self.folder = folder

    def read(self, image_id: int, file_name: str) -> Precomputed:
        names = (f"{image_id}", f"{image_id:012}", Path(file_name).stem, Path(file_name).name)
        paths = [self.folder / f"{name}.npz" for name in names]
        found = [path for path in paths if path.exists()]
        if not found:
            tried = ", ".join(f"{name}.npz" for name in dict.fromkeys(names))
            raise UserError(f"{self.folder}: has no file for image {image_id} (tried {tried})")
        known = {name for names in NAMES.values() for name in names}
        with reading(found[0], ".npz file", CURE), np.load(found[0], allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if name in known}
        return checked(str(found[0]), arrays)


class RegionFile:
    """An HDF5 file of regions, as the workflow writes them."""

    def __init__(self, path: Path) -> None:
        self.store = RegionStore(path)
        self.image_ids = set(self.store.image_ids.tolist())

    def read(self, image_id: int, file_name: str) -> Precomputed:
        if image_id not in self.image_ids:
            raise UserError(f"{self.store.path}: has no regions of image {image_id} ({file_name})")
        found = self.store.read(image_id)
        is_known = bool(len(found)) and bool((found.object_id >= 0).all())
        return Precomputed(found.box, found.feature, found.score, found.label, found.object_id if is_known else None)


FORMATS: dict[str, Callable[[Path], FeatureFiles]] = {"tsv": TsvFile, "npz": NpzFolder, "hdf5": RegionFile}


def checked(where: str, arrays: Mapping[str, np.ndarray]) -> Precomputed:
    """Return the arrays of an image under our names, after a check of their shapes and types."""
    found: dict[str, np.ndarray] = {}
    for word, names in NAMES.items():
        if given := [name for name in names if name in arrays]:
            found[word] = np.asarray(arrays[given[0]])
    for word in ("box", "feature"):
        if word not in found or found[word].ndim != 2:
            raise BrokenFile(where, f"expected an array of two dimensions named {' or '.join(NAMES[word])}", CURE)
    for word in INTEGERS.keys() & found.keys():
        found[word] = integers(where, word, found[word])
    numbers = {word: int(found[word].item()) for word in ("count", "width", "height") if word in found}
    count = numbers.get("count", len(found["box"]))
    if len(found["feature"]) != len(found["box"]) == found["feature"].shape[1]:
        found["feature"] = found["feature"].T
    expected = {"box": (count, 4), "feature": (count, found["feature"].shape[1])}
    for word in ("box", "feature", "score", "label", "object_id"):
        if word in found:
            found[word] = found[word][:count] if found[word].ndim else found[word]
            if found[word].shape != (shape := expected.get(word, (count,))):
                raise BrokenFile(where, f"expected {word} of shape {shape}, found {found[word].shape}", CURE)
    size = (numbers["width"], numbers["height"]) if {"width", "height"} <= numbers.keys() else None
    columns = {word: found.get(word) for word in ("score", "label", "object_id")}
    return Precomputed(found["box"].astype(np.float32), found["feature"], **columns, size=size)


def integers(where: str, word: str, values: np.ndarray) -> np.ndarray:
    """Return whole numbers as integers, also if they are stored as floats; counts and sizes are one number."""
    kind, is_count = np.iinfo(np.dtype(INTEGERS[word])), word in ("count", "width", "height")
    is_whole = values.dtype.kind in "iuf" and all(
        (0 if is_count else kind.min) <= value <= kind.max and value == int(value) for value in values.ravel().tolist()
    )
    if not is_whole or (is_count and values.size != 1):
        expected = "one count" if is_count else f"whole numbers of {kind.bits} bits"
        raise BrokenFile(where, f"expected {expected} in {' or '.join(NAMES[word])}", CURE)
    return values.astype(kind.dtype)
