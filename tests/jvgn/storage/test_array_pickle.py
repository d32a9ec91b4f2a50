"""Pickles of weights from strangers: arrays of numbers are read, and numpy is told nothing by the pickle."""

import os
import pickle
import struct
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from jvgn.storage.pickles import load_array_pickle
from parsers.errors import BrokenFile

RECONSTRUCTED = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
"""An empty array, as Python 2 wrote it, of which the next instructions tell more."""


class RunsCode:
    """When unpickled the ordinary way, makes a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


def kind(code: str, rest: bytes = b"NNNI-1\nI-1\nI0\n") -> bytes:
    return b"cnumpy\ndtype\n(S'%s'\nI0\nI1\ntR(I3\nS'<'\n%stb" % (code.encode(), rest)


def array(shape: bytes, kind: bytes, data: bytes) -> bytes:
    return RECONSTRUCTED + b"(I1\n(" + shape + b"t" + kind + b"I00\nU" + struct.pack("B", len(data)) + data + b"tb."


def refused(path: Path, content: bytes, why: str) -> None:
    path.write_bytes(content)
    with pytest.raises(BrokenFile, match=f"refused as a pickle: .*{why}"):
        load_array_pickle(path)


@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize(
    "weights",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0, dtype=np.float32).reshape(2, 3)),
        np.arange(6, dtype=">i4"),
        np.ones((1, 4), np.float16),
        np.array([True, False]),
        np.float64(2),
    ],
)
def test_arrays_of_numbers_are_read_as_they_were_written(tmp_path, protocol, weights):
    path = tmp_path / "weights.pkl"
    path.write_bytes(pickle.dumps({"w": weights, "again": weights}, protocol))
    for found in load_array_pickle(path).values():
        np.testing.assert_array_equal(found, weights)
        assert found.dtype == weights.dtype.newbyteorder("=")


def test_arrays_of_python_2_are_read(tmp_path):
    path = tmp_path / "weights.pkl"
    path.write_bytes(array(b"I2\n", kind("f4"), np.array([1.0, 2.0], "<f4").tobytes()))
    assert load_array_pickle(path).tolist() == [1, 2]


def test_arrays_bring_no_code_along(tmp_path):
    path, trap = tmp_path / "weights.pkl", tmp_path / "trap"
    refused(path, pickle.dumps({"w": np.array([RunsCode(trap)], dtype=object)}), "only numbers are admitted")
    assert not trap.exists()


@pytest.mark.parametrize("code", ["O8", "V8", "S8", "U2", "M8", "O", "f4,O", "f3"])
def test_arrays_of_anything_but_numbers_are_refused(tmp_path, code):
    refused(tmp_path / "weights.pkl", array(b"I1\n", kind(code), bytes(8)), "")


def test_bytes_are_never_taken_for_pointers(tmp_path):
    """Told so, numpy calls a structure with an object in it plain bytes, and follows them to the end of the process."""
    with_object = b"N(S'a'\nt(dS'a'\n(" + kind("O8") + b"I0\ntsI8\nI1\nI0\n"
    refused(tmp_path / "weights.pkl", array(b"I2\n", kind("V8", with_object), b"A" * 16), "only numbers are admitted")


@pytest.mark.parametrize("shape", [b"I3\n", b"I-1\n", b"L99999999999L\n", b"I1\nI0\n", b"S'2'\n", b"N"])
def test_a_shape_must_fit_the_bytes(tmp_path, shape):
    refused(tmp_path / "weights.pkl", array(shape, kind("f4"), bytes(8)), "it has an array of")


HUGE = b"\x8b" + struct.pack("<i", 100_000) + b"\x7f" * 100_000


@pytest.mark.parametrize(
    "shape", [HUGE + b"q\x05" + b"h\x05" * 20_000, HUGE, b"I1\n" * 65], ids=["both", "long", "many"]
)
def test_a_shape_beyond_any_of_numpys_is_not_multiplied(tmp_path, shape):
    refused(tmp_path / "weights.pkl", array(shape, kind("f4"), bytes(4)), "an impossible shape")


def test_an_encoding_that_is_no_text_is_not_written_out(tmp_path):
    """Lists in lists, each ten times the one before, are short to tell and too long to write."""
    lists = b"]q\x00" + b"".join(b"](" + b"h%c" % (i - 1) * 10 + b"eq%c" % i for i in range(1, 40))
    refused(tmp_path / "weights.pkl", lists + b"c_codecs\nencode\n(S'x'\nh\x27tR.", "expected latin1")


LONG = b"T" + struct.pack("<I", 60_000) + b"a" * 60_000
ARRAYS_OF_ONE = (
    b"cnumpy.core.multiarray\n_reconstruct\nq\x00(cnumpy\nndarray\n(I0\ntS'b'\ntq\x01(I1\n(I60000\nt"
    + (kind("u1") + b"I00\n" + LONG + b"tq\x02](")
    + b"h\x00h\x01Rh\x02b" * 3000
    + b"e."
)
TEXTS_OF_ONE = b"c_codecs\nencode\nq\x00(" + LONG + b"S'latin1'\ntq\x01](" + b"h\x00h\x01R" * 3000 + b"e."


@pytest.mark.parametrize("content", [ARRAYS_OF_ONE, TEXTS_OF_ONE], ids=["arrays", "bytes"])
def test_what_is_told_once_is_not_made_without_end(tmp_path, content):
    """Less than 100 KB that would be 180 MB."""
    tracemalloc.start()
    try:
        refused(tmp_path / "weights.pkl", content, "far larger than honest ones")
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_an_array_that_is_named_without_end_is_refused(tmp_path):
    weights = [np.zeros(10_000)] * 1000
    refused(tmp_path / "weights.pkl", pickle.dumps(weights, 2), "far larger than honest ones")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"c_codecs\nencode\n(S'a'\nS'zlib'\ntR.", "expected latin1"),
        (b"cnumpy\nload\n(S'weights.npy'\ntR.", "only plain data is admitted"),
        (b"cnumpy\nndarray\n(I1\ntR.", "only plain data is admitted"),
        (b"cnumpy\nndarray\n(N(dS'__setstate__'\nI1\nstb.", "only plain data is admitted"),
        (b"cnumpy\ndtype\n(S'f4'\ntR(I3\nS'?'\ntb.", "order of bytes"),
    ],
)
def test_nothing_else_of_numpy_is_called_or_changed(tmp_path, content, why):
    refused(tmp_path / "weights.pkl", content, why)
