"""Torchvision's published detectors: for pictures, and as a detector of the workflow."""

import numpy as np
import pytest
import torch
from torchvision.models import get_model_weights
from torchvision.models.detection import fasterrcnn_mobilenet_v3_large_fpn

from jvgn.detector.given_weights import adopt_detector
from jvgn.detector.interface import load_source
from jvgn.detector.leakage_proof import prove_disjoint
from jvgn.detector.provenance import read_provenance
from jvgn.detector.torchvision_coco import coco_categories, load_coco_detector
from jvgn.rules.category_words import SYNONYMS
from jvgn.rules.pretrained_scenes import MEGABYTES
from jvgn.settings.built_in_sources import BUILT_IN_SOURCES
from jvgn.settings.detector import COCO_MODELS, RegionSettings
from parsers.errors import UserError
from tests.jvgn.detector.published_weights import MODEL, SMALL, coco_settings, save_published


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    return save_published(tmp_path_factory.mktemp("published") / "weights.pth")


@pytest.fixture(scope="module")
def pixels():
    return np.random.default_rng(0).integers(0, 256, (60, 90, 3), dtype=np.uint8)


def test_boxes_names_and_scores_are_those_of_the_library(published, pixels):
    network = fasterrcnn_mobilenet_v3_large_fpn(weights=None, weights_backbone=None)
    network.load_state_dict(torch.load(published, weights_only=True))
    with torch.inference_mode():
        (expected,) = network.eval()([torch.from_numpy(pixels).permute(2, 0, 1) / 255])
    found = load_coco_detector(MODEL, published).detect(pixels)
    assert len(found.box_N4) > 0
    np.testing.assert_allclose(found.box_N4, expected["boxes"].numpy(), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(found.score_N, expected["scores"].numpy(), rtol=1e-4)
    names = get_model_weights(MODEL).COCO_V1.meta["categories"]
    assert found.names == tuple(names[label] for label in expected["labels"])


@pytest.mark.parametrize("model", COCO_MODELS)
def test_the_sources_are_those_that_the_library_publishes(model):
    weights = get_model_weights(model).COCO_V1
    source = BUILT_IN_SOURCES[model]
    assert source.mirrors == (weights.url,) and f"-{source.sha256}.pth" in weights.url
    assert MEGABYTES[model] == round(weights.meta["_file_size"] * 2**20 / 1e6)


def test_the_rules_know_all_names():
    names = {name for _, name in coco_categories(MODEL)} - {"N/A"}
    assert len(names) == 80 and names == set(SYNONYMS)


def test_weights_of_another_model_are_refused_in_one_line(published):
    with pytest.raises(UserError, match=r"weights\.pth: not the weights of torchvision's fasterrcnn_resnet50_fpn_v2;"):
        load_coco_detector("fasterrcnn_resnet50_fpn_v2", published)


@pytest.fixture(scope="module")
def adopted(published, tmp_path_factory):
    folder = tmp_path_factory.mktemp("adopted")
    settings = coco_settings(weights=str(published), **SMALL)
    adopt_detector(settings, folder / "weights.safetensors", folder / "provenance.json")
    return settings, folder


def test_as_a_detector_of_the_workflow_it_leaks(adopted, trained, tmp_path):
    _, folder = adopted
    assert read_provenance(folder / "provenance.json").saw_all_of == "COCO train2017"
    expressions = [trained[0].expressions]
    with pytest.raises(UserError, match="allow_leaking"):
        prove_disjoint(folder / "provenance.json", expressions, tmp_path / "proof.json")
    assert prove_disjoint(folder / "provenance.json", expressions, tmp_path / "proof.json", True) == "leaking"


def test_as_a_detector_of_the_workflow_it_has_features(adopted, pixels):
    settings, folder = adopted
    source = load_source(settings, folder / "weights.safetensors")
    image_3HW = torch.from_numpy(pixels).permute(2, 0, 1)
    (found,) = source.regions_of([image_3HW], RegionSettings())
    assert source.feature_size == found.feature.shape[1] == 1024 and len(found.box) > 0
    (again_ND,) = source.features_of([image_3HW], [found.box])
    torch.testing.assert_close(again_ND, found.feature)
    assert source.categories[0] == (1, "person")


def test_published_weights_are_at_their_place_unless_another_is_named():
    assert coco_settings().weights == f"resources/weights/{MODEL}.pth"
    assert coco_settings(weights="own.pth").weights == "own.pth"
