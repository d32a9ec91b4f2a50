"""What the workflow would do, and refuses to do, before any job: mistakes, targets, the road of real data."""

import re

import pytest

PHOTOGRAPHS = ["refcoco", "refcoco+", "refcocog", "refcocog-google"]


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("evalution", {}, "unknown key evalution"),
        ("evaluation", {"iou_threshold": 2}, "evaluation.iou_threshold"),
    ],
)
def test_a_typo_in_the_configuration_stops_before_any_job(project, miniature, key, value, message):
    project.configure(miniature() | {key: value})
    try:
        run = project.snakemake("--", "demo")
    finally:
        project.configure(miniature())
    assert run.returncode == 1
    assert message in run.stderr
    assert "Traceback" not in run.stderr and "Job stats" not in run.stderr


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("results/shapez_gt/metrics.json", "config.yaml has no dataset shapez; it has: refcoco, refcoco+"),
        ("results/shapes_gt/runs/odd/metrics.json", "config.yaml has no run odd; it has: default, unmarginalised"),
    ],
)
def test_a_target_that_the_configuration_lacks_is_named(project, target, message):
    run = project.snakemake("--", target)
    assert run.returncode == 1
    assert message in run.stderr and "Traceback" not in run.stderr


def test_the_workflow_is_in_good_condition(project):
    run = project.snakemake("--lint")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("dataset", ["refcoco", "refcoco+", "refcocog"])
def test_real_data_takes_the_same_road(project, dataset):
    """With annotations, images and weights in place, the plan for RefCOCO has the rules of the demo."""
    place_real_data(project)
    planned = project.planned(f"results/{dataset}_det/metrics.json")
    stages = {"read_dataset", "read_training_set", "exclude_images", "train_detector", "prove_detector"}
    assert stages | {"extract_regions", "train", "score"} <= planned


def test_one_detector_serves_all_photographs_and_learns_from_no_evaluation_image(project):
    """Whatever dataset is run, the val and test images of all four are withheld."""
    place_real_data(project)
    plan = project.snakemake(
        "--dry-run", "--quiet", "host", "--", *(f"results/{name}_det/metrics.json" for name in PHOTOGRAPHS)
    )
    assert plan.returncode == 0, plan.stderr
    blocks = (plan.stdout + plan.stderr).split("\n[")
    (training,) = [block for block in blocks if "rule train_detector:" in block]
    (excluding,) = [block for block in blocks if "rule exclude_images:" in block]
    assert "results/detectors/coco/excluded.parquet" in training
    assert "train2014" not in re.search(r"^ +input: (.*)$", training, re.M)[1]  # the cache cannot hash a folder
    for name in PHOTOGRAPHS:
        assert f"results/datasets/{name}/expressions.parquet" in excluding


def test_a_given_detector_is_taken_over_and_proved_but_not_trained(project, miniature):
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


def test_imagenet_weights_are_fetched_where_the_user_has_put_none_and_never_over_the_users(another_project):
    project, target = another_project(), "results/detectors/coco/resnet101/weights.safetensors"
    place_real_data(project)
    weights = project.folder / "resources/weights/resnet101.pth"
    weights.unlink()
    assert {"fetch_weights", "train_detector"} <= project.planned(target)
    weights.touch()
    project.edit("jvgn/regions/fetching.py")
    planned = project.planned(target)
    assert "train_detector" in planned and "fetch_weights" not in planned
    forced = project.snakemake("--dry-run", "--forceall", "--", target)
    assert "rule train_detector:" in forced.stdout and "fetch_weights" not in forced.stdout


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
