"""Pickles from the internet: plain data and arrays of numbers are read, and nothing runs."""

import os
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jvgn.storage.pickles import load_array_pickle, load_plain_pickle
from parsers.errors import BrokenFile

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=10,
)
EMPTY = b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntR"
"""An empty array as Python 2 wrote it, before its content."""
READERS = pytest.mark.parametrize("load", [load_plain_pickle, load_array_pickle])


class Reduces:
    def __reduce__(self):
        return os.mkdir, ("trap",)


def kind(code):
    return b"cnumpy\ndtype\n(S'%s'\nI0\nI1\ntR(I3\nS'<'\nNNNI-1\nI-1\nI0\ntb" % code.encode()


def array(shape, kind, data):
    return EMPTY + b"(I1\n(" + shape + b"t" + kind + b"I00\nU" + struct.pack("B", len(data)) + data + b"tb."


HOSTILE = {
    "reduce": pickle.dumps([{"sent": Reduces()}]),
    "global": b"cos\nsystem\n.",
    "stack global": b"\x80\x04\x8c\x02os\x8c\x06system\x93.",
    "inst": b"(S'trap'\nios\nmkdir\n.",
    "obj": b"(cos\nmkdir\nS'trap'\no.",
    "new object": b"\x80\x02cpathlib\nPath\nU\x04trap\x85\x81.",
    "build": b"\x80\x02cbuiltins\nobject\n)\x81}U\x01aK\x01sb.",
    "persistent id": b"Ptrap\n.",
    "extension": b"\x80\x02\x82\x01.",
    "another function of numpy": b"cnumpy\nsave\n(S'trap'\nI1\ntR.",
    "a method of an admitted class": b"\x80\x04\x8c\x05numpy\x8c\x0endarray.tofile\x93.",
    "builtins through an admitted class": b"\x80\x04\x8c\x05numpy\x8c\x12ndarray.__class__.\x93.",
}


@READERS
@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_pickle_is_refused_and_runs_nothing(tmp_path, monkeypatch, load, content):
    monkeypatch.chdir(tmp_path)
    Path("refs.p").write_bytes(content)
    with pytest.raises(BrokenFile, match=r"refs\.p: .*; get the file again"):
        load("refs.p")
    assert [*Path().iterdir()] == [Path("refs.p")]


@settings(max_examples=60)
@given(value=PLAIN, protocol=st.integers(2, pickle.HIGHEST_PROTOCOL))
def test_plain_data_is_read_as_it_was_written(tmp_path_factory, value, protocol):
    path = tmp_path_factory.mktemp("pickle") / "refs.p"
    path.write_bytes(pickle.dumps(value, protocol))
    assert load_plain_pickle(path) == value


def test_strings_of_python_2_are_text(tmp_path):
    (tmp_path / "refs.p").write_bytes(b"(lp0\n(dp1\nS'sent'\np2\nS'the caf\\xc3\\xa9'\np3\nsa.")
    assert load_plain_pickle(tmp_path / "refs.p") == [{"sent": "the café"}]


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
        assert found.dtype.kind == weights.dtype.kind and found.dtype.itemsize == weights.dtype.itemsize


def test_weights_of_python_2_are_read(tmp_path):
    path = tmp_path / "weights.pkl"
    path.write_bytes(array(b"I2\n", kind("f4"), np.array([1.0, 2.0], "<f4").tobytes()))
    assert load_array_pickle(path).tolist() == [1, 2]


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(np.array([{}], object)),
        pickle.dumps(np.zeros(2, [("a", "i4"), ("b", "f4")])),
        pickle.dumps(np.array(["text"])),
        array(b"I1\n", kind("O8"), bytes(8)),
        array(b"I1\n", kind("V8"), bytes(8)),
        array(b"I9\n", kind("f4"), bytes(8)),
        array(b"I-1\n", kind("f4"), bytes(8)),
        b"cnumpy\nndarray\n((I1\ntS'O'\ntR.",
        b"\x80\x02cnumpy\nndarray\n(K\x01\x85U\x01Ot\x81.",
    ],
    ids=[
        "objects",
        "structured",
        "text",
        "pointers",
        "void",
        "too few bytes",
        "negative shape",
        "class called",
        "class made",
    ],
)
def test_arrays_of_anything_but_numbers_are_refused(tmp_path, content):
    (tmp_path / "weights.pkl").write_bytes(content)
    with pytest.raises(BrokenFile, match=r"weights\.pkl: "):
        load_array_pickle(tmp_path / "weights.pkl")
