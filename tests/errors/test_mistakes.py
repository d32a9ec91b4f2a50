"""Mistakes that users make: one line that names the path or key and says what to do, and nothing is lost."""

import hashlib
import pickle
import shlex
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from tests.errors.mistakes import (
    chosen,
    configured,
    copied,
    cut_features,
    deleted,
    folder_at,
    picture,
    regions,
    renumber_last,
    rows,
    written,
)
from tests.errors.project import (
    DATASET,
    DETECTION_SETTINGS,
    DETECTOR,
    EXCLUDED,
    EXPRESSIONS,
    EXTRACT,
    FIGURE,
    GALLERY,
    IMAGES,
    PICTURE,
    PREDICT,
    READ_DATASET,
    REGION_SETTINGS,
    REGIONS,
    RUN,
    TINY,
    TRAIN,
    TRAIN_DETECTOR,
    WORDS,
)
from tests.snakemake_process import snakemake

ROOT = Path(__file__).parents[2]
FIRST = f"{IMAGES}/shapes_000001.jpg"
ANSWERS = {"format": "1", "survey": "s", "rater": "Ann", "answers": {"1": 4}}
KEY = {"survey": "s", "seed": 0, "examples": {"1": {"model": "ours", "image": "1.jpg", "sentence": "star"}}}
ANNOTATIONS = {
    "images": [{"id": 5, "file_name": "five.jpg", "width": 40, "height": 30}],
    "annotations": [{"id": 21, "image_id": 5, "category_id": 2, "bbox": [1, 2, 10, 20]}],
    "categories": [{"id": 2, "name": "dog"}],
}
OWN_DATA = {"annotations": "annotations.json", "expressions": "own.csv", "images": "pictures"}
READ_CUSTOM = "read-custom --settings own.yaml --output results/datasets/own"
GIVEN = {"source": "precomputed", "format": "npz", "detections": "features"}
IMPORT = (
    f"import-regions det --settings {REGION_SETTINGS} --detector given.yaml --dataset {DATASET} --output regions.h5"
    " --name shapes given"
)
ONLY_TRAIN = rows(EXPRESSIONS, lambda table: table.assign(split="train"))


def own_data(table, annotations=ANNOTATIONS, **values):
    """Return the actions that put a dataset of the user's own into the project."""
    settings = written("own.yaml", OWN_DATA | values)
    return [written("annotations.json", annotations), settings, written("own.csv", table), folder_at("pictures")]


def adopted(**values):
    settings = chosen("given.yaml", **{**TINY, "weights": "given.safetensors"} | values)
    return [copied(f"{DETECTOR}/weights.safetensors", "given.safetensors"), settings]


ADOPT = "adopt-detector --settings given.yaml --weights weights.safetensors --provenance provenance.json"

CASES = {
    # Any command
    "an output is a folder": ("schema results", "results"),
    "an output is a device": ("schema /dev/null", "/dev/null"),
    "an output is an input": (f"exclude-images --output {EXPRESSIONS} {EXPRESSIONS}", EXPRESSIONS),
    # Configuration
    "a bracket is missing": ("plan shapes_gt", "config.yaml", written("config.yaml", "shapes: {train: 3")),
    "a number that YAML reads as text": (
        "plan shapes_gt",
        "5e-3",
        written("config.yaml", "datasets: {}\ndetectors: {tiny: {learning_rate: 5e-3}}\nvocabularies: {}"),
    ),
    "an unknown dataset": ("plan refcoco_gt", "refcoco"),
    "an unknown run": ("plan shapes_gt --run wide", "wide"),
    "settings without quotes": ("freeze run '{detector: tiny}' settings.yaml", "run"),
    # Downloads
    "an unknown source": ("fetch refcocoh", "refcocoh"),
    # Datasets
    "REFER's pickle would run code": (
        READ_DATASET,
        "refs(jvgn).p",
        written("resources/shapes/refs(jvgn).p", pickle.dumps(print)),
    ),
    "a world would replace the user's pictures": (
        "world --settings results/world.yaml --folder resources/shapes",
        "mine.jpg",
        written(f"{IMAGES}/mine.jpg", ""),
    ),
    "own data without a column": (READ_CUSTOM, "own.csv", *own_data("image_id,text\n5,the dog\n")),
    # Detector and regions
    "pretrained weights are of another network": (
        TRAIN_DETECTOR,
        "given.safetensors",
        copied(f"{RUN}/model.safetensors", "given.safetensors"),
        chosen(f"{DETECTOR}/settings.yaml", pretrained="given.safetensors"),
    ),
    "no image is left to train on": (
        TRAIN_DETECTOR,
        EXCLUDED,
        rows(
            EXCLUDED,
            lambda table: table.iloc[[0] * 5].assign(image_id=range(1, 6)),
        ),
    ),
    "an image is missing": (EXTRACT, FIRST, deleted(FIRST)),
    "weights are of another detector": (EXTRACT, DETECTOR, chosen(f"{DETECTOR}/settings.yaml", long_side=120)),
    "given weights do not fit the settings": (ADOPT, "given.safetensors", *adopted(anchor_sizes=[16, 32])),
    "regions of an unknown image": (f"regions show {REGIONS} photo.jpg", "photo.jpg"),
    "precomputed features are missing": (IMPORT, "features", chosen("given.yaml", **GIVEN)),
    # Parsing
    "an unknown parser": (f"parse --backend oracle {EXPRESSIONS} n e c", "oracle"),
    "a parse is not CoNLL-U": (
        "graph 'a dog' --backend conllu --option parses=a.conllu",
        "a.conllu",
        written("a.conllu", "1 a dog"),
    ),
    "CoreNLP is missing": ("graph 'a dog' --backend corenlp --option folder=nowhere", "nowhere"),
    "an empty sentence": ("graph ' '", "sentence"),
    # Vocabulary and training
    "no validation split": (TRAIN, "val", ONLY_TRAIN),
    "regions of another dataset": (TRAIN, REGIONS, regions(REGIONS, renumber_last)),
    "a learning rate is too high": (
        TRAIN,
        "learning_rate",
        chosen(f"{RUN}/settings.yaml", training={"learning_rate": 1e30, "epochs": 3}),
    ),
    # Evaluation
    "the model is another file": (
        PREDICT,
        f"{RUN}/model.safetensors",
        copied(f"{DETECTOR}/weights.safetensors", f"{RUN}/model.safetensors"),
    ),
    "the model has another vocabulary": (PREDICT, f"{RUN}/model.safetensors", rows(WORDS, lambda table: table[:-1])),
    "the model has other features": (PREDICT, f"{RUN}/model.safetensors", regions(REGIONS, cut_features)),
    "no split to evaluate on": (GALLERY, "train", ONLY_TRAIN),
    "a figure of an unknown format": (
        f"figures learning --history {RUN}/history.parquet {FIGURE} --figure figure.pdf",
        "figure.pdf",
    ),
    # Grounding, explorer and survey
    "a picture is truncated": (
        f"ground photo.png star --run {RUN}",
        "photo.png",
        written("photo.png", picture(60, 40)[:45]),
    ),
    "an answer would replace the picture": (
        f"ground photo.png star --run {RUN} --output photo.png",
        "photo.png",
        written("photo.png", picture(60, 40)),
    ),
    "an unknown folder of a run": (f"ground {PICTURE} star --run results/shapes_dt", RUN),
    "nothing is asked": (f"ground {PICTURE} --run {RUN}", "expression"),
    "a table of questions without a column": (
        f"ground --csv questions.csv --run {RUN}",
        "questions.csv",
        written("questions.csv", "image,sentence\nphoto.png,star\n"),
    ),
    "a run without detections": (
        f"ground photo.png star --run {RUN}",
        DETECTION_SETTINGS,
        written("photo.png", picture(60, 40)),
        deleted(DETECTION_SETTINGS),
    ),
    "an unknown expression": (f"show {RUN} 999", "999"),
    "an unknown folder of images": (f"explore {RUN} --images nowhere", "nowhere"),
    "answers to another survey": (
        "survey tally answers.json --key key.json",
        "answers.json",
        written("key.json", KEY),
        written("answers.json", ANSWERS | {"survey": "t"}),
    ),
}


def snapshot():
    return {
        path: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in Path().rglob("*")
        if path.is_file() and not path.name.endswith(".state.pt") and path.name != "training_state.pt"
    }


def check_error(ran, named, before):
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    errors = [line for line in ran.stderr.splitlines() if line.startswith("Error: ")]
    assert ran.exit_code == 1 and len(errors) == 1 and "Traceback" not in ran.stderr, ran.output
    assert named in errors[0]
    assert any(sign in errors[0] for sign in (";", "expected", "should be")), errors[0]
    after = snapshot()
    assert {path: after.get(path) for path in before} == before


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_is_one_line_with_a_cure_and_nothing_is_lost(project, case):
    command, named, *mistakes = CASES[case]
    for make in mistakes:
        make()
    before = snapshot()
    check_error(CliRunner().invoke(main, shlex.split(command)), named, before)


def test_a_port_that_is_taken_is_one_line(project):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        check_error(CliRunner().invoke(main, ["explore", RUN, "--port", str(port)]), f"--port {port}", snapshot())


def test_a_full_standard_output_is_one_line():
    command = [Path(sys.executable).with_name("jvgn"), "--help"]
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 1 and ran.stderr.startswith("Error: ") and ran.stderr.count("\n") == 1, ran.stderr


OWN_RUN = {"detector": "given", "vocabulary": "small"}
WITHOUT_IMAGES = configured(
    datasets={"own": {"annotations": "annotations.json", "expressions": "own.csv", "run": OWN_RUN}},
    detectors={"given": GIVEN},
)
WORKFLOW = {
    "a bracket is missing": ("demo", "config.yaml", written("config.yaml", "shapes: {train: 3")),
    "an unknown key": ("demo", "shape", configured(shape={})),
    "an unknown run": ("results/shapes_gt/runs/wide/metrics.json", "wide"),
    "a gallery without images": ("results/own_det/gallery/index.html", "datasets.own: has no images", WITHOUT_IMAGES),
}


@pytest.mark.parametrize("case", WORKFLOW)
def test_a_mistake_in_the_workflow_is_named_without_a_traceback(project, case):
    target, named, *mistakes = WORKFLOW[case]
    for make in mistakes:
        make()
    ran = snakemake(ROOT, "--cores", "1", "--directory", str(project), "--", target)
    assert ran.returncode == 1 and named in ran.stderr, ran.stderr
    assert "Traceback" not in ran.stderr and "Job stats" not in ran.stderr
