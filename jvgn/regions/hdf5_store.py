"""The HDF5 file of regions: `results/regions/{dataset}_{setting}/{detector}.h5`. Its specification, writer and reader.

Datasets, for I images with R regions in all and D numbers per feature:
`image_id` (I) int64, ascending; `offset` (I+1) int64: image i owns rows offset[i] to offset[i+1] of those below;
`box` (R, 4) float32, xyxy in pixels of the image; `feature` (R, D) float16 or float32; `score` (R) float32, 1 for
annotated boxes; `label` (R) int32, the dataset's category id; `object_id` (R) int64, -1 for detections.
Annotated boxes are in the order of `objects.parquet`, detections have descending scores. Nothing is compressed.
The group `skipped` lists bad input that was skipped, and is missing if nothing was: `image_id` (K) int64, `object_id`
(K) int64, -1 for the whole image, and `reason` (K) UTF-8.

Root attributes: `format` (the version, a string; an integer is read too), `feature_size`, and what made the file:
`dataset`, `setting` (`gt` or `det`), `detector` (its name), `detector_sha256` (of its weights) and more from the
writer. A user's file of precomputed features needs only `format`.

Equal regions make equal bytes, whether they were appended image by image or copied from other files.
"""

import math
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

import h5py
import numpy as np

from jvgn.storage.files import reading, replacing
from parsers.errors import BrokenFile, UserError

FORMAT = "1"
COLUMNS = {"box": "float32", "feature": "", "score": "float32", "label": "int32", "object_id": "int64"}
"""Data types; the writer chooses that of `feature`."""
SKIPPED = ("skipped/image_id", "skipped/object_id", "skipped/reason")
CHUNK_BYTES = 65536
"""About the regions of one image: HDF5 reads whole chunks, even for a few rows."""
BUFFERED_ROWS = 1024
"""Rows are written so many at a time, so that equal regions make equal files."""
Policy = Literal["stop", "skip"]
"""What to do with bad input, such as an unreadable image or a box without area."""
CURE = "if the workflow made it, delete it and run the workflow again"


@dataclass(frozen=True)
class Skipped:
    """A skipped object of an image or, where `object_id` is -1, a skipped image."""

    image_id: int
    object_id: int
    reason: str


def skip_or_stop(skipped: Skipped, policy: Policy) -> Skipped:
    """Return `skipped` if the policy is to skip; otherwise raise its reason as an error."""
    if policy == "stop":
        raise UserError(f"{skipped.reason}; fix it, or set on_bad_input: skip in the dataset's regions")
    return skipped


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


class RegionWriter:
    """Context manager that writes a file. Append images by ascending id; the file appears if the block succeeds."""

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
        with replacing(self.path) as temporary, created(temporary) as self._file:
            self._begin()
            yield
            self._end()

    def _begin(self) -> None:
        self._file.attrs.update({"format": FORMAT, "feature_size": self.feature_size, **self.made_by})
        # Kept open: a dataset that is closed in between would write its last chunk unseen, also on a full disk.
        self._columns = {}
        for name, row in self._row_shapes().items():
            data_type = np.dtype(COLUMNS[name] or self.precision)
            rows = max(1, CHUNK_BYTES // (data_type.itemsize * math.prod(row)))
            self._columns[name] = self._file.create_dataset(
                name, (0, *row), data_type, maxshape=(None, *row), chunks=(rows, *row)
            )

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
            raise ValueError(f"expected images by ascending id, found {image_id} after {self._image_ids[-1]}")
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
        """Append all images of another file, some rows at a time, and its list of skipped input."""
        opened = other._open()
        if other.feature_size != self.feature_size or other.precision != self.precision:
            found = f"{other.feature_size} {other.precision}"
            raise BrokenFile(other.path, f"expected features of {self.feature_size} {self.precision}, found {found}")
        if self._image_ids and len(opened.image_id) and opened.image_id[0] <= self._image_ids[-1]:
            problem = f"its first image is {opened.image_id[0]}, expected one after {self._image_ids[-1]}"
            raise BrokenFile(other.path, problem)
        for start in range(0, int(opened.offset[-1]), BUFFERED_ROWS):
            self._add(other._rows(slice(start, start + BUFFERED_ROWS)))
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
            column = self._columns[name]
            column.resize(len(column) + len(rows), axis=0)
            column[len(column) - len(rows) :] = rows


@contextmanager
def created(path: Path) -> Iterator[h5py.File]:
    """Yield a new HDF5 file.

    On a full disk, HDF5 cannot write what it still holds, and crashes the process when it closes the file. So after an
    error, let it write to the null device.
    """
    with h5py.File(path, "w", libver="v110") as file:
        try:
            yield file
            file.flush()
        except BaseException as error:
            with Path(os.devnull).open("r+b") as nowhere:
                os.dup2(nowhere.fileno(), file.id.get_vfd_handle())
            if isinstance(error, RuntimeError) and (found := re.search(r"errno = (\d+)", str(error))):
                raise OSError(int(found[1]), os.strerror(int(found[1]))) from error
            raise


@dataclass(frozen=True)
class Opened:
    """An open file: all but the features is small and in memory, so that an image is one contiguous read."""

    process: int
    file: h5py.File
    info: dict[str, Any]
    image_id: np.ndarray
    offset: np.ndarray
    columns: dict[str, Any]
    """Arrays, and the HDF5 dataset `feature`."""
    skipped: list[Skipped]


class RegionStore:
    """Reads regions image by image. The file is opened on first use, once in each process."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._opened: Opened | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path, "_opened": None}

    @property
    def info(self) -> dict[str, Any]:
        """The root attributes: what made the file."""
        return dict(self._open().info)

    @property
    def setting(self) -> str:
        """`gt` for annotated boxes, `det` for detected ones."""
        found = self.info.get("setting")
        if found not in ("gt", "det"):
            raise BrokenFile(self.path, f"expected the attribute setting to be gt or det, found {found}", CURE)
        return str(found)

    @property
    def feature_size(self) -> int:
        return int(self._open().columns["feature"].shape[1])

    @property
    def feature_bytes(self) -> int:
        """The size of all features together."""
        return int(self._open().columns["feature"].nbytes)

    @property
    def precision(self) -> str:
        return str(self._open().columns["feature"].dtype)

    @property
    def image_ids(self) -> np.ndarray:
        return self._open().image_id

    @property
    def counts(self) -> np.ndarray:
        """The number of regions of each image, in the order of `image_ids`."""
        return np.diff(self._open().offset)

    @property
    def skipped(self) -> list[Skipped]:
        return list(self._open().skipped)

    @property
    def skipped_images(self) -> set[int]:
        """The images that were skipped as a whole."""
        return {one.image_id for one in self.skipped if one.object_id == -1}

    def read(self, image_id: int) -> Regions:
        return self._rows(self._find(image_id))

    def read_boxes(self, image_id: int) -> tuple[np.ndarray, np.ndarray]:
        """Return only the boxes (N, 4) and object ids (N) of an image."""
        rows, columns = self._find(image_id), self._open().columns
        return columns["box"][rows], columns["object_id"][rows]

    def _rows(self, rows: slice) -> Regions:
        with reading(self.path, "HDF5 file", CURE):
            return Regions(**{name: column[rows] for name, column in self._open().columns.items()})

    def _find(self, image_id: int) -> slice:
        opened = self._open()
        index = int(np.searchsorted(opened.image_id, image_id))
        if index == len(opened.image_id) or opened.image_id[index] != image_id:
            raise UserError(f"{self.path}: has no image {image_id}; extract the regions of this dataset again")
        return slice(*opened.offset[index : index + 2])

    def _open(self) -> Opened:
        # A forked worker must not share its parent's handle: HDF5 keeps a position and a cache in it.
        if self._opened is None or self._opened.process != os.getpid():
            with reading(self.path, "HDF5 file", CURE):
                self._opened = opened(self.path)
        return self._opened


def opened(path: Path) -> Opened:
    """Open a file after a check of its format version, columns and rows."""
    file = h5py.File(path, "r")
    info = {key: value.item() if isinstance(value, np.generic) else value for key, value in file.attrs.items()}
    if str(info.get("format")) != FORMAT:
        raise BrokenFile(path, f"expected regions of format version {FORMAT}, found {info.get('format')}", CURE)
    for name in ("image_id", "offset", *COLUMNS):
        if name not in file:
            raise BrokenFile(path, f"has no dataset {name}", CURE)
    columns = {name: file[name][:].astype(kind) if kind else file[name] for name, kind in COLUMNS.items()}
    skipped = zip(*(file[name][:] for name in SKIPPED), strict=True) if "skipped" in file else ()
    found = Opened(
        process=os.getpid(),
        file=file,
        info=info,
        image_id=file["image_id"][:].astype(np.int64),
        offset=file["offset"][:].astype(np.int64),
        columns=columns,
        skipped=[Skipped(int(image), int(object_id), reason.decode()) for image, object_id, reason in skipped],
    )
    if problem := problem_with(found):
        raise BrokenFile(path, problem, CURE)
    return found


def problem_with(found: Opened) -> str | None:
    """Return the first violation of the specification, or None."""
    image_id_I, offset = found.image_id, found.offset
    box_R4, feature_RD = found.columns["box"], found.columns["feature"]
    if len(offset) != len(image_id_I) + 1:
        return f"expected {len(image_id_I) + 1} offsets, found {len(offset)}"
    if (np.diff(image_id_I) <= 0).any():
        return "its images are not in ascending order"
    if offset[0] != 0 or (np.diff(offset) < 0).any():
        return "its offsets do not ascend from 0"
    for name, column in found.columns.items():
        if len(column) != offset[-1]:
            return f"expected {offset[-1]} rows of {name}, found {len(column)}"
    if box_R4.ndim != 2 or box_R4.shape[1] != 4 or not np.isfinite(box_R4).all():
        return "its boxes are not rows of four finite numbers"
    if feature_RD.ndim != 2 or feature_RD.dtype not in (np.float16, np.float32):
        return f"expected rows of float16 or float32 features, found {feature_RD.dtype} of shape {feature_RD.shape}"
    return None
