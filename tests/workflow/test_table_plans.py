"""Plans of the paper's tables."""

import re

import pytest

DATASETS, SETTINGS = ("refcoco", "refcoco+", "refcocog"), ("gt", "det")


@pytest.fixture(scope="module")
def empty(another_project):
    """A project in which nothing was downloaded."""
    return another_project()


def planned_metrics(project, *tables):
    """The runs whose metrics each table would be made of."""
    plan = project.snakemake("--dry-run", "--quiet", "host", "--", *(f"results/tables/{name}.csv" for name in tables))
    assert plan.returncode == 0, plan.stdout + plan.stderr
    blocks = [block for block in (plan.stdout + plan.stderr).split("\n[") if "rule write_table:" in block]
    inputs = {re.search(r"table=(\w+)", block)[1]: re.search(r"^ +input: (.*)$", block, re.M)[1] for block in blocks}
    return {table: set(re.findall(r"results/(\S+)/metrics\.json", files)) for table, files in inputs.items()}


def test_all_tables_are_planned_with_nothing_downloaded(empty):
    assert planned_metrics(empty, "table1", "table2", "table_vgg", "supporting") == {
        "table1": {f"{dataset}_{setting}" for dataset in DATASETS for setting in SETTINGS},
        "table2": {f"refcocog_{setting}{run}" for setting in SETTINGS for run in ("", "/runs/unmarginalised")},
        "table_vgg": {f"{dataset}_{setting}/runs/vgg16" for dataset in DATASETS for setting in SETTINGS},
        "supporting": {"shapes_gt", "shapes_det"},
    }


def test_annotations_of_supporting_objects_add_the_run_that_they_measure(empty):
    brought = empty.folder / "resources/groundnet/supporting.csv"
    brought.parent.mkdir(parents=True)
    brought.touch()
    assert planned_metrics(empty, "supporting")["supporting"] == {"refcocog-google_gt", "shapes_gt", "shapes_det"}


def test_a_table_names_the_run_that_the_configuration_lacks(empty, miniature):
    config = miniature()
    del config["runs"]["vgg16"]
    empty.configure(config)
    run = empty.snakemake("--dry-run", "--", "results/tables/table_vgg.csv")
    empty.configure(miniature())
    assert run.returncode == 1
    assert "unknown run vgg16" in run.stdout + run.stderr


def test_a_run_whose_detector_may_have_seen_the_dataset_is_refused_when_asked_for(empty):
    run = empty.snakemake("--dry-run", "--", "results/shapes_gt/runs/vgg16/metrics.json")
    assert run.returncode == 1
    assert "detector vgg16 is trained on coco" in run.stdout + run.stderr
