"""Regions of real photographs: images and annotations of COCO, an untrained ResNet-101."""

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from jvgn.regions.hdf5_store import RegionStore
from tests.workflow.conftest import copy_project, miniature_configuration

COCO = Path(os.environ.get("JVGN_SHARED", "../shared")).resolve() / "data" / "coco128"
pytestmark = pytest.mark.skipif(not COCO.exists(), reason=f"no images in {COCO}; set JVGN_SHARED")

IMAGES = int(os.environ.get("JVGN_PHOTOGRAPHS", "4"))
"""How many of the 128 images are used."""


def choose(instances):
    """Return unusual images: a grey one, one with a box outside the image, the flattest, and others."""
    images = {image["id"]: image for image in instances["images"]}
    grey = [key for key, image in images.items() if Image.open(COCO / "images" / image["file_name"]).mode == "L"]
    leaving = [
        note["image_id"]
        for note in instances["annotations"]
        if note["bbox"][0] + note["bbox"][2] > images[note["image_id"]]["width"] + 1
    ]
    flattest = sorted(images, key=lambda key: min(images[key]["width"], images[key]["height"]))
    return grey[0], leaving[0], list(dict.fromkeys([grey[0], leaving[0], *flattest]))[:IMAGES]


def write_dataset(folder, instances, chosen):
    """Write REFER's files with a made-up sentence for each image: the category of its largest object."""
    folder.mkdir(parents=True)
    notes = [note for note in instances["annotations"] if note["image_id"] in chosen]
    names = {category["id"]: category["name"] for category in instances["categories"]}
    refs = []
    for number, image_id in enumerate(chosen):
        largest = max((note for note in notes if note["image_id"] == image_id), key=lambda note: note["area"])
        text = f"the {names[largest['category_id']]}"
        sentence = {"sent_id": number, "sent": text, "tokens": text.split()}
        split = "train" if number < IMAGES - 3 else "val"
        refs.append({"ref_id": number, "ann_id": largest["id"], "image_id": image_id, "split": split})
        refs[-1]["sentences"] = [sentence]
    kept = [image for image in instances["images"] if image["id"] in chosen]
    (folder / "instances.json").write_text(json.dumps(instances | {"images": kept, "annotations": notes}))
    (folder / "refs(made).p").write_bytes(pickle.dumps(refs))


@pytest.fixture(scope="module")
def photographs(tmp_path_factory):
    instances = json.loads((COCO / "instances_train2017.json").read_text())
    grey, leaving, chosen = choose(instances)
    config = miniature_configuration()
    project = copy_project(tmp_path_factory.mktemp("photographs"), config)
    write_dataset(project.folder / "resources/coco128", instances, chosen)
    config["detectors"]["random"] = {"backbone": "resnet101", "short_side": 224, "long_side": 373, "epochs": 0}
    run = config["datasets"]["shapes"]["run"] | {"detector": "random"}
    regions = {"proposals": 30, "batch_size": 2, "on_bad_input": "skip"}
    dataset = {"folder": "resources/coco128", "split_by": "made", "images": str(COCO / "images"), "run": run}
    config["datasets"]["coco128"] = dataset | {"regions": regions, "shards": 2}
    project.configure(config)
    targets = [f"results/regions/coco128_{setting}/random.recall.json" for setting in ("gt", "det")]
    run = project.snakemake("--quiet", "host", "--", *targets)
    logs = [path.read_text() for path in (project.folder / "logs").rglob("*coco128*/**/*.log")]
    assert run.returncode == 0, "\n".join([run.stdout, run.stderr, *logs])
    return project.folder / "results", grey, leaving, sorted(chosen)


@pytest.mark.parametrize("setting", ["gt", "det"])
def test_every_photograph_has_regions(photographs, setting):
    results, grey, leaving, chosen = photographs
    if setting == "gt":  # its only annotation cannot be a region
        chosen = [image_id for image_id in chosen if image_id != leaving]
    store = RegionStore(results / f"regions/coco128_{setting}/random.h5")
    assert store.image_ids.tolist() == chosen and grey in chosen
    images = pd.read_parquet(results / "datasets/coco128/images.parquet").set_index("image_id")
    assert store.feature_size == 2048 and store.precision == "float16"
    for image_id in chosen:
        found, image = store.read(image_id), images.loc[image_id]
        assert len(found) >= 1 and np.isfinite(found.feature).all()
        assert (found.box >= -1).all() and (found.box <= np.tile([image.width, image.height], 2) + 1).all()
        assert ((found.box[:, 2:] - found.box[:, :2]) > 0).all()
        assert len(found) == 1 or np.ptp(found.feature, axis=0).max() > 0


def test_annotated_regions_are_all_coco_boxes_inside_their_image(photographs):
    results, _, leaving, _ = photographs
    store = RegionStore(results / "regions/coco128_gt/random.h5")
    objects = pd.read_parquet(results / "datasets/coco128/objects.parquet")
    skipped = pd.read_csv(results / "regions/coco128_gt/random.skipped.csv")
    assert skipped["image_id"].tolist() == [leaving, leaving] and "is not inside the image" in skipped["reason"][0]
    assert skipped["object_id"][1] == -1 and "has no region" in skipped["reason"][1]
    for image_id in store.image_ids:
        own = objects[(objects["image_id"] == image_id) & ~objects["object_id"].isin(skipped["object_id"])]
        assert store.read(image_id).object_id.tolist() == own["object_id"].tolist()


def test_recall_is_measured(photographs):
    recall = json.loads((photographs[0] / "regions/coco128_gt/random.recall.json").read_text())["splits"]
    assert recall["val"]["n"] == 3 and recall["train"]["n"] == IMAGES - 3
