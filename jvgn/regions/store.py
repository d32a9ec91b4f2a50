"""The regions of a dataset's images: `results/regions/{dataset}_{setting}/{detector}.h5`, an HDF5 file.

Datasets, for I images with R regions in all and D numbers a feature:
`image_id` (I) int64, ascending; `offset` (I+1) int64: image i owns rows offset[i] to offset[i+1] of those below;
`box` (R, 4) float32, xyxy in pixels of the image; `feature` (R, D) float16 or float32; `score` (R) float32, 1 for
given boxes; `label` (R) int32, the dataset's category id; `object_id` (R) int64, -1 for detections.
Given boxes are in the order of `objects.parquet`, detections in that of falling scores. Nothing is compressed. What
was left out because its input was bad is in the group `skipped`, absent where nothing was: `image_id` (K) int64,
`object_id` (K) int64, -1 for the whole image, and `reason` (K) UTF-8.

Root attributes: `format` (the version, a string), `feature_size`, and what made it: `dataset`, `setting` (`gt` or
`det`), `detector` (its name), `detector_sha256` (of its weights) and whatever else the writer was told.

The same regions make the same bytes, whether they were appended image by image or copied from other files.
"""

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import h5py
import numpy as np

from jvgn.regions.opening import COLUMNS, FORMAT, Opened, naming, opened
from jvgn.regions.trial import CURE
from jvgn.storage.files import replacing
from jvgn.storage.hdf5_output import HDF5Output
from parsers.errors import BrokenFile, UserError

CHUNK_BYTES = 65536
"""About one image's regions: a chunk much larger would be read in full for a few of its rows."""
BUFFERED_ROWS = 1024
"""Rows are written so many at a time, however they come, so that equal regions make equal files."""


@dataclass(frozen=True)
class Regions:
    """The regions of one image, as the module describes them."""

    box: np.ndarray
    feature: np.ndarray
    score: np.ndarray
    label: np.ndarray
    object_id: np.ndarray

    def __len__(self) -> int:
        return len(self.box)

    def __getitem__(self, rows: slice | np.ndarray) -> "Regions":
        return Regions(**{name: column[rows] for name, column in vars(self).items()})


@dataclass(frozen=True)
class Skipped:
    """What was left out: an image or, where it has an `object_id`, one of its objects."""

    image_id: int
    object_id: int
    reason: str


class RegionWriter:
    """A context in which images are appended by ascending id; the file is whole when it ends without an error."""

    def __init__(
        self,
        path: Path | str,
        feature_size: int,
        precision: Literal["float16", "float32"],
        made_by: Mapping[str, str | int | float],
    ) -> None:
        self.path, self.feature_size, self.precision, self.made_by = Path(path), feature_size, precision, made_by
        self._image_ids: list[int] = []
        self._offsets = [0]
        self._waiting: list[Regions] = []
        self._waiting_rows = 0
        self._skipped: list[Skipped] = []

    def __enter__(self) -> Self:
        self._context = self._writing()
        self._context.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._context.__exit__(kind, error, trace)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with replacing(self.path) as temporary, HDF5Output(temporary) as self._output:
            with h5py.File(self._output, "w", libver="v110") as self._file:
                self._begin()
                yield
                self._end()
            self._output.check()

    def _begin(self) -> None:
        self._file.attrs.update({"format": FORMAT, "feature_size": self.feature_size, **self.made_by})
        for name, row in self._row_shapes().items():
            data_type = np.dtype(COLUMNS[name] or self.precision)
            rows = max(1, CHUNK_BYTES // (data_type.itemsize * math.prod(row)))
            self._file.create_dataset(name, (0, *row), data_type, maxshape=(None, *row), chunks=(rows, *row))

    def _end(self) -> None:
        self._write(self._waiting)
        self._file["image_id"] = np.asarray(self._image_ids, np.int64)
        self._file["offset"] = np.asarray(self._offsets, np.int64)
        if self._skipped:
            self._file["skipped/image_id"] = np.asarray([one.image_id for one in self._skipped], np.int64)
            self._file["skipped/object_id"] = np.asarray([one.object_id for one in self._skipped], np.int64)
            self._file["skipped/reason"] = np.asarray([one.reason.encode() for one in self._skipped])

    def append(self, image_id: int, regions: Regions) -> None:
        if self._image_ids and image_id <= self._image_ids[-1]:
            raise ValueError(f"images come by ascending id, but {image_id} after {self._image_ids[-1]}")
        for name, row in self._row_shapes().items():
            expected, found = (len(regions), *row), getattr(regions, name).shape
            if expected != found:
                raise ValueError(f"image {image_id}: expected {name} of shape {expected}, found {found}")
        self._image_ids.append(image_id)
        self._offsets.append(self._offsets[-1] + len(regions))
        self._add(regions)

    def skip(self, skipped: Skipped) -> None:
        self._skipped.append(skipped)

    def copy(self, other: "RegionStore") -> None:
        """Append all images of another file, some rows at a time, and what it skipped."""
        opened = other._open()
        if other.feature_size != self.feature_size or opened.columns["feature"].dtype != self.precision:
            found = f"{other.feature_size} {opened.columns['feature'].dtype}"
            raise BrokenFile(other.path, f"expected features of {self.feature_size} {self.precision}, found {found}")
        if self._image_ids and len(opened.image_id) and opened.image_id[0] <= self._image_ids[-1]:
            first, last = opened.image_id[0], self._image_ids[-1]
            raise BrokenFile(other.path, f"its first image is {first}, but images up to {last} are there already")
        for start in range(0, int(opened.offset[-1]), BUFFERED_ROWS):
            rows = slice(start, start + BUFFERED_ROWS)
            with naming(other.path):
                regions = Regions(**{name: column[rows] for name, column in opened.columns.items()})
            self._add(regions)
        self._image_ids += opened.image_id.tolist()
        self._offsets += (opened.offset[1:] + self._offsets[-1]).tolist()
        self._skipped += other.skipped

    def _row_shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: {"box": (4,), "feature": (self.feature_size,)}.get(name, ()) for name in COLUMNS}

    def _add(self, regions: Regions) -> None:
        while self._waiting_rows + len(regions) >= BUFFERED_ROWS:
            missing = BUFFERED_ROWS - self._waiting_rows
            self._write([*self._waiting, regions[:missing]])
            self._waiting, self._waiting_rows, regions = [], 0, regions[missing:]
        self._waiting.append(regions)
        self._waiting_rows += len(regions)

    def _write(self, parts: list[Regions]) -> None:
        for name in COLUMNS if parts else ():
            rows = np.concatenate([getattr(regions, name) for regions in parts])
            column = self._file[name]
            column.resize(len(column) + len(rows), axis=0)
            column[len(column) - len(rows) :] = rows
        self._output.check()


class RegionStore:
    """Reads regions image by image. The file is opened on first use, once in each process."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._opened: Opened | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "_opened": None}

    @property
    def info(self) -> dict[str, Any]:
        """What made the file: its root attributes."""
        return dict(self._open().info)

    @property
    def setting(self) -> str:
        """`gt` or `det`: whether its boxes were given or detected."""
        found = self.info.get("setting")
        if found not in ("gt", "det"):
            raise BrokenFile(self.path, "holds no setting", CURE)
        return str(found)

    @property
    def feature_size(self) -> int:
        return int(self._open().columns["feature"].shape[1])

    @property
    def feature_bytes(self) -> int:
        """Of all features together."""
        return int(self._open().columns["feature"].nbytes)

    @property
    def image_ids(self) -> np.ndarray:
        return self._open().image_id

    @property
    def skipped(self) -> list[Skipped]:
        """What was left out, in the order in which it was met."""
        with naming(self.path):
            return [
                Skipped(int(image_id), int(object_id), reason.decode())
                for image_id, object_id, reason in zip(*(column[:] for column in self._open().skipped), strict=True)
            ]

    @property
    def skipped_images(self) -> set[int]:
        """The images that were left out as a whole."""
        return {one.image_id for one in self.skipped if one.object_id == -1}

    @property
    def precision(self) -> str:
        return str(self._open().columns["feature"].dtype)

    def read(self, image_id: int) -> Regions:
        opened, rows = self._find(image_id)
        with naming(self.path):
            return Regions(**{name: column[rows] for name, column in opened.columns.items()})

    def read_boxes(self, image_id: int) -> tuple[np.ndarray, np.ndarray]:
        """The boxes (N, 4) and object ids (N) alone."""
        opened, rows = self._find(image_id)
        return opened.columns["box"][rows], opened.columns["object_id"][rows]

    @property
    def counts(self) -> np.ndarray:
        """How many regions each image has, in the order of `image_ids`."""
        return np.diff(self._open().offset)

    def _find(self, image_id: int) -> tuple[Opened, slice]:
        opened = self._open()
        index = int(np.searchsorted(opened.image_id, image_id))
        if index == len(opened.image_id) or opened.image_id[index] != image_id:
            raise UserError(f"{self.path}: holds no image {image_id}; extract the regions of this dataset again")
        return opened, slice(*opened.offset[index : index + 2])

    def _open(self) -> Opened:
        # A forked worker must not share its parent's handle: HDF5 keeps a position and a cache in it.
        if self._opened is None or self._opened.process != os.getpid():
            self._opened = opened(self.path)
        return self._opened
