"""Detectors of transformers, on small models built from configurations; and the names that are no detectors."""

import subprocess
import sys

import numpy as np
import pytest
import torch
import transformers

from jvgn.detector.transformers_backend import LOWEST_SCORE, load_transformer
from parsers.errors import UserError
from tests.jvgn.detector.tiny_transformers import CLOSED, OPEN, saved

PHRASES = ["red dog", "zebra", "person in shirt"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    parent = tmp_path_factory.mktemp("models")
    return {kind: str(saved(kind, parent)) for kind in CLOSED | OPEN}


@pytest.fixture(scope="module")
def pixels():
    return np.random.default_rng(0).integers(0, 256, (60, 90, 3), dtype=np.uint8)


@pytest.mark.parametrize("kind", CLOSED)
def test_boxes_names_and_scores_are_those_of_the_library(folders, pixels, kind):
    processor = transformers.AutoImageProcessor.from_pretrained(folders[kind])
    model = transformers.AutoModelForObjectDetection.from_pretrained(folders[kind]).eval()
    with torch.inference_mode():
        outputs = model(**processor(images=pixels, return_tensors="pt"))
    (expected,) = processor.post_process_object_detection(outputs, threshold=LOWEST_SCORE, target_sizes=[(60, 90)])
    found = load_transformer(folders[kind]).detect(pixels)
    assert len(found.box_N4) > 0
    np.testing.assert_array_equal(found.box_N4, expected["boxes"].numpy())
    np.testing.assert_array_equal(found.score_N, expected["scores"].numpy())
    known = {0: "person", 1: "couch", 2: "dog"}  # the model calls a couch a sofa
    assert found.names == tuple(known[label] for label in expected["labels"].tolist())


@pytest.mark.parametrize("kind", OPEN)
def test_boxes_for_phrases_are_those_of_the_library(folders, pixels, kind):
    processor = transformers.AutoProcessor.from_pretrained(folders[kind])
    model = transformers.AutoModelForZeroShotObjectDetection.from_pretrained(folders[kind]).eval()
    with torch.inference_mode():
        inputs = processor(images=pixels, text=[PHRASES], return_tensors="pt")
        outputs = model(**inputs)
    (expected,) = processor.post_process_grounded_object_detection(outputs, threshold=-1, target_sizes=[(60, 90)])
    detector = load_transformer(folders[kind])
    found = detector.search(pixels, PHRASES)
    np.testing.assert_array_equal(found.box_N4, expected["boxes"].numpy())
    assert detector.threshold == {"grounding_dino": 0.25, "owlv2": 0.1}[kind]
    if kind == "owlv2":
        np.testing.assert_array_equal(found.score_QN.max(axis=0), expected["scores"].numpy())
        return
    words = processor.tokenizer.convert_ids_to_tokens(inputs["input_ids"][0])
    assert words == ["[CLS]", "red", "dog", ".", "zebra", ".", "person", "in", "shirt", ".", "[SEP]"]
    score_NT = outputs.logits[0].sigmoid().numpy()
    of_phrases = [score_NT[:, 1:3], score_NT[:, 4:5], score_NT[:, 6:9]]
    np.testing.assert_array_equal(found.score_QN, [score_NT.max(axis=1) for score_NT in of_phrases])


@pytest.mark.parametrize("kind", OPEN)
def test_a_full_stop_in_a_phrase_does_not_end_it(folders, pixels, kind):
    detector = load_transformer(folders[kind])
    with_stop, without = (
        detector.search(pixels, phrases) for phrases in (["red. dog", "zebra"], ["red  dog", "zebra"])
    )
    np.testing.assert_array_equal(with_stop.score_QN, without.score_QN)


def test_a_sentence_that_is_too_long_for_a_model_is_one_line(folders, pixels):
    with pytest.raises(UserError, match="shorten it"):
        load_transformer(folders["grounding_dino"]).search(pixels, ["red dog"] * 40)
    found = load_transformer(folders["owlv2"]).search(pixels, ["red dog " * 40])
    assert found.score_QN.shape[0] == 1


def test_a_name_that_is_no_detector_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    transformers.BertConfig().save_pretrained(tmp_path / "bert")
    (tmp_path / "empty").mkdir()
    for name, problem in [
        (str(tmp_path / "bert"), "a model of kind bert detects no objects"),
        (str(tmp_path / "empty"), "not the folder of a detector"),
        ("nobody/nothing", "check the spelling and the network"),
        ("no such name", "check the spelling and the network"),
    ]:
        with pytest.raises(UserError) as error:
            load_transformer(name)
        assert name in str(error.value) and problem in str(error.value) and "\n" not in str(error.value)


def test_transformers_is_loaded_only_for_its_models():
    code = "import sys, jvgn.cli, jvgn.grounding.rule_grounder; sys.exit('transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
