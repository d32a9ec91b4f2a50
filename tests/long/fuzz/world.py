"""A dataset of three images and six sentences, with all that is made of it up to the metrics of a run.

Small, so that reading it takes no time; each file is as its own writer writes it.
"""

import functools
import json
import pickle
import shutil
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from PIL import Image

DATASET, SETTING = "little", "gt"
SIZE = (40, 30)
FEATURE_SIZE = 6
TEXTS = {
    1: ("train", ["red dog left of the cat", "the cat"]),
    2: ("val", ["dog on a chair", "chair under the dog"]),
    3: ("test", ["small cat near a big dog", "dog behind the cat"]),
}
HEADS = {"dog": 1, "cat": 2, "chair": 2}


def instances() -> dict[str, Any]:
    boxes = [[1, 2, 10, 12], [20, 5, 15.5, 20]]
    return {
        "images": [{"id": image, "file_name": f"{image}.png", "width": 40, "height": 30} for image in TEXTS],
        "annotations": [
            {"id": 10 * image + place, "image_id": image, "category_id": place, "bbox": box, "iscrowd": 0}
            for image in TEXTS
            for place, box in enumerate(boxes, start=1)
        ],
        "categories": [{"id": 1, "name": "dog"}, {"id": 2, "name": "cat"}],
    }


def refs() -> list[dict[str, Any]]:
    return [
        {
            "ref_id": 10 * image + place,
            "ann_id": 10 * image + HEADS[head_of(text)],
            "image_id": image,
            "split": split,
            "sentences": [sentence(100 * image + place, image, text)],
        }
        for image, (split, texts) in TEXTS.items()
        for place, text in enumerate(texts, start=1)
    ]


def sentence(number: int, image: int, text: str) -> dict[str, Any]:
    tokens = text.split()
    mentions = [
        {"head_token": place, "ann_id": 10 * image + HEADS[token]}
        for place, token in enumerate(tokens)
        if token in HEADS
    ]
    return {"sent_id": number, "sent": text, "tokens": tokens, "mentions": mentions}


def head_of(text: str) -> str:
    return next(token for token in text.split() if token in HEADS)


class World:
    """Where its files are."""

    def __init__(self, root: Path) -> None:
        self.root, self.results = root, root / "results"
        self.images = root / "images"
        self.refs, self.instances = root / "refs.p", root / "instances.json"
        self.tables = self.results / "datasets" / DATASET
        self.graphs = self.results / "graphs" / DATASET / "lexical"
        self.nodes, self.edges = self.graphs / "nodes.parquet", self.graphs / "edges.parquet"
        self.words = self.results / "vocabulary" / DATASET / "small" / "words.parquet"
        self.vectors = self.words.with_name("vectors.npy")
        self.regions = self.results / "regions" / f"{DATASET}_{SETTING}" / "none.h5"
        self.run = self.results / f"{DATASET}_{SETTING}"
        self.predictions, self.history = self.run / "predictions.parquet", self.run / "history.parquet"
        self.model, self.settings = self.run / "model.safetensors", self.run / "settings.yaml"
        self.metrics, self.proof = self.run / "metrics.json", self.root / "proof.json"

    def table(self, name: str) -> Path:
        return self.tables / f"{name}.parquet"

    @property
    def inputs(self):
        from jvgn.training.run_files import Inputs

        return Inputs(self.tables, self.regions, self.nodes, self.edges, self.words, self.vectors)

    @property
    def scored(self):
        from jvgn.evaluation.score import Scored

        return Scored(
            **vars(self.inputs),
            model=self.model,
            settings=self.settings,
            proof=self.proof,
            predictions=self.predictions,
        )


def make_world(root: Path) -> World:
    world = World(root)
    draw_images(world)
    read_annotations(world)
    write_regions(world)
    build_words(world)
    make_run(world)
    return world


def draw_images(world: World) -> None:
    world.images.mkdir(parents=True)
    for image in TEXTS:
        pixels = np.random.default_rng(image).integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
        Image.fromarray(pixels).save(world.images / f"{image}.png")


def read_annotations(world: World) -> None:
    from jvgn.datasets.refer import read_dataset
    from jvgn.graphs.parsing import GraphFiles, parse_expressions
    from parsers.parser import Parser

    world.instances.write_text(json.dumps(instances()))
    world.refs.write_bytes(pickle.dumps(refs(), 2))
    read_dataset(world.refs, world.instances, world.tables)
    parse_expressions(world.table("expressions"), GraphFiles.within(world.graphs), Parser("lexical"))
    (world.graphs / "settings.yaml").write_text("backend: lexical\n")


def write_regions(world: World) -> None:
    from jvgn.regions import store
    from jvgn.regions.store import Regions, RegionWriter, Skipped

    made_by = {"dataset": DATASET, "setting": SETTING, "detector": "none", "detector_sha256": "none"}
    box = np.array([[1, 2, 11, 14], [20, 5, 35.5, 25]], np.float32)
    with (
        patch.object(store, "CHUNK_BYTES", 64),  # or nearly all of it would be room for more
        RegionWriter(world.regions, FEATURE_SIZE, "float32", made_by) as writer,
    ):
        for image in TEXTS:
            feature = np.random.default_rng(image).normal(size=(2, FEATURE_SIZE)).astype(np.float32)
            own = np.array([10 * image + 1, 10 * image + 2])
            writer.append(image, Regions(box, feature, np.ones(2, np.float32), np.array([1, 2], np.int32), own))
        writer.skip(Skipped(9, -1, "9.png: there is no such image"))


def build_words(world: World) -> None:
    from jvgn.vocabulary.words import build_vectors, build_vocabulary

    vocabulary = build_vocabulary(world.table("expressions"), world.words, more_often_than=0, splits="all")
    build_vectors(vocabulary, world.vectors, size=4, glove=None, seed=0)


def make_run(world: World) -> None:
    import torch

    from jvgn.evaluation.predict import predict
    from jvgn.evaluation.score import RunName, score
    from jvgn.settings.run import ModelSettings, RunSettings
    from jvgn.storage.parquet import write_table
    from jvgn.training.checkpoint import new_model, save_model
    from jvgn.training.history import HISTORY
    from jvgn.vocabulary.words import Vocabulary, read_vectors

    settings = RunSettings(
        detector="none", vocabulary="small", model=ModelSettings(spatial_size=4, hidden_size=4, layers=1)
    )
    settings.write(world.settings)
    world.proof.write_text('{"verdict": "proved"}')
    vocabulary = Vocabulary.read(world.words)
    torch.manual_seed(2)  # some expression is grounded right
    model = new_model(settings, read_vectors(world.vectors, vocabulary), FEATURE_SIZE)
    save_model(world.model, model, settings, FEATURE_SIZE, vocabulary.words)
    predict(world.inputs, world.model, world.predictions, 0.5, torch.device("cpu"))
    score(world.scored, RunName(DATASET, SETTING, "default"), 0.5, world.metrics)
    epochs = {"epoch": [1, 2], "loss": [1.5, 0.5], "val_accuracy": [50.0, 75.0]}
    write_table(world.history, epochs | {"learning_rate": [0.1, 0.1], "seconds": [1.0, 1.0]}, HISTORY)


@functools.cache
def template() -> World:
    """Made once in a process."""
    return make_world(Path(tempfile.mkdtemp(prefix="fuzz-world-")) / "world")


def copied_world(folder: Path) -> World:
    """A world of one's own, under the folder."""
    shutil.copytree(template().root, folder, dirs_exist_ok=True)
    return World(folder)
