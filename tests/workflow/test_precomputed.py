"""Precomputed features become regions; no detector is trained, and what theirs learned from is unproven."""

import json

import numpy as np
import pandas as pd

from jvgn.regions.hdf5_store import RegionStore


def finish(project, *targets):
    run = project.snakemake("--quiet", "host", "--", *targets)
    logs = [path.read_text() for path in (project.folder / "logs").rglob("*theirs*")]
    assert run.returncode == 0, "\n".join([run.stdout, run.stderr, *logs])


def test_precomputed_features_become_regions_with_recall_and_a_verdict(project, miniature):
    config = miniature()
    config["detectors"]["theirs"] = {"source": "precomputed", "format": "npz", "detections": "resources/theirs"}
    config["runs"]["theirs"] = {"detector": "theirs"}
    project.configure(config)
    try:
        finish(project, "results/datasets/shapes/images.parquet")
        images = pd.read_parquet(project.folder / "results/datasets/shapes/images.parquet")
        objects = pd.read_parquet(project.folder / "results/datasets/shapes/objects.parquet").groupby("image_id")
        folder = project.folder / "resources/theirs"
        folder.mkdir()
        for image_id in images["image_id"]:
            box = objects.get_group(image_id)[["x1", "y1", "x2", "y2"]].to_numpy()
            np.savez(folder / f"{image_id}.npz", boxes=box, features=np.full((len(box), 7), image_id % 100))
        planned = project.planned("results/shapes_det/runs/theirs/metrics.json")
        assert {"import_regions", "merge_regions", "measure_recall", "declare_detector", "prove_detector"} <= planned
        assert not {"train_detector", "extract_regions"} & planned
        regions, proof = "results/regions/shapes_det/theirs", "results/detectors/shapes/theirs/proof.json"
        finish(project, f"{regions}.recall.json", proof)
        assert project.planned(f"{regions}.recall.json", proof) == set()
    finally:
        project.configure(miniature())
    store = RegionStore(project.folder / f"{regions}.h5")
    assert store.image_ids.tolist() == sorted(images["image_id"])
    assert store.feature_size == 7 and store.precision == "float16"
    recall = json.loads((project.folder / f"{regions}.recall.json").read_text())["splits"]
    assert {split: values["oracle_recall"] for split, values in recall.items()} == dict.fromkeys(recall, 100)
    assert json.loads((project.folder / proof).read_text())["verdict"] == "unproven"


def test_a_setting_without_files_stops_the_plan_and_names_the_key(project, miniature):
    config = miniature()
    config["detectors"]["theirs"] = {"source": "precomputed", "format": "npz", "detections": "resources/theirs"}
    project.configure(config)
    try:
        plan = project.snakemake("--dry-run", "--", "results/regions/shapes_gt/theirs.h5")
    finally:
        project.configure(miniature())
    assert plan.returncode == 1
    assert "detectors.theirs names no files of `objects`, which the setting gt needs" in plan.stdout + plan.stderr
