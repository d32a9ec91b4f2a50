"""Oracle recall: the share of referents that some region covers, an upper bound for every method.

`{detector}.recall.json`, beside the regions: `format`, the version; `iou_threshold`: in `det`, a region covers an
object if their IoU is larger; in `gt`, if it is the object's own; `splits.{split}`: `n` (expressions), `oracle_recall`
(percent of expressions whose referent some region covers), `mean_regions` (per described image) and `skipped`
(expressions whose image was skipped; they count as not covered).
"""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from jvgn.correctness import Correctness
from jvgn.datasets import tables
from jvgn.regions.hdf5_store import RegionStore
from jvgn.storage.files import write_text

FORMAT = "1"
FIELD, FAR_BELOW = 86.1, 75.0
"""The oracle recall of MAttNet's detections on RefCOCOg, val, and the recall below which a detector needs a look."""

log = logging.getLogger(__name__)


def measure_recall(dataset: Path, regions: Path, iou_threshold: float, output: Path) -> None:
    """Write the oracle recall of each split to `output`."""
    expressions = tables.read_expressions(dataset / "expressions.parquet").to_pandas()
    table = expressions[["expression_id", "image_id", "split"]].join(
        coverage(dataset, regions, expressions["image_id"], iou_threshold), on="expression_id"
    )
    splits = {str(split): split_recall(rows) for split, rows in table.groupby("split", sort=False)}
    measured = {"format": FORMAT, "iou_threshold": iou_threshold, "splits": splits}
    write_text(output, json.dumps(measured, indent=2) + "\n")
    recall = min(found["oracle_recall"] for found in splits.values())
    if recall < FAR_BELOW:
        problem = "%s: covers only %.1f %% of the referents of a split, and no model can find the others"
        cure = "published detectors cover about %.0f %%: train the detector longer, or lower `score` under `regions`"
        log.warning(f"{problem}; {cure}", regions, recall, FIELD)


def split_recall(rows: pd.DataFrame) -> dict[str, Any]:
    return {
        "n": len(rows),
        "oracle_recall": round(100 * float(rows["covered"].mean()), 4),
        "mean_regions": round(float(rows.groupby("image_id")["regions"].first().mean()), 4),
        "skipped": int((rows["regions"] == 0).sum()),
    }


def coverage(dataset: Path, regions: Path, image_ids: pd.Series, iou_threshold: float) -> pd.DataFrame:
    """Return, by expression_id, whether some region covers the referent, and the number of regions of the image."""
    expressions, gold_SB4 = referents_of(dataset)
    is_asked_S = expressions["image_id"].isin(set(image_ids)).to_numpy()
    expressions, gold_SB4 = expressions[is_asked_S], gold_SB4[is_asked_S]
    store = RegionStore(regions)
    correctness, skipped = Correctness(store.setting, iou_threshold), store.skipped_images
    covered_S, count_S = np.zeros(len(expressions), dtype=bool), np.zeros(len(expressions), dtype=int)
    object_S = expressions["object_id"].to_numpy()
    for image_id, own_S in expressions.groupby("image_id").indices.items():
        if image_id in skipped:
            continue
        box_N4, object_N = store.read_boxes(image_id)
        is_correct_NS = correctness.of_all(box_N4, object_N, gold_SB4[own_S], object_S[own_S])
        covered_S[own_S] = is_correct_NS.any(axis=0)
        count_S[own_S] = len(box_N4)
    return pd.DataFrame({"covered": covered_S, "regions": count_S}, index=expressions["expression_id"])


def referents_of(dataset: Path) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the expressions, and the boxes (S, B, 4) of their referents."""
    path = dataset / "expressions.parquet"
    expressions, objects = tables.read_expressions(path), tables.read_objects(dataset / "objects.parquet")
    tables.check_known(path, expressions, objects, "object_id")
    return expressions.to_pandas(), tables.gold_boxes(objects, expressions["object_id"].to_numpy())
