"""The HDF5 file of regions: it reads as it was written, and is complete or missing."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from jvgn.regions import hdf5_store as store
from jvgn.regions.hdf5_store import Regions, RegionStore, RegionWriter

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


def test_the_file_says_what_made_it(path):
    expected = {"format": store.FORMAT, "feature_size": FEATURE_SIZE, "dataset": "drawn", "setting": "det"}
    assert RegionStore(path).info == expected


def test_equal_regions_make_equal_files(path, tmp_path):
    images = {3: make_regions(2, 0), 5: make_regions(0, 1), 900: make_regions(4, 2)}
    assert write(tmp_path / "again.h5", images).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("image_id", [7, 6])
def test_images_must_ascend(tmp_path, image_id):
    with (
        pytest.raises(ValueError, match="ascending"),
        RegionWriter(tmp_path / "regions.h5", FEATURE_SIZE, "float32", {}) as writer,
    ):
        writer.append(7, make_regions(1, 0))
        writer.append(image_id, make_regions(1, 0))


def test_a_store_is_opened_on_first_use_and_travels_without_its_handle(path):
    found = RegionStore(path)
    assert found._opened is None
    found.read(3)
    copy = pickle.loads(pickle.dumps(found))
    assert copy._opened is None
    np.testing.assert_array_equal(copy.read(900).box, found.read(900).box)
