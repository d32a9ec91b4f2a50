"""Pickles from strangers: plain data is read, everything else is refused and nothing runs."""

import os
import pickle
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jvgn.datasets.plain_pickle import load_array_pickle, load_plain_pickle
from parsers.files import BrokenFile, UserError

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


@pytest.mark.parametrize("protocol", [2, 4])
def test_arrays_are_admitted_where_weights_are_read(tmp_path, protocol):
    path = tmp_path / "weights.pkl"
    path.write_bytes(pickle.dumps({"w": np.arange(6.0).reshape(2, 3), "n": np.float64(2)}, protocol))
    found = load_array_pickle(path)
    np.testing.assert_array_equal(found["w"], np.arange(6.0).reshape(2, 3))
    assert found["n"] == 2


def test_arrays_bring_no_code_along(tmp_path):
    path, trap = tmp_path / "weights.pkl", tmp_path / "trap"
    path.write_bytes(pickle.dumps({"w": np.array([RunsCode(trap)], dtype=object)}))
    with pytest.raises(BrokenFile, match="only plain data is admitted"):
        load_array_pickle(path)
    assert not trap.exists()
