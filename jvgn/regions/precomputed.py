"""Reads features that somebody else computed, an image at a time, whatever the size of the file.

`tsv`: bottom-up attention's, a line an image, no quotes: image_id, image_w, image_h, num_boxes, boxes, features; the
last two are base64 of float32. LXMERT's is known too: img_id, img_h, img_w, objects_id, objects_conf, attrs_id,
attrs_conf, num_boxes, boxes, features. A first line with names may set another order.
`npz`: a folder with a file for each image, named by its id (`9.npz`, `000000000009.npz`) or by the image's file
(`COCO_train2014_000000000009.npz`, `….jpg.npz`). Each holds, under one of these names, `box`, `boxes` or `bbox` (N, 4),
`feature`, `features`, `feat` or `x` (N, D, or D, N), and may hold `score`, `scores` or `objects_conf` (N), `label` (N;
the dataset's category ids), `object_id` or `ann_id` (N), `image_w` and `image_h`, and `num_boxes` or `num_bbox`, beyond
which rows are padding.
`hdf5`: a file of regions as `jvgn.regions.store` describes it.

Boxes are xyxy in pixels of the image. Nothing is unpickled. Shape suffixes: N regions of an image, D feature size.
"""

import base64
import binascii
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from jvgn.regions.store import RegionStore
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
"""What each of our words is called elsewhere."""
NUMBERED: dict[str, type[np.signedinteger[Any]]] = {"label": np.int32, "object_id": np.int64}
CURE = "mend the file, or compute its features again"


@dataclass(frozen=True)
class Precomputed:
    """What a file tells of one image."""

    box: np.ndarray
    feature: np.ndarray
    score: np.ndarray | None = None
    label: np.ndarray | None = None
    object_id: np.ndarray | None = None
    size: tuple[int, int] | None = None
    """Width and height, where told."""


class FeatureFiles(Protocol):
    def read(self, image_id: int, file_name: str) -> Precomputed:
        """What is told of an image; a `UserError` where nothing is, or nothing that can be used."""


class TsvFile:
    """A TSV file, looked through once for where each image's line begins."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns: tuple[str, ...] = ()
        self.start: dict[int, int] = {}
        try:
            with path.open("rb") as file:
                position = 0
                for line in file:
                    self._index(line, position)
                    position += len(line)
        except OSError as error:
            raise UserError(f"{path}: cannot be read ({error.strerror}); mend the detector's settings") from error

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
            raise BrokenFile(self.path, f"expected an image's id at byte {position}, found {key[:40]!r}", CURE)
        self.start.setdefault(int(digits[1]), position)

    def read(self, image_id: int, file_name: str) -> Precomputed:
        if image_id not in self.start:
            raise UserError(f"{self.path}: has no line for image {image_id} ({file_name})")
        with self.path.open("rb") as file:
            file.seek(self.start[image_id])
            cells = file.readline().decode(errors="replace").rstrip("\r\n").split("\t")
        where = f"{self.path}: image {image_id}"
        if len(cells) != len(self.columns):
            raise BrokenFile(where, f"expected {len(self.columns)} columns, found {len(cells)}", CURE)
        try:
            row = dict(zip(self.columns, cells, strict=True))
            count = int(row["num_boxes"])
            arrays: dict[str, np.ndarray | int] = {"count": count}
            for name in ("boxes", "features", "objects_conf"):
                if name in row:
                    numbers = np.frombuffer(base64.b64decode(row[name], validate=True), np.float32)
                    arrays[name] = numbers.reshape(count, -1) if name != "objects_conf" else numbers
            arrays |= {name: int(row[name]) for name in row if name.endswith(("_w", "_h"))}
        except (ValueError, KeyError, binascii.Error) as error:
            raise BrokenFile(where, f"its line cannot be read ({error})", CURE) from error
        return precomputed(where, arrays)


class NpzFolder:
    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UserError(f"{folder}: there is no such folder; mend the detector's settings")
        self.folder = folder

    def read(self, image_id: int, file_name: str) -> Precomputed:
        names = (f"{image_id}", f"{image_id:012}", Path(file_name).stem, Path(file_name).name)
        paths = [self.folder / f"{name}.npz" for name in names]
        found = [path for path in paths if os.path.exists(path)]  # noqa: PTH110, the ending may make it too long to ask
        if not found:
            tried = " nor ".join(f"{name}.npz" for name in dict.fromkeys(names))
            raise UserError(f"{self.folder}: has no file for image {image_id}, neither {tried}")
        known = {name for names in NAMES.values() for name in names}
        with reading(found[0], ".npz file", CURE), np.load(found[0], allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files if name in known}
        return precomputed(str(found[0]), arrays)


class RegionFile:
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


def are_whole(values: np.ndarray, least: int, most: int) -> bool:
    """Whole numbers in these bounds, however they are stored."""
    return values.dtype.kind in "iuf" and all(
        least <= value <= most and value == int(value) for value in values.ravel().tolist()
    )


def whole_numbers(where: str, word: str, values: np.ndarray, kind: np.iinfo) -> np.ndarray:
    if not are_whole(values, kind.min, kind.max):
        raise BrokenFile(where, f"expected whole numbers of {kind.bits} bits under {word}", CURE)
    return values.astype(kind.dtype)


def precomputed(where: str, arrays: Mapping[str, np.ndarray | int]) -> Precomputed:
    """What the arrays tell, under whichever names, after a check of their shapes."""
    told: dict[str, np.ndarray] = {}
    for word, names in NAMES.items():
        if found := [name for name in names if name in arrays]:
            told[word] = np.asarray(arrays[found[0]])
    for word in ("box", "feature"):
        if word not in told or told[word].ndim != 2:
            raise BrokenFile(where, f"expected an array of two dimensions under {' or '.join(NAMES[word])}", CURE)
    for word in ("count", "width", "height"):
        if word in told and not (told[word].size == 1 and are_whole(told[word], 0, 2**31 - 1)):
            raise BrokenFile(where, f"expected one whole number under {' or '.join(NAMES[word])}", CURE)
    count = int(told["count"].item()) if "count" in told else len(told["box"])
    if len(told["feature"]) != len(told["box"]) == told["feature"].shape[1]:
        told["feature"] = told["feature"].T
    expected = {"box": (count, 4), "feature": (count, told["feature"].shape[1])}
    for word in ("box", "feature", "score", "label", "object_id"):
        if word in told:
            told[word] = told[word][:count] if told[word].ndim else told[word]
            if told[word].shape != expected.get(word, (count,)):
                shapes = f"{expected.get(word, (count,))}, found {told[word].shape}"
                raise BrokenFile(where, f"expected {word} of shape {shapes}", CURE)
    for word, kind in NUMBERED.items():
        if word in told:
            told[word] = whole_numbers(where, word, told[word], np.iinfo(kind))
    size = (int(told["width"].item()), int(told["height"].item())) if {"width", "height"} <= told.keys() else None
    columns = {word: told.get(word) for word in ("score", "label", "object_id")}
    return Precomputed(told["box"].astype(np.float32), told["feature"], **columns, size=size)
