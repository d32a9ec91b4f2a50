"""A world of five images with regions and graphs, and predictions of a run on it: made once, and only read."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from jvgn.datasets.refer import read_dataset
from jvgn.inputs import Inputs
from jvgn.settings.world import WorldSettings
from jvgn.shapes.world import make_world
from jvgn.vocabulary import build_vectors, build_vocabulary
from parsers.options import Parser
from parsers.stage import GraphFiles, parse_expressions
from tests.jvgn.conftest import write_visible_regions

__all__ = ["held", "tiny_predictions", "tiny_world"]


@pytest.fixture
def held() -> Iterator[ExitStack]:
    """What is entered here lasts until the case is over: a lock, a server."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="session")
def tiny_world(tmp_path_factory: pytest.TempPathFactory) -> Inputs:
    """The inputs of a run on ground-truth regions."""
    folder = tmp_path_factory.mktemp("tiny_world")
    make_world(WorldSettings(train=2, val=1, test=1, adv=1, expressions_per_image=2), folder)
    dataset = folder / "dataset"
    read_dataset(folder / "refs(jvgn).p", folder / "instances.json", dataset)
    inputs = Inputs(
        dataset=dataset,
        regions=folder / "regions.h5",
        nodes=folder / "nodes.parquet",
        edges=folder / "edges.parquet",
        words=folder / "words.parquet",
        vectors=folder / "vectors.npy",
    )
    expressions = dataset / "expressions.parquet"
    parse_expressions(expressions, GraphFiles(inputs.nodes, inputs.edges, folder / "coverage.json"), Parser("lexical"))
    build_vocabulary(expressions, inputs.words, more_often_than=0, splits="train")
    build_vectors(inputs.words, inputs.vectors, size=4, glove=None, seed=0)
    write_visible_regions(dataset, folder / "images", inputs.regions)
    return inputs


@pytest.fixture(scope="session")
def tiny_predictions(tiny_world: Inputs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a model that has learned nothing."""
    import torch

    from jvgn.checkpoint import new_model, save_model
    from jvgn.prediction import predict
    from jvgn.settings.run import ModelSettings, RunSettings
    from jvgn.vocabulary import Vocabulary, read_vectors

    folder = tmp_path_factory.mktemp("tiny_run")
    settings = RunSettings(
        detector="none", vocabulary="small", model=ModelSettings(spatial_size=4, hidden_size=4, layers=1)
    )
    vocabulary = Vocabulary.read(tiny_world.words)
    feature_size = tiny_world.examples(settings).store.feature_size
    model = new_model(settings, read_vectors(tiny_world.vectors, vocabulary), feature_size)
    save_model(folder / "model.safetensors", model, settings, feature_size, vocabulary.words)
    predict(tiny_world, folder / "model.safetensors", folder / "predictions.parquet", 0.5, torch.device("cpu"))
    return folder / "predictions.parquet"
