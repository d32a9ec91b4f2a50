"""A run with `potentials: both`: from the table of the rules' potentials to answers about pictures."""

import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.grounding.grounder import Grounder
from jvgn.layout import RunPaths
from jvgn.settings.evaluation import EvaluationSettings
from jvgn.settings.parser import BUILT_IN_PARSERS
from jvgn.settings.world import WorldSettings
from jvgn.storage.parquet import read_table, write_table
from jvgn.training.checkpoint import load_model
from jvgn.training.examples import RULE_LOGITS
from jvgn.training.run import train
from jvgn.training.trainer import Trainer
from parsers.errors import BrokenFile, UserError
from tests.jvgn.conftest import make_small_world, small_world_in

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def settings(run_settings):
    small = run_settings(epochs=2, save_every=2, supervise="phrases")
    return small.model_copy(update={"potentials": "both"})


@pytest.fixture(scope="module")
def paths(settings, tmp_path_factory):
    """The folder of the run in a folder as the workflow's, made by the commands of the workflow."""
    project = tmp_path_factory.mktemp("project")
    paths = RunPaths("shapes", "gt", "both", project / "results")
    world = project / "world"
    make_small_world(world, WorldSettings(seed=3, train=24, val=4, test=4, adv=2, expressions_per_image=4))
    made = small_world_in(world)
    shutil.copytree(made.dataset, paths.tables)
    for file, place in (
        (made.nodes, paths.graphs("lexical") / "nodes.parquet"),
        (made.edges, paths.graphs("lexical") / "edges.parquet"),
        (made.regions, paths.regions("none")),
    ):
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    BUILT_IN_PARSERS["lexical"].write(paths.graphs("lexical") / "settings.yaml")
    EvaluationSettings().write(project / "evaluation.yaml")
    settings.write(paths.settings)
    files = ["--dataset", paths.tables, "--regions", paths.regions("none"), "--words", made.words]
    files += [
        "--nodes",
        paths.graphs("lexical") / "nodes.parquet",
        "--edges",
        paths.graphs("lexical") / "edges.parquet",
    ]
    files += ["--vectors", made.vectors]
    run = ["--settings", paths.settings]
    call("weigh-rules", *files, *run, "--images", world / "images", "--output", paths.rules)
    rules, history = ["--rules", paths.rules], ["--history", paths.folder / "history.parquet"]
    call("train", *files, *run, *rules, "--model", paths.model, *history, "--device", "cpu")
    evaluation = ["--evaluation", project / "evaluation.yaml", "--device", "cpu"]
    call("predict", *files, *rules, *evaluation, "--model", paths.model, "--output", paths.predictions)
    torch.set_deterministic_debug_mode("default")
    return paths


def call(*arguments):
    found = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert found.exit_code == 0, found.output


@pytest.fixture(scope="module")
def images(paths):
    return paths.results.parent / "world/images"


@pytest.fixture(scope="module")
def inputs(paths):
    return replace(small_world_in(paths.results.parent / "world"), rules=paths.rules)


def test_an_answer_about_a_picture_is_the_prediction_from_the_table(paths, images):
    grounder = Grounder.load(paths.folder, images=images)
    files = pd.read_parquet(paths.table("images")).set_index("image_id")["file_name"]
    expressions = pd.read_parquet(paths.table("expressions")).query("split == 'test'")
    predictions = pd.read_parquet(paths.predictions)
    for expression in expressions.itertuples():
        answer = grounder.answer(images / files[expression.image_id], " ".join(expression.tokens))
        expected = predictions[predictions["expression_id"] == expression.expression_id]
        np.testing.assert_allclose(answer.marginal_KN, np.stack(expected["marginal_of_regions"]), atol=1e-4)
        assert list(answer.region_K) == expected["region"].tolist()


def test_the_scales_are_learned_and_change_answers(paths, images, inputs, settings):
    model = load_model(paths.model, CPU).model
    assert not torch.isclose(model.rule_scale, torch.ones(2)).any()
    batch = next(inputs.examples(settings).batches("test", 4))
    with torch.no_grad():
        before = model(batch).marginal_KN
        model.rule_scale.zero_()
        assert not torch.allclose(before, model(batch).marginal_KN)


def test_a_phrase_alone_has_the_unary_potentials_of_its_node(inputs, settings):
    """In this world every node is annotated, so each has a copy."""
    batch = next(inputs.examples(settings).batches("train", 4))
    own_KN, copied_KN = batch.rule_unary_KN.chunk(2)
    assert torch.equal(own_KN, copied_KN) and len(own_KN.unique(dim=0)) > len(own_KN) / 2
    assert len(batch.rule_pairwise_ENN) == len(batch.edges_E2)


def test_an_interrupted_training_resumes_exactly(paths, inputs, settings, tmp_path, monkeypatch):
    step, steps = Trainer.step, iter(range(5))

    def interrupted(self, *arguments):
        if next(steps) == 4:
            raise KeyboardInterrupt
        step(self, *arguments)

    model = tmp_path / "model.safetensors"
    with monkeypatch.context() as patches, pytest.raises(KeyboardInterrupt):
        patches.setattr(Trainer, "step", interrupted)
        train(inputs, settings, model, tmp_path / "history.parquet", CPU)
    assert (tmp_path / "training_state.pt").exists()
    train(inputs, settings, model, tmp_path / "history.parquet", CPU)
    assert model.read_bytes() == paths.model.read_bytes()


def test_a_run_of_both_needs_a_table_that_fits(inputs, settings, tmp_path):
    with pytest.raises(UserError, match="--rules: missing, but the run has `potentials: both`"):
        replace(inputs, rules=None).examples(settings)
    table = read_table(inputs.rules, RULE_LOGITS).to_pydict()
    table["unary"][0].pop()
    write_table(tmp_path / "rules.parquet", table, RULE_LOGITS)
    with pytest.raises(BrokenFile, match="made from other expressions, regions or graphs"):
        replace(inputs, rules=tmp_path / "rules.parquet").examples(settings)


def test_given_boxes_without_categories_are_refused(paths, images):
    grounder = Grounder.load(paths.folder, images=images)
    with pytest.raises(UserError, match="its rules need the categories of regions"):
        grounder.look_at(min(images.glob("*.jpg")), np.array([[0, 0, 9, 9]]))
