"""Detectors that were trained elsewhere: used with what is known about their training images, and no more."""

import shutil

import numpy as np
import pytest

from jvgn.detector.given_weights import adopt_detector
from jvgn.detector.leakage_proof import prove_disjoint
from jvgn.detector.provenance import read_provenance
from jvgn.regions.hdf5_store import RegionStore
from jvgn.storage.files import sha256
from tests.jvgn.drawing import SETTINGS


@pytest.fixture
def given(trained, tmp_path):
    """Weights alone, without their provenance."""
    (tmp_path / "given").mkdir()
    return shutil.copy(trained[1], tmp_path / "given" / "weights.safetensors")


def adopt(output, **changes):
    settings = SETTINGS.model_copy(update={key: str(value) for key, value in changes.items()})
    adopt_detector(settings, output / "weights.safetensors", output / "provenance.json")
    return output / "provenance.json", settings


def test_an_adopted_detector_finds_the_same_regions(trained, given, tmp_path):
    data, weights = trained
    _, settings = adopt(tmp_path / "own", weights=given)
    own = data.extract(tmp_path / "own" / "weights.safetensors", "det", tmp_path / "own.h5", detector=settings)
    expected = data.extract(weights, "det", tmp_path / "expected.h5")
    for image_id in RegionStore(expected).image_ids:
        for name, value in vars(RegionStore(expected).read(image_id)).items():
            np.testing.assert_array_equal(getattr(RegionStore(own).read(image_id), name), value)


def test_training_images_of_given_weights_are_unknown(trained, given, tmp_path):
    provenance, _ = adopt(tmp_path / "own", weights=given)
    made = read_provenance(provenance)
    assert made.training_image_ids is None and made.given_sha256 == sha256(given)
    assert made.weights_sha256 == sha256(tmp_path / "own" / "weights.safetensors")
    assert prove_disjoint(provenance, [trained[0].expressions], tmp_path / "proof.json") == "unproven"


@pytest.mark.parametrize(("image_ids", "verdict"), [("10\n20\n", "proved"), ("20\n50\n", "leaking")])
def test_a_list_of_training_images_decides_the_verdict(trained, given, tmp_path, image_ids, verdict):
    (tmp_path / "seen.txt").write_text(image_ids)
    provenance, _ = adopt(tmp_path / "own", weights=given, training_images=tmp_path / "seen.txt")
    assert prove_disjoint(provenance, [trained[0].expressions], tmp_path / "proof.json", True) == verdict


def test_the_provenance_beside_the_weights_is_used(trained, tmp_path):
    provenance, _ = adopt(tmp_path / "own", weights=trained[1])
    assert read_provenance(provenance).training_image_ids == (10, 20, 30, 40)


def test_a_list_of_images_removes_none_of_the_provenance(trained, tmp_path):
    (tmp_path / "seen.txt").write_text("60\n20\n")
    provenance, _ = adopt(tmp_path / "own", weights=trained[1], training_images=tmp_path / "seen.txt")
    assert read_provenance(provenance).training_image_ids == (10, 20, 30, 40, 60)


def test_given_weights_that_started_from_unknown_images_prove_nothing(trained, given, tmp_path):
    (tmp_path / "seen.txt").write_text("10\n20\n")
    changes = {"weights": given, "training_images": tmp_path / "seen.txt", "pretrained_on": "unknown"}
    provenance, _ = adopt(tmp_path / "own", **changes)
    assert prove_disjoint(provenance, [trained[0].expressions], tmp_path / "proof.json") == "unproven"


def test_a_provenance_of_other_weights_is_not_used(trained, given, tmp_path):
    shutil.copy(trained[1].parent / "provenance.json", given.parent)
    given.write_bytes(given.read_bytes()[:-1] + b"\1")
    provenance, _ = adopt(tmp_path / "own", weights=given)
    assert read_provenance(provenance).training_image_ids is None
