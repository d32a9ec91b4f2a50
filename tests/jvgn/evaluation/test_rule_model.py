"""A run of rules on the world of shapes: no training, the same predictions as of any run."""

import numpy as np
import pandas as pd
import pytest
import torch

from jvgn.evaluation.predictions import read_predictions
from jvgn.evaluation.rule_model import RuleModel, predict_by_rules
from jvgn.grounding.rule_grounder import RuleGrounder
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


def test_predictions_have_the_probability_of_not_found_and_beliefs_given_the_contrary(
    small_world, run_settings, images, tmp_path
):
    output = tmp_path / "predictions.parquet"
    predict_by_rules(small_world, run_settings(), images, output, 0.5)
    rows = pd.read_parquet(output)
    examples = small_world.examples(run_settings())
    model = RuleModel(examples, small_world, images, RuleSettings())
    row = rows.iloc[0]
    (place,) = np.flatnonzero(examples.expressions["expression_id"] == row["expression_id"])
    scene = model.scene(int(examples.expressions["image_id"].iloc[place]))
    answer = RuleGrounder().answer(scene, model.graphs[row["expression_id"]])
    assert row["not_found"] == pytest.approx(answer.not_found(row["node"]), rel=1e-3)
    expected = answer.marginal_KN[row["node"], :-1] / (1 - row["not_found"])
    np.testing.assert_allclose(row["marginal_of_regions"], expected, atol=1e-4)


def test_a_batch_has_the_potentials_of_each_expression_and_masks_padding(small_world, run_settings, images):
    examples = small_world.examples(run_settings())
    model = RuleModel(examples, small_world, images, RuleSettings())
    batch = next(examples.batches("test", 4))
    unary_KM, pairwise_EMM = model.potentials(batch)
    assert torch.equal(unary_KM[:, :-1].isneginf(), ~batch.present_IN[batch.image_K])
    row = int(batch.row_S[-1])
    expression = examples.expressions.iloc[row]
    graph, scene = model.graphs[expression["expression_id"]], model.scene(expression["image_id"])
    expected, count = rule_potentials(scene, graph), len(scene)
    column_M = [*range(count), -1]
    np.testing.assert_allclose(unary_KM[-len(graph.nodes) :, column_M], expected.unary_KM, rtol=1e-5)
    if graph.edges:
        own = pairwise_EMM[-len(graph.edges) :][:, column_M][:, :, column_M]
        np.testing.assert_allclose(own, expected.pairwise_EMM, rtol=1e-5, atol=1e-6)
