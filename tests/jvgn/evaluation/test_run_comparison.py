"""Tables over runs, from metrics that are written by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from jvgn.evaluation.metrics import (
    ImageBootstrap,
    Metrics,
    MetricsProvenance,
    Shares,
    Split,
    read_metrics,
    write_metrics,
)
from jvgn.evaluation.run_comparison import ComparedRun, ScoredRun, ablate, compare, summary
from jvgn.settings.run import RunSettings, TrainingSettings
from jvgn.storage.files import sha256
from jvgn.storage.records import write_origin
from parsers.errors import UserError

from .conftest import write_predictions

PROVENANCE = MetricsProvenance(seed=0, detector_proof="proved")


def split(accuracy, **ways):
    by_decoding = {way: Shares(accuracy=value, context_accuracy=value / 2) for way, value in ways.items()}
    return Split(n=8, accuracy=accuracy, oracle_recall=99, mean_regions=4.5, by_decoding=by_decoding)


def written(path, splits, run="default", seed=0):
    provenance = MetricsProvenance(seed=seed, detector_proof="proved")
    write_metrics(path, Metrics(dataset="shapes", setting="gt", run=run, splits=splits, provenance=provenance))
    return path


def metrics_of(tmp_path, seed, accuracy):
    ways = {"unary": accuracy - 10, "marginal": accuracy, "map": accuracy + 1}
    return written(tmp_path / f"{seed}.json", {"test": split(accuracy, **ways)}, seed=seed)


@pytest.fixture
def compared(world):
    """A function that compares runs, each a name, a seed, its accuracy in the metrics, and the nodes it found."""

    def write(*runs, **against):
        files = [
            ComparedRun(
                name,
                metrics_of(world, seed, accuracy),
                write_predictions(world / f"{name}_{seed}.parquet", correct),
                world / "nodes.parquet",
                world / "edges.parquet",
            )
            for name, seed, accuracy, correct in runs
        ]
        compare(world, files, world / "compare.csv", against)
        return pd.read_csv(world / "compare.csv").set_index(["run", "decoding", "split"]).sort_index()

    return write


ALL, NONE = (True, True, None, True, True), (False, False, None, False, False)
SECOND = (False, False, None, True, True)
"""Only the second caption's objects."""


def test_runs_are_compared_over_their_seeds(compared):
    table = compared(("full", 0, 90, ALL), ("full", 1, 92, ALL), ("full", 2, 97, ALL), ("other", 3, 80, NONE))
    full = table.loc[("full", "marginal", "test")]
    assert (full["seeds"], full["accuracy"]) == (3, 93) and full["accuracy_sd"] == pytest.approx(13**0.5, abs=1e-4)
    assert table.loc[("full", "map", "test"), "accuracy"] == 94
    assert np.isnan(table.loc[("other", "unary", "test"), "accuracy_sd"])


def test_a_run_is_tested_against_the_first_on_the_same_sentences_and_mentions(compared):
    table = compared(("first", 0, 50, SECOND), ("better", 1, 90, ALL), ("better", 2, 90, SECOND))
    assert table.loc["first", "against"].isna().all() and table.loc["first", "accuracy_p"].isna().all()
    row = table.loc[("better", "marginal", "test")]
    # One of two seeds finds the first caption's objects too. Each caption is an image of its own; the context has three
    # mentions, two of them in the first image, where one matches no node.
    referents = ImageBootstrap(np.array([5, 6])).difference(np.array([0.5, 1]), np.array([0, 1]))
    context = ImageBootstrap(np.array([5, 5, 6])).difference(np.array([0.5, 0, 1]), np.array([0, 0, 1]))
    assert row["against"] == "first"
    for measure, expected in (("accuracy", referents), ("context_accuracy", context)):
        found = [row[f"{measure}_{name}"] for name in ("difference", "low", "high", "p")]
        assert found == pytest.approx(list(expected))
    assert row["accuracy_difference"] == 25 and row["accuracy_low"] < 25 < row["accuracy_high"]


def test_a_run_may_be_tested_against_another_than_the_first(compared):
    table = compared(("first", 0, 50, SECOND), ("full", 1, 90, ALL), ("plain", 1, 90, NONE), full="plain", first="full")
    assert table["against"].groupby("run").first().to_dict() == {"first": "full", "full": "plain", "plain": "first"}
    differences = table["accuracy_difference"].groupby("run").first()
    assert differences.to_dict() == {"first": -50, "full": 100, "plain": -50}


def test_a_seed_counts_once(compared):
    with pytest.raises(UserError, match="run full has seed 0 twice"):
        compared(("full", 0, 90, ALL), ("full", 0, 90, ALL))


@pytest.fixture
def scored(tmp_path):
    """A function that writes the metrics and the settings of a run."""

    def write(name, marginalise, splits, **training):
        settings = RunSettings(
            detector="tiny", vocabulary="small", training=TrainingSettings(marginalise=marginalise, **training)
        )
        settings.write(tmp_path / name / "settings.yaml")
        return ScoredRun(written(tmp_path / name / "metrics.json", splits, run=name), tmp_path / name / "settings.yaml")

    return write


def test_the_ablation_has_four_rows_for_each_split_from_two_runs(scored, tmp_path):
    full = scored("full", True, {"val": split(90, unary=50, marginal=90), "adv": split(80, unary=40, marginal=80)})
    plain = scored("plain", False, {"val": split(61, unary=60, marginal=61), "adv": split(31, unary=30, marginal=31)})
    ablate(full, plain, tmp_path / "ablation.csv")
    lines = (tmp_path / "ablation.csv").read_text().splitlines()
    assert lines == [
        "marginalise_training,marginalise_inference,split,accuracy,context_accuracy",
        "False,False,adv,30.0,15.0",
        "False,False,val,60.0,30.0",
        "False,True,adv,31.0,15.5",
        "False,True,val,61.0,30.5",
        "True,False,adv,40.0,20.0",
        "True,False,val,50.0,25.0",
        "True,True,adv,80.0,40.0",
        "True,True,val,90.0,45.0",
    ]


@pytest.mark.parametrize(
    ("marginalise", "other"), [((True, True), {}), ((False, False), {}), ((True, False), {"epochs": 3})]
)
def test_the_ablation_compares_runs_that_differ_only_in_marginalisation(scored, tmp_path, marginalise, other):
    splits = {"val": split(90, unary=50, marginal=90)}
    full, plain = scored("full", marginalise[0], splits), scored("plain", marginalise[1], splits, **other)
    with pytest.raises(UserError, match=r"except for training\.marginalise"):
        ablate(full, plain, tmp_path / "ablation.csv")
    assert not (tmp_path / "ablation.csv").exists()


def test_the_summary_has_a_row_for_each_split_and_names_files_that_exist(tmp_path):
    found = split(90).model_copy(update={"accuracy_interval": [88.2, 91.9]})
    written(tmp_path / "shapes_gt/metrics.json", {"val": found}, run="mine")
    (tmp_path / "shapes_gt/examples.png").touch()
    header, _, row, _, step = summary([tmp_path / "shapes_gt"])
    assert header.split()[:3] == ["setting", "split", "accuracy"]
    assert row.split() == ["shapes_gt", "mine", "val", "90.0", "(88.2–91.9)", "99.0", "4.5", "8"]
    assert "examples.png" in step


def test_the_summary_marks_figures_whose_inputs_changed_since(tmp_path):
    metrics, model = tmp_path / "shapes_gt/metrics.json", tmp_path / "shapes_gt/model.safetensors"
    written(metrics, {"val": split(90)})
    for content, is_stale in (("first", False), ("second", True)):
        model.write_text(content)
        write_origin(model, "train", {}, {}, {})
        if not is_stale:
            write_origin(metrics, "score", {model: sha256(model)}, {}, {})
        lines = summary([tmp_path / "shapes_gt"])
        assert ("(stale)" in lines[2]) == is_stale
        remarks = [line for line in lines if line.startswith(f"stale: {metrics}: made from another ")]
        assert len(remarks) == is_stale


def test_metrics_are_read_as_they_were_written(tmp_path):
    whole = Metrics(
        dataset="shapes", setting="gt", run="default", splits={"val": split(90, unary=50)}, provenance=PROVENANCE
    )
    write_metrics(tmp_path / "metrics.json", whole)
    assert read_metrics(tmp_path / "metrics.json") == whole
    val = json.loads((tmp_path / "metrics.json").read_text())["splits"]["val"]
    assert "supporting" not in val and "calibration_error" not in val  # unknown values are left out
