"""Readers: each kind of file, a valid file of it in a finished project, and the commands that read it.

A new kind of file is a row of `READERS`, and a few lines of `make_more` if the project of `tests/errors` lacks it.
"""

import base64
import csv
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from PIL import Image

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
TALLY = "survey tally more/answers.json --key more/key.json"
ADOPT = "adopt-detector --settings more/given.yaml --weights weights.safetensors --provenance provenance.json"
TRAIN_FROM = (
    f"train-detector --settings more/pretrained.yaml --dataset {DATASET} --excluded {EXCLUDED}"
    " --images resources/shapes/images --weights weights.safetensors --provenance provenance.json"
)


def read_own(suffix: str) -> str:
    return f"read-custom --settings more/own_{suffix}.yaml --output results/datasets/own"


def import_regions(kind: str) -> str:
    return (
        f"import-regions det --settings {REGION_SETTINGS} --detector more/{kind}.yaml --dataset {DATASET}"
        " --output regions.h5 --name shapes given"
    )


def vocabulary(suffix: str) -> str:
    return BUILD_VOCABULARY.replace(VOCABULARY_SETTINGS, f"more/vocabulary_{suffix}.yaml")


def archive(suffix: str) -> str:
    """Return the command that unpacks an archive. Its checksum is not known, as after a first download."""
    source = {"file": f"resources/set.{suffix}", "mirrors": ["file:x"], "provides": {"resources/data": "set/"}}
    return f"provide --source '{json.dumps(source)}' resources/data"


READERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "configuration": ("config.yaml", ("plan shapes_gt", SURVEY)),
    "settings of a run": (f"{RUN}/settings.yaml", (SCORE, GROUND)),
    "settings of a parser": (f"{GRAPHS}/settings.yaml", (PARSE, GROUND)),
    "settings of a detector": (f"{DETECTOR}/settings.yaml", (EXTRACT, GROUND)),
    "settings of regions": (DETECTION_SETTINGS, (GROUND,)),
    "REFER's pickle": ("resources/shapes/refs(jvgn).p", (READ_DATASET,)),
    "COCO's annotations": ("resources/shapes/instances.json", (READ_DATASET,)),
    "own expressions, CSV": ("more/own.csv", (read_own("csv"),)),
    "own expressions, JSON lines": ("more/own.jsonl", (read_own("jsonl"),)),
    "own expressions, Parquet": ("more/own.parquet", (read_own("parquet"),)),
    "own annotations": ("more/annotations.json", (read_own("csv"),)),
    "images": (f"{DATASET}/images.parquet", (EXTRACT, SHOW, EXAMPLES)),
    "objects": (f"{DATASET}/objects.parquet", (EXTRACT, SCORE, SHOW)),
    "expressions": (EXPRESSIONS, (PARSE, BUILD_VOCABULARY, PREDICT, SCORE, SHOW, EXCLUDE)),
    "mentions": (f"{DATASET}/mentions.parquet", (SCORE,)),
    "excluded images": (EXCLUDED, (MEASURE_DETECTOR,)),
    "nodes": (NODES, (PREDICT, SCORE, SHOW, EXAMPLES, f"figures calibration {FOUND} {FIGURE}")),
    "edges": (EDGES, (PREDICT, SCORE, SHOW)),
    "coverage": (
        f"{GRAPHS}/coverage.json",
        (COVERAGE, "plan shapes_gt"),
    ),
    "words": (WORDS, (PREDICT,)),
    "word vectors": (VECTORS, (TRAIN,)),
    "GloVe, text": ("more/glove.txt", (vocabulary("txt"),)),
    "GloVe, gzip": ("more/glove.gz", (vocabulary("gz"),)),
    "GloVe, zip": ("more/glove.zip", (vocabulary("zip"),)),
    "detector": (f"{DETECTOR}/weights.safetensors", (MEASURE_DETECTOR, GROUND)),
    "provenance": (f"{DETECTOR}/provenance.json", (PROVE_DETECTOR, EXTRACT)),
    "proof": (f"{DETECTOR}/proof.json", (SCORE,)),
    "pretrained network": ("more/pretrained.pth", (TRAIN_FROM,)),
    "given detector": ("more/given.safetensors", (ADOPT,)),
    "regions": (REGIONS, (f"regions info {REGIONS}", f"regions show {REGIONS} {PICTURE}", PREDICT)),
    "shard of regions": (SHARD, (MERGE,)),
    "precomputed, TSV": ("more/features.tsv", (import_regions("tsv"),)),
    "precomputed, npz": ("more/features/5.npz", (import_regions("npz"),)),
    "precomputed, HDF5": ("more/features.h5", (import_regions("hdf5"),)),
    "model": (f"{RUN}/model.safetensors", (PREDICT, SHOW)),
    "predictions": (PREDICTIONS, (SCORE, SHOW, EXAMPLES, f"figures calibration {FOUND} {FIGURE}", SURVEY)),
    "history": (f"{RUN}/history.parquet", (f"figures learning --history {RUN}/history.parquet {FIGURE}",)),
    "metrics": (f"{RUN}/metrics.json", (f"summary {RUN}", RESULTS)),
    "ablation": (f"{RUN}/ablation.csv", (f"figures ablation --ablation {RUN}/ablation.csv {FIGURE}",)),
    "average precision": (
        f"{DETECTOR}/average_precision.json",
        (f"figures average-precision --measured {DETECTOR}/average_precision.json {FIGURE}",),
    ),
    "CoNLL-U": ("more/trees.conllu", (GRAPH,)),
    "questions": ("more/questions.csv", (f"ground --csv more/questions.csv --run {RUN} --json answers.json",)),
    "key of a survey": ("more/key.json", (TALLY,)),
    "answers of a rater": ("more/answers.json", (TALLY,)),
    "groundings of another program": (
        "more/theirs.jsonl",
        (SURVEY.replace(f"ours={RUN}", "theirs=more/theirs.jsonl --images more"),),
    ),
    "archive, zip": ("resources/set.zip", (archive("zip"),)),
    "archive, tar": ("resources/set.tgz", (archive("tgz"),)),
    **{
        f"picture, {suffix}": (f"more/photo.{suffix}", (GROUND.replace(PICTURE, f"more/photo.{suffix}"),))
        for suffix in ("jpg", "png", "gif", "webp", "bmp")
    },
}
TREES = """# text = woman holding umbrella
1\twoman\twoman\tNOUN\t_\t_\t0\troot\t_\t_
2\tholding\thold\tVERB\t_\t_\t1\tacl\t_\t_
3\tumbrella\tumbrella\tNOUN\t_\t_\t2\tobj\t_\t_
"""
GLOVE = b"the 0.1 0.2 0.3 0.4\nstar -1 2e-3 0 5\nring 1 2 3 4\n. 1 1 1 1\n"
BOX = np.array([[1, 2, 11, 14], [20, 5, 35.5, 25]], np.float32)
FEATURE = np.arange(12, dtype=np.float32).reshape(2, 6)
ROWS = [
    {"image_id": 5, "object_id": 21, "split": "train", "text": "red dog left of the cat", "expression_id": 5},
    {"image_id": 5, "object_id": 21, "split": "val", "text": "dog", "expression_id": 6},
]


def make_files(folder: Path) -> None:
    """Make the finished project and the other files of `READERS`."""
    folder.mkdir()
    make_project(folder)
    more = folder / "more"
    (more / "features").mkdir(parents=True)
    make_own_data(more)
    make_vectors_and_archives(folder)
    make_features(folder)
    make_small_files(folder)


def make_own_data(more: Path) -> None:
    annotations = {
        "images": [{"id": 5, "file_name": "photo.png", "width": 60, "height": 40}],
        "annotations": [{"id": 21, "image_id": 5, "category_id": 2, "bbox": [1, 2, 10, 20]}],
        "categories": [{"id": 2, "name": "dog"}],
    }
    (more / "annotations.json").write_text(json.dumps(annotations))
    with (more / "own.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(ROWS[0]))
        writer.writeheader()
        writer.writerows(ROWS)
    (more / "own.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    pq.write_table(pa.Table.from_pylist(ROWS), more / "own.parquet")
    for suffix in ("csv", "jsonl", "parquet"):
        settings = {"annotations": "more/annotations.json", "expressions": f"more/own.{suffix}", "images": "more"}
        (more / f"own_{suffix}.yaml").write_text(yaml.safe_dump(settings))


def make_vectors_and_archives(folder: Path) -> None:
    more = folder / "more"
    (more / "glove.txt").write_bytes(GLOVE)
    (more / "glove.gz").write_bytes(gzip.compress(GLOVE, mtime=0))
    with zipfile.ZipFile(more / "glove.zip", "w") as archive:
        archive.writestr("glove.4d.txt", GLOVE)
    for suffix in ("txt", "gz", "zip"):
        settings = {"vector_size": 4, "glove": f"more/glove.{suffix}"}
        (more / f"vocabulary_{suffix}.yaml").write_text(yaml.safe_dump(settings))
    files = {"set/refs.p": b"refs", "set/more/a.json": b'{"a": 1}' * 40, "other.txt": b"x"}
    with zipfile.ZipFile(folder / "resources/set.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    with tarfile.open(folder / "resources/set.tgz", "w:gz") as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def make_features(folder: Path) -> None:
    def encoded(numbers: np.ndarray) -> str:
        return base64.b64encode(numbers.tobytes()).decode()

    more = folder / "more"
    lines = ["image_id\tnum_boxes\tboxes\tfeatures"]
    for image in range(1, 6):
        np.savez(more / f"features/{image}.npz", box=BOX, feature=FEATURE)
        lines.append(f"{image}\t2\t{encoded(BOX)}\t{encoded(FEATURE)}")
    (more / "features.tsv").write_text("\n".join(lines) + "\n")
    (more / "features.h5").write_bytes((folder / REGIONS).read_bytes())
    paths = {"tsv": "more/features.tsv", "npz": "more/features", "hdf5": "more/features.h5"}
    for kind, path in paths.items():
        (more / f"{kind}.yaml").write_text(
            yaml.safe_dump({"source": "precomputed", "format": kind, "detections": path})
        )


def make_small_files(folder: Path) -> None:
    import torch

    from jvgn.detector.tiny_backbone import TinyNetwork

    more = folder / "more"
    torch.save(TinyNetwork().state_dict(), more / "pretrained.pth")
    (more / "pretrained.yaml").write_text(yaml.safe_dump(TINY | {"pretrained": "more/pretrained.pth"}))
    (more / "given.safetensors").write_bytes((folder / DETECTOR / "weights.safetensors").read_bytes())
    (more / "given.yaml").write_text(yaml.safe_dump(TINY | {"weights": "more/given.safetensors"}))
    (more / "trees.conllu").write_text(TREES)
    (more / "questions.csv").write_text("image,expression\nphoto.png,star left of the ring\nphoto.jpg,ring\n")
    example = {"model": "ours", "image": "1.jpg", "sentence": "star"}
    (more / "key.json").write_text(json.dumps({"survey": "s", "seed": 0, "examples": {"1": example}}))
    answers = {"format": "1", "survey": "s", "rater": "Ann", "answers": {"1": 4}}
    (more / "answers.json").write_text(json.dumps(answers))
    grounding = {
        "image": "photo.png",
        "sentence": "star",
        "objects": [{"phrase": "star", "box": [1, 2, 3, 4], "after": 0.5}],
    }
    (more / "theirs.jsonl").write_text(json.dumps(grounding) + "\n")
    pixels = np.random.default_rng(0).integers(0, 255, (40, 60, 3), np.uint8)
    for suffix in ("jpg", "png", "gif", "webp", "bmp"):
        Image.fromarray(pixels).save(more / f"photo.{suffix}")
    assert all((folder / path).is_file() for path, _ in READERS.values())
