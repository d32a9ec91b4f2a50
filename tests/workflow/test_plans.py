"""Plans: mistakes are named before any job, and real data take the same rules as the embedded world."""

import os
import re

import pytest

PHOTOGRAPHS = ["refcoco", "refcoco+", "refcocog", "refcocog-google"]


@pytest.fixture(scope="module")
def photographs(another_project):
    """The plan of all datasets of photographs, whose annotations, images and weights are in place."""
    project = another_project()
    place_real_data(project)
    targets = [
        "results/refcocog_det/report/results.html",
        *(f"results/{name}_det/metrics.json" for name in PHOTOGRAPHS),
    ]
    plan = project.snakemake("--dry-run", "--quiet", "host", "--", *targets)
    assert plan.returncode == 0, plan.stderr
    return (plan.stdout + plan.stderr).split("\n[")


def test_real_data_take_the_rules_of_the_demo(photographs):
    planned = {name for block in photographs for name in re.findall(r"^(?:local)?rule (\w+):", block, re.M)}
    stages = {"read_dataset", "read_training_set", "exclude_images", "train_detector", "prove_detector"}
    assert stages | {"extract_regions", "train", "score"} <= planned
    figures = {"draw_learning", "draw_sizes", "draw_calibration", "draw_ablation", "draw_recall", "draw_coverage"}
    assert figures | {"draw_average_precision", "draw_examples", "write_gallery", "write_results"} <= planned


def test_one_detector_serves_all_photographs_and_learns_from_no_evaluation_image(photographs):
    (training,) = [block for block in photographs if "rule train_detector:" in block]
    (excluding,) = [block for block in photographs if "rule exclude_images:" in block]
    assert "results/detectors/coco/excluded.parquet" in training
    inputs = re.search(r"^ +input: (.*)$", training, re.M)[1].split(", ")
    assert "resources/coco/train2014" not in inputs  # the cache cannot hash a folder
    assert "resources/coco/train2014.ready" in inputs  # always: a new input would be a reason to train again
    for name in PHOTOGRAPHS:
        assert f"results/datasets/{name}/expressions.parquet" in excluding


def test_a_given_detector_is_adopted_and_proved_but_not_trained(project, miniature):
    config = miniature()
    config["detectors"]["given"] = {"source": "detectron2", "weights": "resources/weights/model_final.pkl"}
    place(project.folder / "resources/weights/model_final.pkl")
    config["runs"]["given"] = {"detector": "given"}
    project.configure(config)
    try:
        planned = project.planned("results/shapes_det/runs/given/metrics.json")
    finally:
        project.configure(miniature())
    assert {"adopt_detector", "prove_detector", "extract_regions", "score"} <= planned
    assert "train_detector" not in planned


CONDA = """#!/bin/sh
case "$*" in
    "info --json") echo '{"conda_version": "25.3.0", "platform": "linux-64", "conda_prefix": "/"}' ;;
    --version) echo conda 25.3.0 ;;
    *) echo '{"get": {"channel_priority": "strict"}}' ;;
esac
"""


def test_a_run_with_detectron2_takes_its_environment(another_project, tmp_path, monkeypatch):
    project, conda = another_project(), tmp_path / "conda"
    place_real_data(project)
    conda.write_text(CONDA)
    conda.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for target, is_needed in (("runs/d2/metrics.json", True), ("metrics.json", False)):
        plan = project.snakemake("--dry-run", "--sdm", "conda", "--", f"results/refcocog_det/{target}")
        assert plan.returncode == 0, plan.stderr
        assert "envs/jvgn.yaml will be created" in plan.stdout + plan.stderr
        assert ("envs/detectron2.yaml will be created" in plan.stdout + plan.stderr) == is_needed


FETCHING = {"download_source", "provide_file", "provide_folder"}


def test_missing_files_are_downloaded_and_existing_ones_never_replaced(another_project):
    """Even if the code of the downloads changes and everything is forced."""
    project, target = another_project(), "results/refcocog_det/metrics.json"
    assert FETCHING | {"mark_folder", "train_detector", "score"} <= project.planned(target)
    place_real_data(project)
    project.edit("jvgn/downloads/download.py")
    forced = project.snakemake("--dry-run", "--forceall", "--", target)
    assert "rule train_detector:" in forced.stdout and not any(f"rule {name}:" in forced.stdout for name in FETCHING)


def test_an_existing_archive_is_unpacked_and_not_downloaded(another_project):
    project = another_project()
    place(project.folder / "resources/downloads/refcocog.zip")
    planned = project.planned("results/datasets/refcocog/images.parquet")
    assert "provide_file" in planned and "download_source" not in planned


def test_the_stanza_model_is_downloaded_for_a_run_that_needs_it(project, miniature):
    config = miniature()
    config["runs"]["neural"] = {"parser": "stanza"}
    project.configure(config)
    try:
        planned = project.planned("results/graphs/shapes/stanza/nodes.parquet")
    finally:
        project.configure(miniature())
    assert {"provide_file", "provide_folder", "parse_expressions"} <= planned


def place_real_data(project):
    for name, split in (("refcoco", "unc"), ("refcoco+", "unc"), ("refcocog", "umd"), ("refcocog", "google")):
        for file in (f"resources/{name}/refs({split}).p", f"resources/{name}/instances.json"):
            place(project.folder / file)
    place(project.folder / "resources/coco/annotations/instances_train2014.json")
    place(project.folder / "resources/weights/resnet101.pth")
    place(project.folder / "resources/glove/glove.840B.300d.zip")
    (project.folder / "resources/coco/train2014").mkdir(parents=True, exist_ok=True)


def place(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
