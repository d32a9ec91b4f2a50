"""The HDF5 file of regions: what is written is read, and nothing is half there."""

import pickle
from pathlib import Path

import h5py
import numpy as np
import pytest

from jvgn.regions import store
from jvgn.regions.store import Regions, RegionStore, RegionWriter
from parsers.errors import BrokenFile, UserError

FEATURE_SIZE = 6


def make_regions(count: int, seed: int, precision: str = "float32") -> Regions:
    random = np.random.default_rng(seed)
    return Regions(
        box=random.random((count, 4), np.float32),
        feature=random.random((count, FEATURE_SIZE), np.float32).astype(precision),
        score=random.random(count, np.float32),
        label=random.integers(0, 90, count, np.int32),
        object_id=random.integers(-1, 2**40, count),
    )


def write(path: Path, images: dict[int, Regions], precision="float32") -> Path:
    with RegionWriter(path, FEATURE_SIZE, precision, {"dataset": "drawn", "setting": "det"}) as writer:
        for image_id, regions in images.items():
            writer.append(image_id, regions)
    return path


@pytest.fixture
def path(tmp_path) -> Path:
    return write(tmp_path / "regions.h5", {3: make_regions(2, 0), 5: make_regions(0, 1), 900: make_regions(4, 2)})


@pytest.mark.parametrize("precision", ["float16", "float32"])
@pytest.mark.parametrize("buffered", [1, 5, 10**6])
def test_every_image_is_read_as_it_was_written(tmp_path, monkeypatch, precision, buffered):
    monkeypatch.setattr(store, "BUFFERED_ROWS", buffered)
    images = {image_id: make_regions(image_id % 4, image_id, precision) for image_id in range(1, 30, 3)}
    found = RegionStore(write(tmp_path / "regions.h5", images, precision))
    assert found.image_ids.tolist() == list(images)
    assert found.feature_size == FEATURE_SIZE
    for image_id in reversed(images):
        for name, expected in vars(images[image_id]).items():
            read = getattr(found.read(image_id), name)
            assert read.dtype == expected.dtype
            np.testing.assert_array_equal(read, expected)


def test_a_file_without_images_is_read(tmp_path):
    assert len(RegionStore(write(tmp_path / "regions.h5", {})).image_ids) == 0


def test_the_file_says_what_made_it(path):
    expected = {"format": store.FORMAT, "feature_size": FEATURE_SIZE, "dataset": "drawn", "setting": "det"}
    assert RegionStore(path).info == expected


def test_equal_regions_make_equal_files(path, tmp_path):
    images = {3: make_regions(2, 0), 5: make_regions(0, 1), 900: make_regions(4, 2)}
    assert write(tmp_path / "again.h5", images).read_bytes() == path.read_bytes()


def test_rows_reach_the_disk_before_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "BUFFERED_ROWS", 4)
    with RegionWriter(tmp_path / "regions.h5", FEATURE_SIZE, "float32", {}) as writer:
        writer.append(1, make_regions(4, 0))
        assert len(writer._file["box"]) == 4
        assert not (tmp_path / "regions.h5").exists()


def test_an_error_leaves_nothing_behind(tmp_path):
    with pytest.raises(ZeroDivisionError), RegionWriter(tmp_path / "r.h5", FEATURE_SIZE, "float32", {}) as writer:
        writer.append(1, make_regions(3, 0))
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_the_earlier_file(path):
    before = path.read_bytes()
    with pytest.raises(ZeroDivisionError), RegionWriter(path, FEATURE_SIZE, "float32", {}):
        raise ZeroDivisionError
    assert path.read_bytes() == before


@pytest.mark.parametrize("image_id", [7, 6])
def test_images_must_ascend(tmp_path, image_id):
    with (
        pytest.raises(ValueError, match="ascending"),
        RegionWriter(tmp_path / "regions.h5", FEATURE_SIZE, "float32", {}) as writer,
    ):
        writer.append(7, make_regions(1, 0))
        writer.append(image_id, make_regions(1, 0))


@pytest.mark.parametrize("image_id", [0, 4, 901])
def test_an_unknown_image_is_named(path, image_id):
    with pytest.raises(UserError, match=f"no image {image_id};"):
        RegionStore(path).read(image_id)


def test_a_store_is_opened_on_first_use_and_travels_without_its_handle(path):
    found = RegionStore(path)
    assert found._opened is None
    found.read(3)
    copy = pickle.loads(pickle.dumps(found))
    assert copy._opened is None
    np.testing.assert_array_equal(copy.read(900).box, found.read(900).box)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def scribble(path: Path) -> None:
    path.write_text("image_id,box\n")


def change_format(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file.attrs["format"] = "0"


def remove_scores(path: Path) -> None:
    with h5py.File(path, "a") as file:
        del file["score"]


def shorten_labels(path: Path) -> None:
    with h5py.File(path, "a") as file:
        file["label"].resize(5, axis=0)


BROKEN = {
    cut: "not a readable HDF5 file",
    scribble: "not a readable HDF5 file",
    change_format: "expected regions of format version 1, found 0",
    remove_scores: "holds no score",
    shorten_labels: "expected 6 rows of label, found 5",
    Path.unlink: "there is no such file",
}


@pytest.mark.parametrize("damage", BROKEN, ids=lambda damage: damage.__name__)
def test_a_broken_file_is_named_with_its_problem(path, damage):
    damage(path)
    with pytest.raises(BrokenFile, match=BROKEN[damage]) as error:
        RegionStore(path).read(3)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
