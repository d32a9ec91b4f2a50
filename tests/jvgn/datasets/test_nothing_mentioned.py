"""Expressions that mention nothing, or anything: each goes from parsing to a grounding like any other."""

import numpy as np
import pyarrow as pa
import pytest
import torch

from jvgn.datasets import tables
from jvgn.evaluation.predict import predict
from jvgn.evaluation.predictions import read_predictions
from jvgn.graphs.parsing import GraphFiles, parse_expressions
from jvgn.grounding.answerer import Answerer, ImageRegions
from jvgn.regions.store import RegionStore
from jvgn.storage.parquet import write_table
from jvgn.training.checkpoint import load_model
from parsers import parse
from parsers.errors import UserError
from parsers.parser import Parser
from parsers.scene_graph import MOST_TOKENS
from parsers.words.tokens import tokenise
from tests.long.fuzz.world import copied_world

TEXTS = [
    *("the", "???", ".", "of", "it", "is", "'s", ",,,", "and and and", "left", "2", "_", "\x00", "\x1b[31m", "\u200b"),
    *("猫", "שלום", "👩‍👩‍👧", "e\u0301", "ＷＩＤＥ", "a" * 5000, "the the the the", "no", "one of the one of the one"),
]


@pytest.fixture
def world(tmp_path):
    return copied_world(tmp_path)


def test_they_are_parsed_and_predicted_in_a_dataset(world):
    """They take the places of the texts that the little world has."""
    table = tables.read_expressions(world.table("expressions"))
    for start in range(0, len(TEXTS), len(table)):
        texts = [(TEXTS * 2)[start + row] for row in range(len(table))]
        tokens = pa.array([list(tokenise(text)) for text in texts], pa.list_(pa.string()))
        changed = table.set_column(5, "text", pa.array(texts)).set_column(6, "tokens", tokens)
        write_table(world.table("expressions"), changed, tables.EXPRESSIONS)
        write_table(world.table("mentions"), tables.MENTIONS.empty_table(), tables.MENTIONS)
        parse_expressions(world.table("expressions"), GraphFiles.within(world.graphs), Parser("lexical"))
        predict(world.inputs, world.model, world.predictions, 0.5, torch.device("cpu"))
        evaluated = table.filter(pa.compute.not_equal(table["split"], "train"))["expression_id"].to_numpy()
        found = read_predictions(world.predictions, evaluated)
        assert np.unique(found["expression_id"].to_numpy()).tolist() == evaluated.tolist()


@pytest.mark.parametrize("text", TEXTS)
def test_one_that_is_typed_is_grounded(world, text):
    answerer = Answerer(load_model(world.model, torch.device("cpu")), torch.device("cpu"))
    image = ImageRegions((40, 30), RegionStore(world.regions).read(1))
    answer = answerer.answer(answerer.question(image, parse(text)), text, best=2)
    assert len(answer.region_K) >= 1 and np.isfinite(answer.marginal_KN).all() and answer.joint


@pytest.mark.parametrize("text", ["dog " * 50_000, "?" * 50_000])
def test_one_without_end_is_refused(text):
    with pytest.raises(
        UserError, match=f"the sentence has 50,000 words, more than {MOST_TOKENS:,}; give a shorter one"
    ):
        parse(text)
