"""The verdict on a detector's training images."""

import json
from pathlib import Path

import pytest

from jvgn.detector.leakage_proof import prove_disjoint
from jvgn.detector.provenance import COCO_TRAIN2017, Provenance, write_provenance
from parsers.errors import UserError
from tests.jvgn.drawing import SETTINGS, write_expressions


def write(path: Path, training_image_ids: tuple[int, ...] | None, detector=SETTINGS, saw_all_of=None) -> Path:
    made = Provenance(
        detector=detector,
        saw_all_of=saw_all_of,
        seed=0,
        categories=((1, "disc"),),
        training_image_ids=training_image_ids,
        weights_sha256="abc",
        pretrained_sha256=None,
        tables={},
        versions={},
    )
    write_provenance(path, made)
    return path


@pytest.fixture
def expressions(tmp_path) -> list[Path]:
    return [
        write_expressions(tmp_path / "refcoco" / "expressions.parquet", {1: "train", 2: "val", 3: "testA"}),
        write_expressions(tmp_path / "refcocog" / "expressions.parquet", {1: "train", 3: "train", 4: "test"}),
    ]


CASES = {
    "proved": ((1, 8, 9), []),
    "leaking": ((1, 3, 4, 9), [3, 4]),
    "unproven": (None, []),
}


@pytest.mark.parametrize("verdict", CASES)
def test_the_verdict_follows_from_the_training_images(tmp_path, expressions, verdict):
    training_image_ids, leaked = CASES[verdict]
    provenance, output = write(tmp_path / "provenance.json", training_image_ids), tmp_path / "proof.json"
    assert prove_disjoint(provenance, expressions, output, allow_leaking=True) == verdict
    assert json.loads(output.read_text()) == {
        "verdict": verdict,
        "training_images": len(training_image_ids) if training_image_ids else None,
        "evaluation_images": 3,
        "saw_all_of": None,
        "leaked_image_ids": leaked,
        "datasets": ["refcoco", "refcocog"],
        "detector_sha256": "abc",
    }


def test_an_empty_list_of_training_images_proves_nothing(tmp_path, expressions):
    provenance = write(tmp_path / "provenance.json", ())
    assert prove_disjoint(provenance, expressions, tmp_path / "proof.json") == "unproven"


@pytest.mark.parametrize(("split", "image_id"), [("val", 2), ("testA", 3), ("test", 4)])
def test_one_image_of_any_evaluation_split_of_any_dataset_makes_the_proof_fail(tmp_path, expressions, split, image_id):
    provenance = write(tmp_path / "provenance.json", (1, 8, image_id))
    with pytest.raises(UserError, match=rf"trained on 1 evaluation images \({image_id}\)"):
        prove_disjoint(provenance, expressions, tmp_path / "proof.json")


def test_a_detector_of_all_of_coco_leaks_every_evaluation_image(tmp_path, expressions):
    provenance = write(tmp_path / "provenance.json", None, saw_all_of=COCO_TRAIN2017)
    with pytest.raises(UserError, match=r"all of COCO train2017, and so on 3 evaluation images \(2, 3, 4\)"):
        prove_disjoint(provenance, expressions, tmp_path / "proof.json")
    assert prove_disjoint(provenance, expressions, tmp_path / "proof.json", allow_leaking=True) == "leaking"
    assert json.loads((tmp_path / "proof.json").read_text())["leaked_image_ids"] == [2, 3, 4]


@pytest.mark.parametrize(("pretrained_on", "verdict"), [("imagenet", "proved"), ("unknown", "unproven")])
def test_weights_from_unknown_images_prove_nothing(tmp_path, expressions, pretrained_on, verdict):
    settings = SETTINGS.model_copy(update={"pretrained": "resnet101.pth", "pretrained_on": pretrained_on})
    provenance = write(tmp_path / "provenance.json", (1, 8), settings)
    assert prove_disjoint(provenance, expressions, tmp_path / "proof.json") == verdict


def test_a_trained_detector_is_proved_disjoint(trained, tmp_path):
    data, weights = trained
    assert prove_disjoint(weights.parent / "provenance.json", [data.expressions], tmp_path / "proof.json") == "proved"
