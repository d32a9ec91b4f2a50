"""Plans: mistakes are named before any job, and real data take the same rules as the embedded world."""

import re

import pytest

PHOTOGRAPHS = ["refcoco", "refcoco+", "refcocog", "refcocog-google"]


def test_a_typo_in_the_configuration_stops_before_any_job(project, miniature):
    project.configure(miniature() | {"evalution": {}})
    try:
        run = project.snakemake("--", "demo")
    finally:
        project.configure(miniature())
    assert run.returncode == 1
    assert "unknown key evalution" in run.stderr
    assert "Traceback" not in run.stderr and "Job stats" not in run.stderr


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("results/shapez_gt/metrics.json", "No rule to produce results/shapez_gt/metrics.json"),
        ("results/shapes_gt/runs/odd/metrics.json", "No rule to produce results/shapes_gt/runs/odd"),
    ],
)
def test_a_target_that_cannot_be_made_is_named(project, target, message):
    run = project.snakemake("--", target)
    assert run.returncode == 1 and message in run.stdout + run.stderr


def test_snakemake_finds_nothing_to_lint(project):
    run = project.snakemake("--lint")
    assert run.returncode == 0, run.stdout + run.stderr


def test_real_data_take_the_rules_of_the_demo(project):
    """With annotations, images and weights in place, the plan for RefCOCOg has the rules and the report of the demo."""
    place_real_data(project)
    planned = project.planned("results/refcocog_det/report/results.html")
    stages = {"read_dataset", "read_training_set", "exclude_images", "train_detector", "prove_detector"}
    assert stages | {"extract_regions", "train", "score"} <= planned
    figures = {"draw_learning", "draw_sizes", "draw_calibration", "draw_ablation", "draw_recall", "draw_coverage"}
    assert figures | {"draw_average_precision", "draw_examples", "write_gallery", "write_results"} <= planned


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


FETCHING = {"download_source", "provide_file", "provide_folder"}


def test_missing_files_are_downloaded_and_existing_ones_never_replaced(another_project):
    """Even if the code of the downloads changes, or everything is forced."""
    project, target = another_project(), "results/refcocog_det/metrics.json"
    assert FETCHING | {"mark_folder", "train_detector", "score"} <= project.planned(target)
    place_real_data(project)
    project.edit("jvgn/downloads/download.py")
    planned = project.planned(target)
    assert "train_detector" in planned and not FETCHING & planned
    forced = project.snakemake("--dry-run", "--forceall", "--", target)
    assert "rule train_detector:" in forced.stdout and "download_source" not in forced.stdout


def test_an_existing_archive_is_unpacked_and_not_downloaded(another_project):
    project = another_project()
    place(project.folder / "resources/downloads/refcocog.zip")
    planned = project.planned("results/datasets/refcocog/images.parquet")
    assert "provide_file" in planned and "download_source" not in planned


def test_the_stanza_model_is_downloaded_for_a_run_that_needs_it(another_project, miniature):
    project = another_project()
    config = miniature()
    config["runs"]["neural"] = {"parser": "stanza"}
    project.configure(config)
    target = "results/graphs/shapes/stanza/nodes.parquet"
    assert {"provide_file", "provide_folder", "parse_expressions"} <= project.planned(target)
    for name in ("tagger.pt", "parser.pt", "vectors.pt"):
        place(project.folder / "resources/stanza" / name)
    assert not FETCHING & project.planned(target)


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
