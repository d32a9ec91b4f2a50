"""What the paper's tables would take, before anything is run."""

import time

import pytest


@pytest.fixture(scope="module")
def empty(another_project):
    """A project in which nothing was downloaded."""
    return another_project()


def planned_metrics(project, table):
    """The runs that a table would score, and the seconds that the plan took."""
    started = time.monotonic()
    plan = project.snakemake("--dry-run", "--quiet", "host", "--", f"results/tables/{table}.csv")
    taken = time.monotonic() - started
    assert plan.returncode == 0, plan.stdout + plan.stderr
    blocks = (plan.stdout + plan.stderr).split("\n[")
    outputs = [line.split()[-1] for block in blocks for line in block.splitlines() if line.startswith("    output: ")]
    assert f"results/tables/{table}.md" in outputs
    return {path for path in outputs if path.endswith("/metrics.json")}, taken


@pytest.mark.parametrize(
    ("table", "runs"),
    [
        ("table1", [f"{data}_{setting}" for data in ("refcoco", "refcoco+", "refcocog") for setting in ("gt", "det")]),
        ("table2", [f"refcocog_{s}{run}" for s in ("gt", "det") for run in ("", "/runs/unmarginalised")]),
        (
            "table_vgg",
            [f"{data}_{s}/runs/vgg16" for data in ("refcoco", "refcoco+", "refcocog") for s in ("gt", "det")],
        ),
        ("supporting", ["shapes_gt", "shapes_det"]),
    ],
)
def test_a_table_is_planned_from_the_runs_that_it_shows(empty, table, runs):
    planned, seconds = planned_metrics(empty, table)
    assert planned == {f"results/{run}/metrics.json" for run in runs}
    assert seconds < 30


def test_annotations_of_supporting_objects_add_the_run_that_they_measure(empty):
    brought = empty.folder / "resources/groundnet/supporting.csv"
    brought.parent.mkdir(parents=True)
    brought.touch()
    planned, _ = planned_metrics(empty, "supporting")
    assert "results/refcocog-google_gt/metrics.json" in planned


def test_a_table_whose_run_the_configuration_lacks_says_what_to_add(empty, miniature):
    config = miniature()
    del config["runs"]["vgg16"]
    empty.configure(config)
    run = empty.snakemake("--dry-run", "--", "results/tables/table_vgg.csv")
    empty.configure(miniature())
    assert run.returncode == 1
    assert "config.yaml has no run vgg16" in run.stdout and "runs: {vgg16: {detector: vgg16}}" in run.stdout


def test_a_run_whose_detector_may_have_seen_the_dataset_is_refused_when_asked_for(project):
    run = project.snakemake("--dry-run", "--", "results/shapes_gt/runs/vgg16/metrics.json")
    assert run.returncode == 1
    assert "detector vgg16 learns from coco, which does not withhold shapes" in run.stdout
