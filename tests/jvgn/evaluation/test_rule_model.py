"""A run of rules on the world of shapes: no training, the same predictions as of any run."""

import numpy as np
import pandas as pd
import pytest
import torch

from jvgn.evaluation.predictions import read_predictions
from jvgn.evaluation.rule_model import RuleModel, predict_by_rules
from jvgn.rules.rule_potentials import rule_potentials
from jvgn.settings.run import RuleSettings


@pytest.fixture(scope="module")
def images(small_world):
    return small_world.dataset.parent / "images"


def test_rules_find_most_referents_of_shapes_without_training(small_world, run_settings, images, tmp_path):
    output = tmp_path / "predictions.parquet"
    predict_by_rules(small_world, run_settings(), images, output, 0.5)
    expressions = pd.read_parquet(small_world.dataset / "expressions.parquet")
    evaluated = expressions[expressions["split"] != "train"]
    found = read_predictions(output, evaluated["expression_id"].to_numpy()).to_pandas()
    rows = found[found["is_referent"]].merge(expressions[["expression_id", "split"]])
    accuracy = rows.groupby("split")["correct"].mean()
    assert accuracy["test"] >= 0.90
    assert accuracy["adv"] >= 0.85


def test_a_batch_has_the_potentials_of_each_expression_and_masks_padding(small_world, run_settings, images):
    examples = small_world.examples(run_settings())
    model = RuleModel(examples, small_world, images, RuleSettings())
    batch = next(examples.batches("test", 4))
    unary_KN, pairwise_ENN = model.potentials(batch)
    assert torch.equal(unary_KN.isneginf(), ~batch.present_IN[batch.image_K])
    row = int(batch.row_S[-1])
    expression = examples.expressions.iloc[row]
    graph, scene = model.graphs[expression["expression_id"]], model.scene(expression["image_id"])
    expected, count = rule_potentials(scene, graph), len(scene)
    np.testing.assert_allclose(unary_KN[-len(graph.nodes) :, :count], expected.unary_KM[:, :count], rtol=1e-5)
    if graph.edges:
        own = pairwise_ENN[-len(graph.edges) :, :count, :count]
        np.testing.assert_allclose(own, expected.pairwise_EMM[:, :count, :count], rtol=1e-5, atol=1e-6)
