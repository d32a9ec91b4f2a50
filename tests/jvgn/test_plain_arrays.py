"""numpy's files from strangers: numbers are read, promises of more than is there are not believed."""

import pickle
import struct
import zipfile

import numpy as np
import pytest

from jvgn.plain_arrays import load_array, load_arrays
from tests.jvgn.test_array_pickle import RunsCode

KINDS = ["<f4", ">f4", "f8", "f2", "<i8", "u1", "?"]


def with_header(path, header, data=bytes(32)):
    line = header.encode() + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(line)) + line + data)
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", "CF")
def test_numbers_are_read_as_they_were_written(tmp_path, kind, order):
    written = np.asarray(np.arange(6).reshape(2, 3), kind, order=order)
    np.save(tmp_path / "a.npy", written)
    np.savez_compressed(tmp_path / "a.npz", a=written, other=written)
    for found in (load_array(tmp_path / "a.npy"), load_arrays(tmp_path / "a.npz", {"a"})["a"]):
        np.testing.assert_array_equal(found, written)
        assert found.dtype == written.dtype.newbyteorder("=")


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-8,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (7,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 'eight'}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (8,)}",
        "{'descr': '|S4', 'fortran_order': False, 'shape': (8,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (8,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': " + "(" * 5000,
        "__import__('os').mkdir('trap')",
        "{",
        "",
    ],
)
def test_a_header_that_is_none_is_refused(tmp_path, monkeypatch, header):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r".+"):
        load_array(with_header(tmp_path / "a.npy", header))
    assert not (tmp_path / "trap").exists()


def test_nothing_is_unpickled(tmp_path):
    trap = tmp_path / "trap"
    np.save(tmp_path / "a.npy", np.array([RunsCode(trap)], dtype=object), allow_pickle=True)
    np.savez(tmp_path / "a.npz", a=np.array([RunsCode(trap)], dtype=object))
    (tmp_path / "b.npy").write_bytes(pickle.dumps(RunsCode(trap)))
    for name in ("a.npy", "b.npy"):
        with pytest.raises(ValueError, match=r".+"):
            load_array(tmp_path / name)
    with pytest.raises(ValueError, match="expected numbers"):
        load_arrays(tmp_path / "a.npz", {"a"})
    assert not trap.exists()


def test_an_array_that_unpacks_to_far_more_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("jvgn.plain_arrays.AT_LEAST", 1000)
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(1_000_000))
    with pytest.raises(ValueError, match="far more than an honest array"):
        load_arrays(tmp_path / "a.npz", {"a"})


def test_what_was_not_asked_for_is_not_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("b.npy", b"no array")
    assert load_arrays(tmp_path / "a.npz", {"a"}) == {}
