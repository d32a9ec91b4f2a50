"""What the paper's tables would take, before anything is run."""

import time

import pytest

ANNOTATIONS = ["refcoco/refs(unc).p", "refcoco+/refs(unc).p", "refcocog/refs(umd).p", "refcocog/refs(google).p"]
ANNOTATIONS += [f"{name}/instances.json" for name in ("refcoco", "refcoco+", "refcocog")]
ANNOTATIONS += ["coco/annotations/instances_train2014.json", "glove/glove.840B.300d.zip"]


@pytest.fixture(scope="module")
def with_data(another_project):
    project = another_project()
    for file in ANNOTATIONS:
        path = project.folder / "resources" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (project.folder / "resources/coco/train2014").mkdir()
    return project


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
def test_a_table_is_planned_from_the_runs_that_it_shows(with_data, table, runs):
    planned, seconds = planned_metrics(with_data, table)
    assert planned == {f"results/{run}/metrics.json" for run in runs}
    assert seconds < 30


def test_annotations_of_supporting_objects_add_the_run_that_they_measure(with_data):
    brought = with_data.folder / "resources/groundnet/supporting.csv"
    brought.parent.mkdir()
    brought.touch()
    planned, _ = planned_metrics(with_data, "supporting")
    assert "results/refcocog-google_gt/metrics.json" in planned


def test_a_table_whose_run_the_configuration_lacks_says_what_to_add(with_data, miniature):
    config = miniature()
    del config["runs"]["vgg16"]
    with_data.configure(config)
    run = with_data.snakemake("--dry-run", "--", "results/tables/table_vgg.csv")
    with_data.configure(miniature())
    assert run.returncode == 1
    assert "config.yaml has no run vgg16" in run.stdout and "runs: {vgg16: {detector: vgg16}}" in run.stdout


def test_a_run_whose_detector_may_have_seen_the_dataset_is_refused_when_asked_for(project):
    run = project.snakemake("--dry-run", "--", "results/shapes_gt/runs/vgg16/metrics.json")
    assert run.returncode == 1
    assert "detector vgg16 learns from coco, which does not withhold shapes" in run.stdout
