"""Pickles from strangers: plain data is read, everything else is refused and nothing runs."""

import gc
import os
import pickle
import time
import tracemalloc
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jvgn.storage.pickles import bytes_of, load_plain_pickle
from parsers.errors import BrokenFile, UserError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=10,
)


class RunsCode:
    """When unpickled the ordinary way, makes a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self):
        return os.mkdir, (str(self.folder),)


@settings(deadline=None, max_examples=60)
@given(value=PLAIN, protocol=st.integers(2, pickle.HIGHEST_PROTOCOL))
def test_plain_data_is_read_as_it_was_written(tmp_path_factory, value, protocol):
    path = tmp_path_factory.mktemp("pickle") / "refs.p"
    path.write_bytes(pickle.dumps(value, protocol))
    assert load_plain_pickle(path) == value


def test_strings_of_python_2_are_text(tmp_path):
    path = tmp_path / "refs.p"
    path.write_bytes(b"(lp0\n(dp1\nS'sent'\np2\nS'the caf\\xc3\\xa9'\np3\nsa.")
    assert load_plain_pickle(path) == [{"sent": "the café"}]


def test_a_pickle_that_would_run_code_is_refused_and_nothing_runs(tmp_path):
    path, trap = tmp_path / "refs.p", tmp_path / "trap"
    path.write_bytes(pickle.dumps([{"sent": RunsCode(trap)}]))
    with pytest.raises(BrokenFile, match=r"refs\.p: refused as a pickle: it asks for posix\.mkdir"):
        load_plain_pickle(path)
    assert not trap.exists()


@pytest.mark.parametrize("value", [np.float64(1), OrderedDict(a=1), Path("x"), {1, 2}.__class__, print])
def test_objects_of_any_class_are_refused(tmp_path, value):
    path = tmp_path / "refs.p"
    path.write_bytes(pickle.dumps(value))
    with pytest.raises(BrokenFile, match="only plain data is admitted"):
        load_plain_pickle(path)


@settings(deadline=None, max_examples=300)
@given(content=st.binary(max_size=200), cut=st.integers(0, 60))
def test_damaged_bytes_are_a_clear_error(tmp_path_factory, content, cut):
    path = tmp_path_factory.mktemp("pickle") / "refs.p"
    whole = pickle.dumps([{"sent": "ring left of the star", "tokens": ["ring"]}])
    for damaged in (content, whole[:cut] + content):
        path.write_bytes(damaged)
        try:
            load_plain_pickle(path)
        except UserError as error:
            assert "refs.p" in str(error)


def test_a_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(UserError, match="put the file there"):
        load_plain_pickle(tmp_path / "refs.p")


BOMBS = {
    "a string that is not there": b"\x8d" + (1 << 40).to_bytes(8, "little") + b"a.",
    "bytes that can be changed": b"\x96" + (1 << 40).to_bytes(8, "little") + b"a.",
    "a number in words": b"L" + b"9" * 5000 + b"L\n.",
    "tuples in tuples as a key": b"}N" + b"\x85" * 1_000_000 + b"Ns.",
    "numbers as keys": b"}("
    + b"".join(b"\x8a\x09" + (k * (2**61 - 1)).to_bytes(9, "little") + b"N" for k in range(9))
    + b"u.",
    "a list in itself": b"]q\x00h\x00a.",
    "a dictionary in itself": b"}q\x00X\x01\x00\x00\x00ah\x00s.",
    "lists of one list": b"]q\x00"
    + b"".join(b"](" + b"h%c" % k * 10 + b"eq%c0" % (k + 1) for k in range(40))
    + b"h\x28.",
    "a long text many times": b"](X\xff\xff\x00\x00" + b"a" * 65535 + b"q\x00" + b"h\x00" * 200_000 + b"e.",
    "a longer text more often": b"X"
    + (1_500_000).to_bytes(4, "little")
    + "é".encode() * 750_000
    + b"q\x000]("
    + b"h\x00" * 600_000
    + b"e.",
    "a set": b"\x8f(K\x01\x90.",
    "an object by its number": b"\x82\x01.",
    "an object elsewhere": b"Pelsewhere\n.",
}
"""A few bytes that stand for all memory, for ever, or for the end of the process."""


@pytest.fixture
def alone():
    """The collector does not look again and again at what other tests have left."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.usefixtures("alone")
def test_a_bomb_is_refused_at_once(tmp_path, bomb):
    path = tmp_path / "refs.p"
    path.write_bytes(BOMBS[bomb])
    start = time.thread_time()
    with pytest.raises(BrokenFile, match="refused as a pickle"):
        load_plain_pickle(path)
    assert time.thread_time() - start < 2


def test_a_text_is_measured_once_however_often_it_is_named(tmp_path, monkeypatch):
    measured = []
    monkeypatch.setattr("jvgn.storage.pickles.bytes_of", lambda value: measured.append(value) or bytes_of(value))
    path = tmp_path / "refs.p"
    path.write_bytes(
        b"X\x00\x10\x00\x00" + b"\xc3\xa9" * 2048 + b"q\x000](" + (b"](" + b"h\x00" * 9 + b"e") * 20 + b"e."
    )
    assert load_plain_pickle(path) == [["é" * 2048] * 9] * 20
    assert measured.count("é" * 2048) == 1


def test_tuples_that_double_take_no_memory_to_measure(tmp_path):
    path = tmp_path / "refs.p"
    path.write_bytes(b"\x80\x02N" + b"2\x86" * 50_000 + b".")
    tracemalloc.start()
    try:
        with pytest.raises(BrokenFile, match="far larger than honest ones"):
            load_plain_pickle(path)
        assert tracemalloc.get_traced_memory()[1] < 60_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("place", [b"r\xff\xff\xff\xff", b"p99999999999\n"])
def test_a_place_in_the_memo_takes_no_more_memory_for_being_far_away(tmp_path, place):
    path = tmp_path / "refs.p"
    path.write_bytes(b"]" + place + b".")
    assert load_plain_pickle(path) == []


def test_data_that_share_parts_are_no_bomb(tmp_path):
    shared = [{"sent": "ring left of the star", "tokens": ["ring", "left", "of", "the", "star"]}]
    path = tmp_path / "refs.p"
    path.write_bytes(pickle.dumps([shared] * 10_000))
    assert load_plain_pickle(path) == [shared] * 10_000


def test_lists_in_lists_are_read_however_deep(tmp_path):
    path = tmp_path / "refs.p"
    path.write_bytes(b"]" * 100_000 + b"a" * 99_999 + b".")
    assert len(load_plain_pickle(path)) == 1
