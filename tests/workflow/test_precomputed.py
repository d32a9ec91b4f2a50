"""Precomputed features become regions; no detector is trained, and what theirs learned from is unproven."""

import json
import re

import numpy as np
import pandas as pd

from jvgn.regions.hdf5_store import RegionStore


def test_precomputed_features_become_regions_with_recall_and_a_verdict(finished, miniature):
    config = miniature()
    config["detectors"]["theirs"] = {"source": "precomputed", "format": "npz", "detections": "resources/theirs"}
    config["runs"]["theirs"] = {"detector": "theirs"}
    finished.configure(config)
    images = pd.read_parquet(finished.folder / "results/datasets/shapes/images.parquet")
    objects = pd.read_parquet(finished.folder / "results/datasets/shapes/objects.parquet").groupby("image_id")
    (finished.folder / "resources/theirs").mkdir()
    for image_id in images["image_id"]:
        box = objects.get_group(image_id)[["x1", "y1", "x2", "y2"]].to_numpy()
        file = finished.folder / f"resources/theirs/{image_id}.npz"
        np.savez(file, boxes=box, features=np.full((len(box), 7), image_id % 100))
    regions, proof = "results/regions/shapes_det/theirs", "results/detectors/shapes/theirs/proof.json"
    run = finished.snakemake("--quiet", "host", "--", f"{regions}.recall.json", proof)
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    made = set(re.findall(r"^(?:local)?rule (\w+):", said, re.M))
    assert {"import_regions", "merge_regions", "measure_recall", "declare_detector", "prove_detector"} <= made
    assert not {"train_detector", "extract_regions"} & made
    store = RegionStore(finished.folder / f"{regions}.h5")
    assert store.image_ids.tolist() == sorted(images["image_id"])
    assert store.feature_size == 7 and store.precision == "float16"
    recall = json.loads((finished.folder / f"{regions}.recall.json").read_text())["splits"]
    assert {split: values["oracle_recall"] for split, values in recall.items()} == dict.fromkeys(recall, 100)
    assert json.loads((finished.folder / proof).read_text())["verdict"] == "unproven"


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
