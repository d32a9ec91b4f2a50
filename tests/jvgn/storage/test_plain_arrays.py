"""numpy's files from strangers: numbers are read, promises of more than is there are not believed."""

import io
import pickle
import struct
import zipfile

import numpy as np
import pytest

from jvgn.storage.plain_arrays import load_array, load_arrays
from tests.jvgn.storage.test_array_pickle import RunsCode

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


@pytest.mark.parametrize("count", [1, 8])
def test_arrays_that_unpack_to_far_more_are_not_unpacked(tmp_path, monkeypatch, count):
    monkeypatch.setattr("jvgn.storage.bounded.AT_LEAST", 8_000_000)
    names = [f"a{number}" for number in range(count)]
    np.savez_compressed(tmp_path / "a.npz", **{name: np.zeros(1_000_000 // count + 1) for name in names})
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match="far more than honest arrays"):
        load_arrays(tmp_path / "a.npz", names)


def packed(path, way, *names):
    array = io.BytesIO()
    np.save(array, np.zeros(4))
    with zipfile.ZipFile(path, "w", way) as archive:
        for name in names:
            archive.writestr(name, array.getvalue())
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [("box.npy", "box.npy"), ("box", "box.npy")])
def test_an_array_that_is_there_twice_is_not_unpacked_at_all(tmp_path, monkeypatch, names):
    path = packed(tmp_path / "a.npz", zipfile.ZIP_STORED, *names)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match="it holds box twice"):
        load_arrays(path, {"box"})


@pytest.mark.parametrize("way", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_array_is_packed_as_numpy_packs_it(tmp_path, way):
    """An entry may say that it is small, and become gigabytes in one step of these."""
    with pytest.raises(ValueError, match=r"a\.npy is neither stored nor deflated"):
        load_arrays(packed(tmp_path / "a.npz", way, "a.npy"), {"a"})


def test_what_was_not_asked_for_is_not_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("b.npy", b"no array")
    assert load_arrays(tmp_path / "a.npz", {"a"}) == {}
