"""`jvgn ground` and `jvgn evaluate` with pretrained detectors: downloads, names, and one line for each mistake."""

import hashlib
import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from PIL import Image

from jvgn import RuleGrounder
from jvgn.cli import main
from jvgn.detector.torchvision_coco import load_coco_detector
from jvgn.rules.given_regions import GivenRegions
from tests.jvgn.detector.published_weights import MODEL, save_published
from tests.jvgn.detector.tiny_transformers import saved
from tests.jvgn.downloads.server import running_server

CONFIG = yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text())
WEIGHTS = Path(f"resources/weights/{MODEL}.pth")
DEFAULT = "fasterrcnn_resnet50_fpn_v2"


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return save_published(tmp_path_factory.mktemp("weights") / f"{MODEL}-00000000.pth")


@pytest.fixture(scope="module")
def pixels():
    return np.random.default_rng(0).integers(0, 256, (60, 90, 3), dtype=np.uint8)


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch, pixels):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    Image.fromarray(pixels).save("photo.png")


def configure(model, *mirrors, **more):
    source = {"mirrors": list(mirrors), **more}
    downloads = {"tries": 1, "wait": 0, "timeout": 60}
    Path("config.yaml").write_text(yaml.safe_dump(CONFIG | {"sources": {model: source}, "downloads": downloads}))


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def regions_of(found):
    (result,) = json.loads(found.stdout)["results"]
    return np.array(result["regions"], dtype=np.float32)


def test_missing_weights_are_downloaded_once_and_named(weights, pixels, caplog):
    caplog.set_level("INFO")
    with running_server() as server:
        digest = hashlib.sha256(weights.read_bytes()).hexdigest()
        configure(MODEL, server.serve("weights.pth", weights), sha256=digest[:8])
        found = run("ground", "photo.png", "a dog", "--detector", MODEL, "--json", "-")
        assert found.exit_code == 0, found.stderr
        assert "78 MB" in caplog.text and f"regions: torchvision-coco ({MODEL})" in found.stderr
        again = run("ground", "photo.png", "a dog", "--json", "-")  # the best detector that is there
        assert again.exit_code == 0 and f"torchvision-coco ({MODEL})" in again.stderr
        assert len(server.asked) == 1
    expected = load_coco_detector(MODEL, weights).detect(pixels)
    for one in (found, again):
        assert len(regions_of(one)) > 0
        assert all((np.abs(expected.box_N4 - box).max(axis=1) < 0.01).any() for box in regions_of(one))
    assert WEIGHTS.exists()


def test_a_local_file_of_weights_is_used(weights):
    found = run("ground", "photo.png", "a dog", "--detector", weights, "--json", "-")
    assert found.exit_code == 0 and not WEIGHTS.exists()


def test_the_picture_is_drawn_and_several_questions_are_answered(weights, tmp_path):
    WEIGHTS.parent.mkdir(parents=True)
    WEIGHTS.symlink_to(weights)
    found = run("ground", "photo.png", "a dog")
    assert found.exit_code == 0 and (tmp_path / "photo.grounding.png").exists()
    (tmp_path / "asked.csv").write_text("image,expression\nphoto.png,a dog\nnone.png,a dog\nphoto.png,the left man\n")
    found = run("ground", "--csv", "asked.csv", "--json", "-")
    answered = json.loads(found.stdout)
    assert [one["question"] for one in answered["results"]] == [0, 2] and found.exit_code == 1
    assert [one["question"] for one in answered["errors"]] == [1]


@pytest.mark.parametrize("kind", ["detr", "grounding_dino"])
def test_a_folder_of_transformers_is_a_detector(tmp_path, kind):
    folder = saved(kind, tmp_path)
    found = run("ground", "photo.png", "a red dog", "--detector", folder, "--json", "-")
    assert found.exit_code == 0, found.stderr
    assert str(folder) in found.stderr
    answered = RuleGrounder.pretrained(str(folder)).ground("photo.png", "a red dog")
    (result,) = json.loads(found.stdout)["results"]
    assert [one.region for one in answered] == [node["region"] for node in result["nodes"]]


def test_without_network_one_line_says_what_to_do():
    configure(DEFAULT, "http://127.0.0.1:9/weights.pth")
    found = run("ground", "photo.png", "a dog")
    assert found.exit_code == 1 and found.stdout == ""
    line = found.stderr.strip().splitlines()[-1]
    assert "175 MB" in line and f"jvgn fetch {DEFAULT}" in line and "--annotations" in line


def test_a_missing_extra_is_one_line(monkeypatch):
    monkeypatch.delitem(sys.modules, "jvgn.detector.transformers_backend", raising=False)
    monkeypatch.setitem(sys.modules, "transformers", None)
    found = run("ground", "photo.png", "a dog", "--detector", "PekingU/rtdetr_r50vd")
    assert found.exit_code == 1 and "Traceback" not in found.output
    assert "pip install transformers" in found.stderr.strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--detector", "nobody/nothing"], "nobody/nothing"),
        (["--detector", "torchvision-coco", "--annotations", "regions.json"], "--annotations"),
        (["--detector", "torchvision-coco", "--run", "results/x"], "--run"),
        (["--detections", "results.json"], "--annotations"),
        (["--detector", f"{MODEL}.pth"], "no such file"),
    ],
)
def test_a_mistake_with_detectors_is_one_line(arguments, named):
    found = run("ground", "photo.png", "a dog", *arguments)
    assert found.exit_code == 1 and "Traceback" not in found.output
    assert named in found.stderr.strip().splitlines()[-1]


def test_no_detector_is_loaded_if_no_question_can_be_answered():
    configure(DEFAULT, "http://127.0.0.1:9/weights.pth")
    found = run("ground", "none.png", "a dog")
    assert "no such image" in found.stderr and "MB" not in found.stderr


PHOTO = {
    "images": [{"id": 1, "file_name": "photo.png", "width": 90, "height": 60}],
    "annotations": [{"id": 5, "image_id": 1, "category_id": 18, "bbox": [10, 10, 40, 40]}],
    "categories": [{"id": 18, "name": "dog"}],
}


def test_a_detector_is_evaluated_with_a_warning(weights):
    Path("annotations.json").write_text(json.dumps(PHOTO))
    asked = {"image_id": 1, "file_name": "photo.png", "expression": "the dog", "referent": 5, "kind": ["attribute"]}
    Path("asked.jsonl").write_text(json.dumps(asked))
    files = ["--images", ".", "--annotations", "annotations.json", "--expressions", "asked.jsonl"]
    found = run("evaluate", *files, "--detector", weights, "--json", "-")
    assert found.exit_code == 0, found.stderr
    assert json.loads(found.stdout)["n"] == 1 and json.loads(found.stdout)["regions"] == str(weights)
    assert "trained on these images" in found.stderr


def test_with_given_regions_an_expression_takes_less_than_a_tenth_of_a_second():
    Path("annotations.json").write_text(json.dumps(PHOTO))
    grounder = RuleGrounder(finder=GivenRegions.read(Path("annotations.json")))
    grounder.ground("photo.png", "the dog")  # loads the parser's lexicon
    taken = []
    for _ in range(5):
        begin = time.perf_counter()
        grounder.ground("photo.png", "the black dog left of the man who is holding a red umbrella")
        taken.append(time.perf_counter() - begin)
    assert min(taken) < 0.1
