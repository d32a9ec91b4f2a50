"""A user's own dataset goes through the whole workflow, as docs/custom.md shows."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/custom.md").read_text()


def block(language):
    (found,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)
    return found


def run(project, *command):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(project.folder)}
    return subprocess.run(
        command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False, timeout=3600
    )


@pytest.fixture(scope="module")
def documented(another_project):
    """A project in which the commands of the page were run."""
    project = another_project()
    shutil.copytree(ROOT / "docs/examples", project.folder / "docs/examples")
    for line in block("bash").splitlines():
        done = run(project, *shlex.split(line))
        logs = [path.read_text() for path in (project.folder / "logs").rglob("*mine*") if path.is_file()]
        assert done.returncode == 0, "\n".join([line, done.stdout, done.stderr, *logs])
    return project, done.stdout


def test_the_example_goes_from_a_csv_and_pictures_to_metrics(documented):
    project, summary = documented
    metrics = json.loads((project.folder / "results/mine_det/metrics.json").read_text())
    assert (metrics["dataset"], metrics["setting"], metrics["run"]) == ("mine", "det", "default")
    assert metrics["splits"].keys() == {"val", "test"} and metrics["splits"]["test"]["n"] == 32
    assert metrics["splits"]["test"]["context_accuracy"] is not None
    assert metrics["provenance"]["detector_proof"] == "proved"
    assert "mine_det" in summary


def test_the_page_shows_the_files_of_the_example(documented):
    project, _ = documented
    assert (project.folder / "resources/mine/expressions.csv").read_text().startswith(block("csv"))
    assert (ROOT / "docs/examples/custom/config.yaml").read_text() == block("yaml")


def test_the_vocabulary_sizes_of_a_custom_dataset_are_listed(documented):
    project, _ = documented
    target = "results/vocabulary/mine/sweep.csv"
    done = project.snakemake("--configfile", "docs/examples/custom/config.yaml", "--", target)
    assert done.returncode == 0, done.stdout + done.stderr
    table = pd.read_csv(project.folder / target).set_index(["splits", "more_often_than"])
    words = pd.read_parquet(project.folder / "results/vocabulary/mine/small/words.parquet")
    assert table.loc[("train", 0), "size"] == len(words) and table["paper_size"].isna().all()


def test_a_changed_row_is_read_again_and_a_mistake_in_it_is_named(documented):
    project, _ = documented
    table = project.folder / "resources/mine/expressions.csv"
    command = shlex.split(block("bash").splitlines()[1])
    whole = table.read_text()
    lines = whole.splitlines(keepends=True)
    table.write_text("".join([*lines[:6], lines[6].replace(",train,", ",tset,"), *lines[7:]]))
    try:
        failed = project.snakemake(*command[1:])
    finally:
        table.write_text(whole)
    assert failed.returncode == 1
    (expected,) = re.findall(r"^Error: .*", PAGE, re.M)
    assert (project.folder / "logs/datasets/mine.log").read_text().splitlines() == [expected]


def test_a_missing_file_stops_the_workflow_before_any_job(another_project):
    project = another_project()
    shutil.copytree(ROOT / "docs/examples", project.folder / "docs/examples")
    plan = project.snakemake("--dry-run", *shlex.split(block("bash").splitlines()[1])[1:])
    said = plan.stdout + plan.stderr
    assert plan.returncode == 1 and "resources/mine/expressions.csv" in said and "Traceback" not in said
