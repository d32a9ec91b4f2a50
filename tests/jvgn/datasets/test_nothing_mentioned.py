"""Odd expressions, such as punctuation alone, are parsed and grounded like any other."""

import numpy as np
import pyarrow as pa
import torch

from jvgn.datasets import tables
from jvgn.evaluation.predictions import read_predictions
from jvgn.grounding.answerer import Answerer, ImageRegions
from jvgn.regions.hdf5_store import RegionStore
from jvgn.storage.parquet import write_table
from jvgn.training.checkpoint import load_model
from parsers import parse
from parsers.words.tokens import tokenise

TEXTS = [
    *("the", "???", ".", "of", "it", "is", "'s", ",,,", "and and and", "left", "2", "_", "\x00", "\x1b[31m", "\u200b"),
    *("猫", "שלום", "👩‍👩‍👧", "e\u0301", "ＷＩＤＥ", "a" * 5000, "the the the the", "no", "one of the one of the one"),
]


def test_odd_expressions_are_parsed_and_predicted_in_a_dataset(world):
    table = tables.read_expressions(world.table("expressions"))
    evaluated = table.filter(pa.compute.not_equal(table["split"], "train"))["expression_id"].to_numpy()
    write_table(world.table("mentions"), tables.MENTIONS.empty_table(), tables.MENTIONS)
    for start in range(0, len(TEXTS), len(table)):
        texts = [(TEXTS * 2)[start + row] for row in range(len(table))]
        tokens = pa.array([list(tokenise(text)) for text in texts], pa.list_(pa.string()))
        changed = table.set_column(5, "text", pa.array(texts)).set_column(6, "tokens", tokens)
        write_table(world.table("expressions"), changed, tables.EXPRESSIONS)
        world.parse()
        world.predict()
        found = read_predictions(world.predictions, evaluated)
        assert np.unique(found["expression_id"].to_numpy()).tolist() == evaluated.tolist()


def test_an_odd_expression_that_is_typed_is_grounded(world):
    answerer = Answerer(load_model(world.model, torch.device("cpu")), torch.device("cpu"))
    image = ImageRegions((40, 30), RegionStore(world.inputs.regions).read(1))
    for text in TEXTS:
        answer = answerer.answer(answerer.question(image, parse(text)), text, best=2)
        assert len(answer.region_K) >= 1 and np.isfinite(answer.marginal_KN).all() and answer.joint, text
