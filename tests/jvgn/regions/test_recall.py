"""Coverage and recall of regions, against their plain definitions."""

import json

import numpy as np
import pandas as pd
import pyarrow.compute as pc
import pytest

from jvgn.boxes import iou
from jvgn.datasets.tables import BOXES, EXPRESSIONS, OBJECTS
from jvgn.regions.hdf5_store import Regions, RegionStore, RegionWriter, Skipped
from jvgn.regions.recall import measure_recall
from jvgn.storage.parquet import read_table, write_table


@pytest.fixture
def regions(drawn, tmp_path):
    """Expressions about every object; regions shifted by some pixels; image 40 left out."""
    objects = read_table(drawn.tables["objects"], OBJECTS).to_pandas()
    split = np.where(objects["image_id"] == 10, "train", np.where(objects["image_id"] >= 40, "test", "val"))
    columns = {"expression_id": range(len(objects)), "ref_id": range(len(objects)), "image_id": objects["image_id"]}
    columns |= {"object_id": objects["object_id"], "split": split, "text": "it", "tokens": [["it"]] * len(objects)}
    write_table(drawn.expressions, pd.DataFrame(columns).to_dict("list"), EXPRESSIONS)
    random = np.random.default_rng(0)
    with RegionWriter(tmp_path / "regions.h5", 1, "float32", {"setting": "det"}) as writer:
        for image_id, own in objects.groupby("image_id"):
            box = own[["x1", "y1", "x2", "y2"]].to_numpy(np.float32) + random.uniform(-6, 6, (len(own), 1))
            one, none = np.ones(len(own), np.float32), np.full(len(own), -1)
            if image_id == 40:
                writer.skip(Skipped(40, -1, "lost"))
            else:
                writer.append(image_id, Regions(box.astype(np.float32), one[:, None], one, none.astype(np.int32), none))
    return tmp_path / "regions.h5"


def test_recall_is_the_plain_definition_and_counts_what_was_left_out(drawn, regions, tmp_path):
    measure_recall(drawn.root, regions, 0.5, tmp_path / "recall.json")
    found = json.loads((tmp_path / "recall.json").read_text())
    assert found["iou_threshold"] == 0.5 and list(found["splits"]) == ["train", "val", "test"]
    store, objects = RegionStore(regions), read_table(drawn.tables["objects"], OBJECTS).to_pandas()
    for split, image_ids in {"train": [10], "val": [20, 30], "test": [40, 50]}.items():
        own = objects[objects["image_id"].isin(image_ids)]
        hits = [
            row.image_id != 40 and iou(store.read(row.image_id).box, [row.x1, row.y1, row.x2, row.y2]).max() > 0.5
            for row in own.itertuples()
        ]
        values = found["splits"][split]
        assert values["n"] == len(own) and values["oracle_recall"] == pytest.approx(100 * np.mean(hits), abs=1e-3)
        assert values["skipped"] == (3 if split == "test" else 0)
    assert 0 < found["splits"]["val"]["oracle_recall"] < 100


@pytest.mark.parametrize(("threshold", "is_warned"), [(0.5, True), (0.0, False)])
def test_a_recall_far_below_the_fields_is_a_warning(drawn, regions, tmp_path, caplog, threshold, is_warned):
    kept = read_table(drawn.expressions, EXPRESSIONS).filter(pc.field("image_id") != 40)
    write_table(drawn.expressions, kept, EXPRESSIONS)
    measure_recall(drawn.root, regions, threshold, tmp_path / "recall.json")
    recalls = [
        split["oracle_recall"] for split in json.loads((tmp_path / "recall.json").read_text())["splits"].values()
    ]
    assert (min(recalls) < 75) == is_warned
    assert (f"covers only {min(recalls):.1f} % of the referents" in caplog.text) == is_warned


def test_an_object_with_several_boxes_is_covered_if_one_of_them_is(drawn, regions, tmp_path):
    measure_recall(drawn.root, regions, 0.5, tmp_path / "one.json")
    objects = read_table(drawn.tables["objects"], OBJECTS).to_pandas()
    sides = ["x1", "y1", "x2", "y2"]
    objects["boxes"] = [[0, 0, 1, 1, *box] for box in objects[sides].to_numpy().tolist()]
    objects[sides] = [0, 0, 1000, 1000]  # around all boxes, and near no region
    write_table(drawn.tables["objects"], objects.to_dict("list"), OBJECTS.append(BOXES))
    measure_recall(drawn.root, regions, 0.5, tmp_path / "any.json")
    assert json.loads((tmp_path / "any.json").read_text()) == json.loads((tmp_path / "one.json").read_text())
