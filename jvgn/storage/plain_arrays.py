"""Reads numpy's files from strangers: arrays of numbers, as large as they say, and nothing that is unpickled."""

import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as numpy_format

from jvgn.storage.bounded import budget_of, check_packing

DAMAGE = (
    *(ArithmeticError, EOFError, LookupError, MemoryError, OSError, RuntimeError, SyntaxError, TypeError, ValueError),
    *(struct.error, tokenize.TokenError, zipfile.BadZipFile, zlib.error),
)
"""What reading a damaged file can raise."""
NUMBERS = "biuf"
HEADERS = {(1, 0): numpy_format.read_array_header_1_0, (2, 0): numpy_format.read_array_header_2_0}


def load_array(path: Path) -> np.ndarray:
    """The array of a `.npy` file; whatever keeps it from being one is a ValueError."""
    try:
        return array_of(io.BytesIO(path.read_bytes()), path.stat().st_size)
    except DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def load_arrays(path: Path, names: Collection[str]) -> dict[str, np.ndarray]:
    """Those arrays of an `.npz` file that have these names; whatever keeps it from being one is a ValueError."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = chosen(archive, names)
            if sum(entry.file_size for entry in entries.values()) > budget_of(path):
                raise ValueError("it unpacks to far more than honest arrays would")
            return {name: member(archive, entry) for name, entry in entries.items()}
    except DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def chosen(archive: zipfile.ZipFile, names: Collection[str]) -> dict[str, zipfile.ZipInfo]:
    """The entries of these names, each of which is there once."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        name = entry.filename.removesuffix(".npy")
        if name in found:
            raise ValueError(f"it holds {name} twice")
        if name in names:
            check_packing(entry)
            found[name] = entry
    return found


def member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(entry) as file:
        return array_of(file, entry.file_size)


def array_of(file: IO[bytes], length: int) -> np.ndarray:
    """The array, after a check that all its bytes are there before room is made for them."""
    version = numpy_format.read_magic(file)
    if version not in HEADERS:
        raise ValueError(f"its format has the version {version}")
    shape, is_fortran, kind = HEADERS[version](file)
    if kind.kind not in NUMBERS:
        raise ValueError(f"expected numbers, found {kind}")
    expected, found = math.prod(shape) * kind.itemsize, length - file.tell()
    if min(shape, default=0) < 0 or expected != found:
        raise ValueError(f"expected {expected} bytes for shape {shape}, found {found}")
    values = np.frombuffer(file.read(found), kind).astype(kind.newbyteorder("="))
    return values.reshape(shape, order="F" if is_fortran else "C")
