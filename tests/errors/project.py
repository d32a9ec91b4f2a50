"""A finished project of five images: its settings, and the commands that make it. Tests damage a copy of it.

Paths are those of the workflow, relative to the folder of the project.
"""

import shlex
from contextlib import chdir
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.storage.files import RECORD

DATASET = "results/datasets/shapes"
EXPRESSIONS = f"{DATASET}/expressions.parquet"
IMAGES = "resources/shapes/images"
PICTURE = f"{IMAGES}/shapes_000004.jpg"
EVALUATION = "results/evaluation.yaml"
DETECTOR = "results/detectors/shapes/tiny"
EXCLUDED = "results/detectors/shapes/excluded.parquet"
REGIONS = "results/regions/shapes_gt/tiny.h5"
SHARD = "results/regions/shapes_gt/tiny/1-of-1.h5"
REGION_SETTINGS = "results/regions/shapes_gt/settings.yaml"
DETECTION_SETTINGS = "results/regions/shapes_det/settings.yaml"
GRAPHS = "results/graphs/shapes/lexical"
NODES, EDGES = f"{GRAPHS}/nodes.parquet", f"{GRAPHS}/edges.parquet"
WORDS, VECTORS = "results/vocabulary/shapes/small/words.parquet", "results/vocabulary/shapes/small/vectors.npy"
VOCABULARY_SETTINGS = "results/vocabulary/shapes/small/settings.yaml"
RUN = "results/shapes_gt"
PREDICTIONS = f"{RUN}/predictions.parquet"
UNMARGINALISED = f"{RUN}/runs/unmarginalised"

TINY = {
    "backbone": "tiny",
    "short_side": 72,
    "long_side": 96,
    "anchor_sizes": [16],
    "anchor_ratios": [1.0],
    "proposals": 8,
    "test_proposals": 8,
    "epochs": 1,
}
SMALL_RUN: dict[str, Any] = {
    "detector": "tiny",
    "vocabulary": "small",
    "model": {"spatial_size": 4, "hidden_size": 4, "layers": 1},
    "training": {"epochs": 1},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "config.yaml": {
        "datasets": {
            "shapes": {
                "folder": "resources/shapes",
                "split_by": "jvgn",
                "images": IMAGES,
                "run": {"detector": "tiny", "vocabulary": "small"},
            }
        },
        "detectors": {"tiny": TINY},
        "vocabularies": {"small": {"vector_size": 4}},
    },
    "results/world.yaml": {"train": 2, "val": 1, "test": 1, "adv": 1, "expressions_per_image": 2},
    EVALUATION: {},
    f"{DETECTOR}/settings.yaml": TINY,
    REGION_SETTINGS: {},
    DETECTION_SETTINGS: {"cap": 4},
    f"{GRAPHS}/settings.yaml": {"backend": "lexical"},
    VOCABULARY_SETTINGS: {"vector_size": 4},
    f"{RUN}/settings.yaml": SMALL_RUN,
    f"{UNMARGINALISED}/settings.yaml": SMALL_RUN | {"training": {"epochs": 1, "marginalise": False}},
}

INPUTS = f"--dataset {DATASET} --regions {REGIONS} --nodes {NODES} --edges {EDGES} --words {WORDS} --vectors {VECTORS}"
MODEL = f"--evaluation {EVALUATION} {INPUTS} --model {RUN}/model.safetensors"
FOUND = f"--dataset {DATASET} --nodes {NODES} --edges {EDGES} --predictions {PREDICTIONS}"
NETWORK = f"--settings {DETECTOR}/settings.yaml --dataset {DATASET} --excluded {EXCLUDED} --images {IMAGES}"
FIGURE = "--figure figure.png --numbers numbers.csv --title shapes"

WORLD = "world --settings results/world.yaml --folder resources/shapes"
READ_DATASET = (
    f"read-dataset --refs resources/shapes/refs(jvgn).p --instances resources/shapes/instances.json --output {DATASET}"
)
PARSE = f"parse --settings {GRAPHS}/settings.yaml {EXPRESSIONS} {NODES} {EDGES} {GRAPHS}/coverage.json"
EXCLUDE_IMAGES = f"exclude-images --output {EXCLUDED} {EXPRESSIONS}"
TRAIN_DETECTOR = (
    f"train-detector {NETWORK} --weights {DETECTOR}/weights.safetensors --provenance {DETECTOR}/provenance.json"
    f" --losses {DETECTOR}/losses.parquet"
)
MEASURE_DETECTOR = (
    f"measure-detector --evaluation {EVALUATION} {NETWORK} --weights {DETECTOR}/weights.safetensors"
    f" --output {DETECTOR}/average_precision.json"
)
PROVE_DETECTOR = (
    f"prove-detector --evaluation {EVALUATION} --provenance {DETECTOR}/provenance.json --output {DETECTOR}/proof.json"
    f" {EXPRESSIONS}"
)
EXTRACT = (
    f"extract-regions gt --settings {REGION_SETTINGS} --detector {DETECTOR}/settings.yaml --dataset {DATASET}"
    f" --images {IMAGES} --weights {DETECTOR}/weights.safetensors --provenance {DETECTOR}/provenance.json"
    f" --output {SHARD} --name shapes tiny"
)
MERGE = f"merge-regions {SHARD} --output {REGIONS} --skipped results/regions/shapes_gt/tiny.skipped.csv"
BUILD_VOCABULARY = (
    f"build-vocabulary --settings {VOCABULARY_SETTINGS} --expressions {EXPRESSIONS} --words {WORDS}"
    f" --vectors {VECTORS} --missing results/vocabulary/shapes/small/missing.csv"
)
TRAIN = f"train --settings {RUN}/settings.yaml {INPUTS} --model {RUN}/model.safetensors --history {RUN}/history.parquet"
TRAIN_UNMARGINALISED = TRAIN.replace(f"{RUN}/", f"{UNMARGINALISED}/")
PREDICT = f"predict {MODEL} --output {PREDICTIONS}"
SCORE = (
    f"score {MODEL} --settings {RUN}/settings.yaml --proof {DETECTOR}/proof.json --predictions {PREDICTIONS}"
    f" --output {RUN}/metrics.json --name shapes gt default"
)
PREDICT_UNMARGINALISED, SCORE_UNMARGINALISED = (
    command.replace(f"{RUN}/", f"{UNMARGINALISED}/").replace(" default", " unmarginalised")
    for command in (PREDICT, SCORE)
)
ABLATE = (
    f"ablate --marginalised {RUN}/metrics.json {RUN}/settings.yaml"
    f" --unmarginalised {UNMARGINALISED}/metrics.json {UNMARGINALISED}/settings.yaml --output {RUN}/ablation.csv"
)
EXAMPLES = (
    f"examples --dataset {DATASET} --nodes {NODES} --predictions {PREDICTIONS} --images {IMAGES}"
    f" --output {RUN}/examples.png"
)
GALLERY = (
    f"gallery --evaluation {EVALUATION} --regions {REGIONS} {FOUND} --images {IMAGES}"
    f" --output {RUN}/gallery/index.html --title shapes_gt"
)

MAKING = [
    WORLD,
    READ_DATASET,
    PARSE,
    EXCLUDE_IMAGES,
    TRAIN_DETECTOR,
    MEASURE_DETECTOR,
    PROVE_DETECTOR,
    EXTRACT,
    MERGE,
    BUILD_VOCABULARY,
    TRAIN,
    TRAIN_UNMARGINALISED,
    PREDICT,
    SCORE,
    PREDICT_UNMARGINALISED,
    SCORE_UNMARGINALISED,
    ABLATE,
]
"""The commands of all steps, in order."""


def make_project(folder: Path) -> None:
    """Run all steps in an empty folder."""
    with chdir(folder):
        for name, values in SETTINGS.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(yaml.safe_dump(values))
        for command in MAKING:
            ran = CliRunner().invoke(main, shlex.split(command))
            assert ran.exit_code == 0, (command, ran.output, ran.exception)
    # With a record, a damaged file would be refused unread. Here, its reader has to report the problem.
    for record in folder.rglob(f"*{RECORD}"):
        record.unlink()
