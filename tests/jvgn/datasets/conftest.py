"""A dataset of five images, with all that is made of it up to the predictions of an untrained model."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from jvgn.datasets.refer import read_dataset
from jvgn.evaluation.predict import predict
from jvgn.graphs.parsing import GraphFiles, parse_expressions
from jvgn.regions.hdf5_store import RegionStore
from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world
from jvgn.training.checkpoint import new_model, save_model
from jvgn.training.examples import Inputs
from jvgn.vocabulary.words import build_vectors, build_vocabulary, read_vectors
from parsers.parser import Parser
from tests.jvgn.conftest import write_visible_regions


def annotations():
    """COCO's annotations of three images, of which the last has no object."""
    return {
        "images": [
            {"id": 5, "file_name": "five.jpg", "width": 40, "height": 30},
            {"id": 3, "file_name": "three.jpg", "width": 8, "height": 9},
            {"id": 9, "file_name": "undescribed.jpg", "width": 1, "height": 1},
        ],
        "annotations": [
            {"id": 21, "image_id": 5, "category_id": 2, "bbox": [1, 2, 10, 20]},
            {"id": 20, "image_id": 5, "category_id": 1, "bbox": [0.5, 0, 4, 4], "iscrowd": 1},
            {"id": 10, "image_id": 3, "category_id": 1, "bbox": [0, 0, 8, 9]},
        ],
        "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
    }


@dataclass(frozen=True)
class World:
    root: Path

    def table(self, name: str) -> Path:
        return self.root / "dataset" / f"{name}.parquet"

    @property
    def inputs(self) -> Inputs:
        names = ("dataset", "regions.h5", "nodes.parquet", "edges.parquet", "words.parquet", "vectors.npy")
        return Inputs(*(self.root / name for name in names))

    @property
    def model(self) -> Path:
        return self.root / "model.safetensors"

    @property
    def predictions(self) -> Path:
        return self.root / "predictions.parquet"

    def parse(self) -> None:
        parse_expressions(self.table("expressions"), GraphFiles.within(self.root), Parser("lexical"))

    def predict(self) -> None:
        predict(self.inputs, self.model, self.predictions, 0.5, torch.device("cpu"))


@pytest.fixture(scope="session")
def untouched_world(tmp_path_factory, run_settings):
    world = World(tmp_path_factory.mktemp("world"))
    make_world(WorldSettings(train=2, val=1, test=1, adv=1, expressions_per_image=2), world.root)
    inputs, settings = world.inputs, run_settings()
    read_dataset(world.root / "refs(jvgn).p", world.root / "instances.json", inputs.dataset)
    world.parse()
    vocabulary = build_vocabulary(world.table("expressions"), inputs.words, more_often_than=0, splits="all")
    build_vectors(vocabulary, inputs.vectors, size=4, glove=None, seed=0)
    write_visible_regions(inputs.dataset, world.root / "images", inputs.regions)
    size = RegionStore(inputs.regions).feature_size
    torch.manual_seed(0)
    model = new_model(settings, read_vectors(inputs.vectors, vocabulary), size)
    save_model(world.model, model, settings, size, vocabulary.words)
    world.predict()
    return world


@pytest.fixture
def world(untouched_world, tmp_path):
    """A copy that a test may change."""
    return World(shutil.copytree(untouched_world.root, tmp_path / "world"))
