"""A small world whose regions carry what can be seen of them, without a detector: quick enough to train on."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from jvgn.datasets.refer import read_dataset
from jvgn.graphs.parsing import GraphFiles, parse_expressions
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.settings.run import ModelSettings, RunSettings, TrainingSettings
from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world
from jvgn.training.examples import Inputs
from jvgn.vocabulary.words import build_vectors, build_vocabulary
from parsers.parser import Parser
from tests.jvgn.drawing import Drawn, draw
from tests.once import made_once

SIDES = ["x1", "y1", "x2", "y2"]


@pytest.fixture(scope="session")
def small_world(tmp_path_factory):
    """The inputs of a run on ground-truth regions of a world of 420 images."""
    return small_world_in(made_once(tmp_path_factory, "small_world", make_small_world))


def small_world_in(folder):
    names = ("dataset", "regions.h5", "nodes.parquet", "edges.parquet", "words.parquet", "vectors.npy")
    return Inputs(*(folder / name for name in names))


def make_small_world(folder, world=WorldSettings(seed=3, train=280, val=40, test=60, adv=40)):
    make_world(world, folder)
    inputs = small_world_in(folder)
    read_dataset(folder / "refs(jvgn).p", folder / "instances.json", inputs.dataset)
    expressions = inputs.dataset / "expressions.parquet"
    parse_expressions(expressions, GraphFiles(inputs.nodes, inputs.edges, folder / "coverage.json"), Parser("lexical"))
    vocabulary = build_vocabulary(expressions, inputs.words, more_often_than=0, splits="train")
    build_vectors(vocabulary, inputs.vectors, size=48, glove=None, seed=0)
    write_visible_regions(inputs.dataset, folder / "images", inputs.regions)


def write_visible_regions(dataset, images, output):
    """Regions around the annotated objects: their shape, and the colour of their most colourful pixels."""
    objects = pd.read_parquet(dataset / "objects.parquet").groupby("image_id")
    categories = pd.read_parquet(dataset / "objects.parquet")["category_id"].max()
    made_by = {"setting": "gt", "dataset": "shapes", "detector": "none", "detector_sha256": "none"}
    with RegionWriter(output, categories + 4, "float32", made_by) as writer:
        for image in pd.read_parquet(dataset / "images.parquet").itertuples():
            pixels = np.asarray(Image.open(images / image.file_name), dtype=np.float32) / 255
            own = objects.get_group(image.image_id)
            colour = np.stack([visible_colour(pixels, box) for box in own[SIDES].to_numpy().astype(int)])
            shape = np.eye(categories + 1)[own["category_id"]][:, 1:]
            feature = 2 * np.concatenate([shape, colour, colour.min(1, keepdims=True)], axis=1) - 0.6
            count = len(own)
            regions = Regions(
                box=own[SIDES].to_numpy(np.float32),
                feature=feature.astype(np.float32),
                score=np.ones(count, np.float32),
                label=own["category_id"].to_numpy(np.int32),
                object_id=own["object_id"].to_numpy(),
            )
            writer.append(image.image_id, regions)


def visible_colour(pixels, box):
    x1, y1, x2, y2 = box
    inside = pixels[y1 : y2 + 1, x1 : x2 + 1].reshape(-1, 3)
    vividness = inside.max(1) - inside.min(1)
    return inside[vividness >= np.quantile(vividness, 0.7)].mean(0)


@pytest.fixture(scope="session")
def run_settings():
    """Settings small enough to train in seconds; keyword arguments replace those of the training."""

    def settings(**training):
        chosen = {"epochs": 14, "images_per_batch": 8, "learning_rate": 5e-3, "decay": 0.7, "decay_epochs": 3}
        return RunSettings(
            detector="none",
            parser="lexical",
            vocabulary="small",
            model=ModelSettings(spatial_size=24, hidden_size=12, layers=1),
            training=TrainingSettings(**(chosen | {"dropout": 0.3} | training)),
        )

    return settings


@pytest.fixture
def drawn(tmp_path) -> Drawn:
    return draw(tmp_path / "drawn")


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> tuple[Drawn, Path]:
    """A dataset and the weights of a detector trained on it."""
    root = made_once(tmp_path_factory, "trained", lambda folder: draw(folder / "drawn").train(folder / "detector"))
    return Drawn(root / "drawn"), root / "detector/detector.safetensors"
