"""The regions of a dataset: all images, in order, with what the tables say about them."""

from itertools import chain

import numpy as np
import pytest

from jvgn.datasets.tables import OBJECTS
from jvgn.detector.images import read_image
from jvgn.detector.weights import load_detector
from jvgn.regions.extraction import Extractor, batch_by_size
from jvgn.regions.hdf5_store import RegionStore
from jvgn.regions.shards import WINDOW, RegionShard
from jvgn.settings.detector import RegionSettings
from jvgn.storage.files import sha256
from jvgn.storage.parquet import read_table
from parsers.errors import UserError
from tests.jvgn.drawing import CATEGORIES, SETTINGS


def test_gt_regions_are_the_annotations_in_their_order(trained, tmp_path):
    data, weights = trained
    store = RegionStore(data.extract(weights, "gt", tmp_path / "gt.h5"))
    objects = read_table(data.tables["objects"], OBJECTS).to_pandas()
    assert store.image_ids.tolist() == [10, 20, 30, 40, 50]
    for image_id in store.image_ids:
        own, found = objects[objects.image_id == image_id], store.read(image_id)
        np.testing.assert_array_equal(found.box, own[["x1", "y1", "x2", "y2"]])
        np.testing.assert_array_equal(found.label, own.category_id)
        np.testing.assert_array_equal(found.object_id, own.object_id)
        np.testing.assert_array_equal(found.score, 1)
        assert found.feature.dtype == np.float16


def test_det_regions_are_detections_with_the_datasets_categories(trained, tmp_path):
    data, weights = trained
    settings = RegionSettings(proposals=20, cap=4, batch_size=3, precision="float32")
    store = RegionStore(data.extract(weights, "det", tmp_path / "det.h5", settings=settings))
    assert store.image_ids.tolist() == [10, 20, 30, 40, 50]
    for image_id in store.image_ids:
        found = store.read(image_id)
        assert 1 <= len(found) <= 4
        assert set(found.label.tolist()) <= CATEGORIES.keys()
        assert (found.object_id == -1).all()
        assert found.feature.dtype == np.float32


def test_regions_do_not_depend_on_the_batch(trained, tmp_path):
    data, weights = trained
    settings = RegionSettings(proposals=20, precision="float32")
    store = RegionStore(data.extract(weights, "det", tmp_path / "det.h5", settings=settings))
    extractor = Extractor(load_detector(weights, settings.proposals), settings)
    (alone,) = extractor.regions_of([read_image(data.folder / "50.png")])
    for name, value in vars(alone).items():
        np.testing.assert_allclose(getattr(store.read(50), name), value, rtol=1e-3, atol=1e-4)


def test_the_file_says_what_made_it(trained, tmp_path):
    data, weights = trained
    info = RegionStore(data.extract(weights, "gt", tmp_path / "gt.h5")).info
    assert info["dataset"] == info["detector"] == "drawn"
    assert info["setting"] == "gt"
    assert info["detector_sha256"] == sha256(weights)
    assert RegionSettings.model_validate_json(info["settings"]) == RegionSettings(proposals=20, batch_size=2)


def test_batches_hold_images_of_one_size_and_stay_within_their_window():
    sizes = [(4, 3) if index % 3 else (3, 4) for index in range(100)]
    windows = RegionShard().windows(100, 2 * WINDOW)
    batches = [batch_by_size(sizes, window, batch_size=2) for window in windows]
    assert sorted(chain(*chain(*batches))) == list(range(100))
    for window, own in zip(windows, batches, strict=True):
        assert set(chain(*own)) == set(window)
        assert all(len({sizes[index] for index in batch}) == 1 for batch in own)


def test_weights_that_are_not_the_provenances_are_refused(trained, drawn, tmp_path):
    other = drawn.train(tmp_path / "detector", SETTINGS.model_copy(update={"seed": 5}))
    with pytest.raises(UserError, match="SHA-256"):
        trained[0].extract(trained[1], "gt", tmp_path / "gt.h5", provenance=other.parent / "provenance.json")
