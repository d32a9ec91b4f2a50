"""numpy's files: headers that promise other kinds and shapes than the bytes behind them."""

import io
import struct
from random import Random

import numpy as np

from tests.long.fuzz.damage import damaged, damaged_behind
from tests.long.fuzz.formats.archives import change_zip, is_zip
from tests.long.fuzz.payloads import pickled_payloads
from tests.long.fuzz.reader import Format

KINDS = [
    "'<f4'",
    "'<f8'",
    "'>i8'",
    "'|O'",
    "'|S9'",
    "'<U9'",
    "'|V8'",
    "'<M8[s]'",
    "'<c16'",
    "'f4,O'",
    "[('a', '<f4')]",
    "3",
    "'x'",
]
SHAPES = [
    "()",
    "(0,)",
    "(2, 2)",
    "(-1, 4)",
    "(99999999999,)",
    "(1 << 62, 4)",
    "(2**40, 0)",
    "3",
    "'a'",
    "(1,)*70",
    "[" * 99,
]
ARRAYS = [
    np.zeros((0, 4)),
    np.full((2, 4), np.nan),
    np.full((2, 4), 1e300),
    np.array([["a", "b"]]),
    np.ones((2, 4), complex),
    np.array(3),
    np.array("text"),
    np.ones((2, 4), bool),
    np.ones((3, 2, 2)),
    np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")]),
    np.array(["2001-01-01"], "M8[D]"),
    np.array(10**9),
    np.array(-1),
]


def change_array(content: bytes, random: Random) -> bytes:
    """The header, mostly: what it says of kind and shape."""
    kind = random.random()
    start = content.index(b"{")
    if kind < 0.15:
        return damaged_behind(content, random, start)
    if kind < 0.25:
        header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}"
        return with_header(header, random.choice(pickled_payloads()))
    if kind < 0.5:
        written = io.BytesIO()
        np.save(written, random.choice(ARRAYS))
        return written.getvalue()
    said = {"descr": KINDS, "fortran_order": ("True", "False", "2"), "shape": SHAPES}
    form = "{" + ", ".join(f"'{name}': {random.choice(values)}" for name, values in said.items()) + "}"
    data = content[content.index(b"\n") + 1 :]
    return with_header(form.encode(), data)


def with_header(header: bytes, data: bytes) -> bytes:
    line = header + b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line + data


def change_inner(content: bytes, random: Random) -> bytes:
    return change_array(content, random) if content.startswith(b"\x93NUMPY") else damaged(content, random)


def change_arrays(content: bytes, random: Random) -> bytes:
    return change_zip(content, random, change_inner)


ARRAY = Format(change_array, lambda content: content.startswith(b"\x93NUMPY"))
ARRAYS_IN_ZIP = Format(change_arrays, is_zip)
