"""Pickles from the internet: plain data and arrays of numbers, never code.

A pickle runs code through the classes and functions it names, so the unpicklers admit no name, or only numpy's arrays.
"""

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np

from jvgn.storage.files import reading

CURE = "get the file again from a source you trust"


class PlainUnpickler(pickle.Unpickler):
    """Admits lists, dicts, tuples, numbers and strings."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}; only plain data is admitted")


class ArrayUnpickler(PlainUnpickler):
    """Admits numpy's arrays of numbers too, through the stand-ins below."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("_codecs", "encode"):
            return encode
        if module.startswith("numpy") and name in ARRAYS:
            return ARRAYS[name]
        return super().find_class(module, name)


class NumberType:
    """Stands in for `numpy.dtype`, whose pickled state could describe arrays of pointers."""

    def __init__(self, code: str, align: bool = False, copy: bool = True) -> None:
        if not re.fullmatch(r"[biufc]\d{1,2}", code):
            raise pickle.UnpicklingError(f"it has an array of {code[:20]}; only numbers are admitted")
        self.type = np.dtype(code)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.type = self.type.newbyteorder(state[1])


class NumberArray(np.ndarray):
    """Stands in for `numpy.ndarray`, and takes only a `NumberType`."""

    def __new__(cls, *_: Any) -> Any:
        raise pickle.UnpicklingError("it makes an array of a type of its own; only numbers are admitted")

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, kind, is_fortran, data = state
        content = encode(data, "latin1") if isinstance(data, str) else data  # Python 2 wrote bytes as text
        super().__setstate__((1, shape, kind.type, bool(is_fortran), content))  # type: ignore[arg-type]


def empty(*_: Any) -> np.ndarray:
    return np.empty(0, np.uint8).view(NumberArray)


def scalar(kind: NumberType, data: bytes | str) -> Any:
    return np.frombuffer(encode(data, "latin1") if isinstance(data, str) else data, kind.type)[0]


def encode(text: str, encoding: str) -> bytes:
    return text.encode("latin1")


ARRAYS = {"ndarray": NumberArray, "dtype": NumberType, "_reconstruct": empty, "scalar": scalar}
"""Names that a pickled array asks for, in any version of numpy."""


def load_plain_pickle(path: Path | str) -> Any:
    """Return the lists, dicts, numbers and strings of a pickle, Python 2's included."""
    return load_with(PlainUnpickler, path, "utf8")


def load_array_pickle(path: Path | str) -> Any:
    """Return plain data and numpy arrays: pickled weights."""
    return load_with(ArrayUnpickler, path, "latin1")


def load_with(unpickler: type[PlainUnpickler], path: Path | str, encoding: str) -> Any:
    with reading(path, "pickle", CURE), Path(path).open("rb") as file:
        return unpickler(file, encoding=encoding).load()
