"""Atomic files: they appear whole or not at all, and problems with the disk are one line."""

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.storage.files import reading, record_of, replacing, replacing_folder
from jvgn.storage.parquet import write_table
from jvgn.storage.shown_text import one_line
from parsers.errors import BrokenFile, UserError
from tests.long.faults.disks import may_mount, mount, small_disk

ROOT = Path(__file__).parents[3]
BYTES = 3_000_000


def contents(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep/a.txt"
    for content in ("first", "second"):
        with replacing(path) as temporary:
            temporary.write_text(content)
    with pytest.raises(KeyError), replacing(path) as temporary:
        temporary.write_text("half")
        raise KeyError
    assert contents(path.parent) == {"a.txt": "second"}


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep/folder"
    for content in ("first", "second"):
        with replacing_folder(path) as new:
            (new / "a").write_text(content)
            (new / "b").write_text(content)
    with pytest.raises(KeyError), replacing_folder(path) as new:
        (new / "a").write_text("half")
        raise KeyError
    assert contents(path) == {"a": "second", "b": "second"} and [*path.parent.iterdir()] == [path]


def test_a_new_file_never_stands_beside_the_record_of_an_old_one(tmp_path):
    path = tmp_path / "a.txt"
    record_of(path).write_text("{}")
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert record_of(path).exists()
    assert not record_of(path).exists()


def write_regions(path, noise):
    feature = noise.view(np.float16).reshape(-1, 10, 1000)
    with RegionWriter(path, 1000, "float16", {}) as writer:
        for image_id, rows in enumerate(feature):
            ones = np.ones(10, int)
            writer.append(image_id, Regions(np.ones((10, 4)), rows, score=ones, label=ones, object_id=ones))


def write_rows(path, noise):
    write_table(path, {"number": noise.view(np.int64)}, pa.schema([("number", pa.int64())]))


@pytest.fixture
def noise():
    """Bytes that do not compress."""
    return np.random.default_rng(0).integers(0, 256, BYTES, dtype=np.uint8)


@pytest.mark.skipif(not may_mount(), reason="only root may mount a small disk")
@pytest.mark.parametrize("size", [400_000, BYTES - 100_000])
@pytest.mark.parametrize(("write", "name"), [(write_regions, "regions.h5"), (write_rows, "table.parquet")])
def test_a_full_disk_is_one_line_and_nothing_is_left(tmp_path, noise, write, name, size):
    with small_disk(tmp_path / "disk"):
        mount("-o", f"remount,size={size}", tmp_path / "disk")
        with pytest.raises(UserError, match=rf"{name}: cannot be written \(No space left on device\); check the disk"):
            write(tmp_path / "disk" / name, noise)
        assert [*(tmp_path / "disk").iterdir()] == []


@pytest.mark.parametrize("error", [ValueError("no\nmore"), KeyError("a"), MemoryError(), OSError("truncated")])
def test_any_error_of_a_library_about_a_file_names_the_file(error):
    with pytest.raises(BrokenFile, match=r"^a\.bin: [^\n]+; get it again$"), reading("a.bin", "file", "get it again"):
        raise error


def test_a_missing_file_is_not_called_damaged():
    with pytest.raises(UserError, match=r"^a\.bin: no such file; "), reading("a.bin", "file"):
        raise FileNotFoundError


@pytest.mark.parametrize("error", [UserError("no such thing"), BrokenFile("a.jar", "not a readable jar")])
def test_an_error_keeps_its_message_across_processes(error):
    found = pickle.loads(pickle.dumps(error))
    assert isinstance(found, UserError) and str(found) == str(error)


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("a\nb\t c", "a b c"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("\u202eright to left", "\\u202eright to left"),
        ("café का", "café का"),
    ],
)
def test_a_message_is_one_line_and_cannot_control_a_terminal(message, line):
    assert one_line(message) == line
