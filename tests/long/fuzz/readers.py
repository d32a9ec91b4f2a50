"""Readers: each kind of file, a valid file of it in a finished project, and the commands that read it.

A new kind of file is a row of `READERS`, and a few lines of `make_more` if the project of `tests/errors` lacks it.
"""

import json
import shlex
import zipfile
from contextlib import chdir
from pathlib import Path

import numpy as np
import yaml
from click.testing import CliRunner
from PIL import Image

from jvgn.cli import main
from jvgn.storage.records import record_of
from tests.errors.project import (
    BUILD_VOCABULARY,
    DATASET,
    DETECTION_SETTINGS,
    DETECTOR,
    EDGES,
    EXAMPLES,
    EXCLUDED,
    EXPRESSIONS,
    EXTRACT,
    FIGURE,
    FOUND,
    GRAPHS,
    IMAGES,
    INPUTS,
    MEASURE_DETECTOR,
    MERGE,
    NODES,
    PARSE,
    PICTURE,
    PREDICT,
    PREDICTIONS,
    PROVE_DETECTOR,
    READ_DATASET,
    REGION_SETTINGS,
    REGIONS,
    RUN,
    SCORE,
    SHARD,
    TINY,
    TRAIN,
    VECTORS,
    VOCABULARY_SETTINGS,
    WORDS,
    make_project,
)
from tests.jvgn.datasets.entities_files import annotation_xml

SHOW = f"show {RUN} 5"
GROUND = f"ground {PICTURE} star --run {RUN} --json answers.json"
COVERAGE = (
    f"figures coverage --expressions {EXPRESSIONS} --nodes {NODES} --edges {EDGES} --coverage {GRAPHS}/coverage.json"
    f" {FIGURE}"
)
EXCLUDE = f"exclude-images --output e.parquet {EXPRESSIONS}"
RESULTS = f"figures results --metrics {RUN}/metrics.json --output page.html"
GRAPH = "graph 'woman holding umbrella' --backend conllu --option parses=more/trees.conllu"
SURVEY = f"survey make ours={RUN} --examples 1 --output form.html --key key.json"
ADOPT = "adopt-detector --settings more/given.yaml --weights weights.safetensors --provenance provenance.json"
READ_OWN = "read-custom --settings more/own.yaml --output results/datasets/own"
READ_ENTITIES = "read-entities --settings more/entities.yaml --output results/datasets/entities"
IMPORT = (
    f"import-regions det --settings {REGION_SETTINGS} --detector more/npz.yaml --dataset {DATASET}"
    " --output regions.h5 --name shapes given"
)
BUILD_FROM_GLOVE = BUILD_VOCABULARY.replace(VOCABULARY_SETTINGS, "more/vocabulary.yaml")
SOURCE = {"file": "resources/set.zip", "mirrors": ["file:x"], "provides": {"resources/data": "set/"}}
UNPACK = f"provide --source '{json.dumps(SOURCE)}' resources/data"
TRAIN_FROM = (
    f"train-detector --settings more/pretrained.yaml --dataset {DATASET} --excluded {EXCLUDED}"
    " --images resources/shapes/images --weights weights.safetensors --provenance provenance.json"
    " --losses losses.parquet"
)
WEIGH = f"weigh-rules --settings more/both.yaml {INPUTS} --images {IMAGES} --output more/rules.parquet"
TRAIN_BOTH = (
    f"train --settings more/both.yaml {INPUTS} --rules more/rules.parquet --model m.safetensors --history h.parquet"
)


READERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "configuration": ("config.yaml", ("plan shapes_gt", SURVEY)),
    "settings of a run": (f"{RUN}/settings.yaml", (SCORE, GROUND)),
    "settings of a parser": (f"{GRAPHS}/settings.yaml", (PARSE, GROUND)),
    "settings of a detector": (f"{DETECTOR}/settings.yaml", (EXTRACT, GROUND)),
    "settings of regions": (DETECTION_SETTINGS, (GROUND,)),
    "REFER's pickle": ("resources/shapes/refs(jvgn).p", (READ_DATASET,)),
    "COCO's annotations": ("resources/shapes/instances.json", (READ_DATASET,)),
    "own expressions, CSV": ("more/own.csv", (READ_OWN,)),
    "own annotations": ("more/annotations.json", (READ_OWN,)),
    "captions of Entities": ("more/entities/Sentences/5.txt", (READ_ENTITIES,)),
    "boxes of Entities": ("more/entities/Annotations/5.xml", (READ_ENTITIES,)),
    "images": (f"{DATASET}/images.parquet", (EXTRACT, SHOW, EXAMPLES)),
    "objects": (f"{DATASET}/objects.parquet", (EXTRACT, SCORE, SHOW)),
    "expressions": (EXPRESSIONS, (PARSE, BUILD_VOCABULARY, PREDICT, SCORE, SHOW, EXCLUDE)),
    "mentions": (f"{DATASET}/mentions.parquet", (SCORE,)),
    "excluded images": (EXCLUDED, (MEASURE_DETECTOR,)),
    "nodes": (NODES, (PREDICT, SCORE, SHOW, EXAMPLES, f"figures calibration {FOUND} {FIGURE}")),
    "edges": (EDGES, (PREDICT, SCORE, SHOW)),
    "coverage": (f"{GRAPHS}/coverage.json", (COVERAGE, "plan shapes_gt")),
    "words": (WORDS, (PREDICT,)),
    "word vectors": (VECTORS, (TRAIN,)),
    "GloVe, text": ("more/glove.txt", (BUILD_FROM_GLOVE,)),
    "detector": (f"{DETECTOR}/weights.safetensors", (MEASURE_DETECTOR, GROUND)),
    "provenance": (f"{DETECTOR}/provenance.json", (PROVE_DETECTOR, EXTRACT)),
    "proof": (f"{DETECTOR}/proof.json", (SCORE,)),
    "pretrained network": ("more/pretrained.pth", (TRAIN_FROM,)),
    "given detector": ("more/given.safetensors", (ADOPT,)),
    "regions": (REGIONS, (f"regions info {REGIONS}", f"regions show {REGIONS} {PICTURE}", PREDICT)),
    "shard of regions": (SHARD, (MERGE,)),
    "precomputed, npz": ("more/features/5.npz", (IMPORT,)),
    "potentials of rules": ("more/rules.parquet", (TRAIN_BOTH,)),
    "model": (f"{RUN}/model.safetensors", (PREDICT, SHOW)),
    "predictions": (PREDICTIONS, (SCORE, SHOW, EXAMPLES, f"figures calibration {FOUND} {FIGURE}", SURVEY)),
    "history": (f"{RUN}/history.parquet", (f"figures learning --history {RUN}/history.parquet {FIGURE}",)),
    "metrics": (f"{RUN}/metrics.json", (f"summary {RUN}", RESULTS)),
    "ablation": (f"{RUN}/ablation.csv", (f"figures ablation --ablation {RUN}/ablation.csv {FIGURE}",)),
    "CoNLL-U": ("more/trees.conllu", (GRAPH,)),
    "questions": ("more/questions.csv", (f"ground --csv more/questions.csv --run {RUN} --json answers.json",)),
    "archive, zip": ("resources/set.zip", (UNPACK,)),
    "picture, JPEG": ("more/photo.jpg", (GROUND.replace(PICTURE, "more/photo.jpg"),)),
    "picture, PNG": ("more/photo.png", (GROUND.replace(PICTURE, "more/photo.png"),)),
}
TREES = """# text = woman holding umbrella
1\twoman\twoman\tNOUN\t_\t_\t0\troot\t_\t_
2\tholding\thold\tVERB\t_\t_\t1\tacl\t_\t_
3\tumbrella\tumbrella\tNOUN\t_\t_\t2\tobj\t_\t_
"""
GLOVE = "the 0.1 0.2 0.3 0.4\nstar -1 2e-3 0 5\nring 1 2 3 4\n. 1 1 1 1\n"
BOX = np.array([[1, 2, 11, 14], [20, 5, 35.5, 25]], np.float32)
FEATURE = np.arange(12, dtype=np.float32).reshape(2, 6)
OWN_TABLE = """image_id,object_id,split,text
5,21,train,red dog left of the cat
5,21,val,dog
"""


def make_files(folder: Path) -> None:
    """Make the finished project and the other files of `READERS`."""
    folder.mkdir()
    make_project(folder)
    make_own_data(folder / "more")
    make_entities(folder / "more/entities")
    make_networks_and_features(folder, folder / "more")
    make_rules(folder)
    with zipfile.ZipFile(folder / "resources/set.zip", "w") as archive:
        for name, content in {"set/refs.p": b"refs", "set/more/a.json": b'{"a": 1}' * 40, "other.txt": b"x"}.items():
            archive.writestr(name, content)
    assert all((folder / path).is_file() for path, _ in READERS.values())


def make_own_data(more: Path) -> None:
    more.mkdir()
    annotations = {
        "images": [{"id": 5, "file_name": "photo.png", "width": 60, "height": 40}],
        "annotations": [{"id": 21, "image_id": 5, "category_id": 2, "bbox": [1, 2, 10, 20]}],
        "categories": [{"id": 2, "name": "dog"}],
    }
    (more / "annotations.json").write_text(json.dumps(annotations))
    (more / "own.csv").write_text(OWN_TABLE)
    settings = {"annotations": "more/annotations.json", "expressions": "more/own.csv", "images": "more"}
    (more / "own.yaml").write_text(yaml.safe_dump(settings))
    (more / "trees.conllu").write_text(TREES)
    (more / "questions.csv").write_text("image,expression\nphoto.png,star left of the ring\nphoto.jpg,ring\n")
    pixels = np.random.default_rng(0).integers(0, 255, (40, 60, 3), np.uint8)
    for suffix in ("jpg", "png"):
        Image.fromarray(pixels).save(more / f"photo.{suffix}")


def make_rules(folder: Path) -> None:
    with chdir(folder):
        settings = yaml.safe_load(Path(f"{RUN}/settings.yaml").read_text()) | {"potentials": "both"}
        Path("more/both.yaml").write_text(yaml.safe_dump(settings))
        ran = CliRunner().invoke(main, shlex.split(WEIGH))
        assert ran.exit_code == 0, ran.output
        record_of(Path("more/rules.parquet")).unlink()


def make_entities(folder: Path) -> None:
    for name in ("Sentences", "Annotations", "pictures"):
        (folder / name).mkdir(parents=True)
    for image_id, split in ((5, "train"), (6, "val")):
        (folder / f"Sentences/{image_id}.txt").write_text("[/EN#1/people A man] on [/EN#2/scene/other a red hill] .\n")
        (folder / f"Annotations/{image_id}.xml").write_text(annotation_xml(60, 40, [(["1", "2"], (1, 2, 30, 40))]))
        (folder / f"pictures/{image_id}.jpg").touch()
        (folder / f"{split}.txt").write_text(f"{image_id}\n")
    (folder / "test.txt").touch()
    here = f"more/{folder.name}"
    settings = {"entities": here, "split_lists": here, "images": f"{here}/pictures"}
    folder.with_suffix(".yaml").write_text(yaml.safe_dump(settings))


def make_networks_and_features(folder: Path, more: Path) -> None:
    import torch

    from jvgn.detector.faster_rcnn import TinyNetwork

    (more / "glove.txt").write_text(GLOVE)
    (more / "vocabulary.yaml").write_text(yaml.safe_dump({"vector_size": 4, "glove": "more/glove.txt"}))
    (more / "features").mkdir()
    for image in range(1, 6):
        np.savez(more / f"features/{image}.npz", box=BOX, feature=FEATURE)
    detector = {"source": "precomputed", "format": "npz", "detections": "more/features"}
    (more / "npz.yaml").write_text(yaml.safe_dump(detector))
    torch.save(TinyNetwork().state_dict(), more / "pretrained.pth")
    (more / "pretrained.yaml").write_text(yaml.safe_dump(TINY | {"pretrained": "more/pretrained.pth"}))
    (more / "given.safetensors").write_bytes((folder / DETECTOR / "weights.safetensors").read_bytes())
    (more / "given.yaml").write_text(yaml.safe_dump(TINY | {"weights": "more/given.safetensors"}))
