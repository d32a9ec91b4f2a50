"""Reads pickles of weights from strangers: plain data, and arrays of numbers.

Told by a pickle, numpy makes arrays of any kind out of any bytes, of pointers too. So arrays are not made as the pickle
tells numpy to, but of what it says of them: the kind of their numbers, their shape, and as many bytes as these take.
"""

import io
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np

from jvgn.storage.pickles import PLAIN, TOO_MUCH, PlainUnpickler, admitting, bytes_of, load_with, most_bytes

DIMENSIONS, LENGTH = 64, 1 << 63
"""As many as numpy's arrays can have, and more than a length of theirs can be."""


class Kind:
    """The kind of an array's numbers: `f4`, in the order of bytes that is told later."""

    def __init__(self, code: str, align: bool = False, copy: bool = True) -> None:
        if not re.fullmatch(r"[biufc]\d{1,2}", code):
            raise pickle.UnpicklingError(f"it has an array of {code[:20]}, and only numbers are admitted")
        self.type = np.dtype(code)

    def build(self, version: int, order: Any, *_: Any) -> None:
        if order not in ("<", ">", "=", "|"):
            raise pickle.UnpicklingError("it has numbers in an unknown order of bytes")
        self.type = self.type.newbyteorder(order)


class Array:
    """In the place of numpy's class."""


def empty(kind: type, shape: Any, code: Any) -> np.ndarray:
    """An array before anything is told of it."""
    return np.empty(0, np.uint8)


def scalar(kind: Kind, data: bytes | str) -> Any:
    return numbers(kind, (), data)[()]


def encode(text: str, encoding: str) -> bytes:
    """Protocols before the third have bytes as text."""
    if encoding != "latin1":
        raise pickle.UnpicklingError("it has bytes in another encoding, expected latin1")
    return text.encode("latin1")


def numbers(kind: Kind, shape: tuple[int, ...], data: bytes | str) -> np.ndarray:
    """The array; what Python 2 wrote has its bytes as text."""
    data = encode(data, "latin1") if isinstance(data, str) else data
    # Within numpy's own limits: the product of thousands of long numbers would take for ever.
    if len(shape) > DIMENSIONS or not all(type(length) is int and 0 <= length < LENGTH for length in shape):
        raise pickle.UnpicklingError("it has an array of an impossible shape")
    if math.prod(shape) * kind.type.itemsize != len(data):
        raise pickle.UnpicklingError(f"it has an array of shape {shape} with {len(data)} bytes")
    return np.frombuffer(data, kind.type).reshape(shape)


# What numpy's arrays ask for, whatever numpy's version called its modules.
ARRAYS = {"ndarray": Array, "dtype": Kind, "_reconstruct": empty, "scalar": scalar}


class ArrayUnpickler(PlainUnpickler):
    """Admits numpy's arrays too, and still no code.

    What is told once can be made again and again; each time takes memory of its own.
    """

    def __init__(self, file: io.BytesIO, **options: Any) -> None:
        super().__init__(file, **options)
        self.budget = most_bytes(file.getbuffer().nbytes)

    def spend(self, made: Any) -> None:
        self.budget -= bytes_of(made)
        if self.budget < 0:
            raise pickle.UnpicklingError(TOO_MUCH)

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("_codecs", "encode"):
            return encode
        if module.startswith("numpy") and name in ARRAYS:
            return ARRAYS[name]
        return super().find_class(module, name)

    def load_reduce(self) -> None:
        values = self.stack.pop()
        function = self.stack[-1]
        if not any(function is known for known in (Kind, empty, scalar, encode)) or type(values) is not tuple:
            self.refuse()
        self.stack[-1] = function(*values)
        self.spend(self.stack[-1])

    def load_build(self) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        if type(target) is Kind:
            target.build(*state)
        elif type(target) is np.ndarray:
            _, shape, kind, is_fortran, data = state
            checked = numbers(kind, shape, data)
            self.spend(checked)
            np.ndarray.__setstate__(target, (1, shape, checked.dtype, bool(is_fortran), checked.tobytes()))  # type: ignore[arg-type]
        else:
            self.refuse()


ArrayUnpickler.dispatch = admitting(ArrayUnpickler, {*PLAIN, "REDUCE", "BUILD"})


def load_array_pickle(path: Path | str) -> Any:
    """As `load_plain_pickle`, where there may also be numpy's arrays: weights."""
    return load_with(ArrayUnpickler, path, "latin1")
