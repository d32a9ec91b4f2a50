"""COCO's average precision of a detector on images it was not trained on, as a JSON file.

`ap`: the mean over IoU thresholds 0.5 to 0.95 and categories, `ap50` and `ap75`: at one threshold, all in percent, null
if no object is annotated; `categories`: `ap` of each, by name; `images` and `objects`: their numbers;
`detector_sha256`: checksum of the detector's weights. Only this module imports pycocotools.
"""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import torch
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval
from tqdm import tqdm

from jvgn.datasets.tables import read_images, read_objects
from jvgn.detector.images import ImageFiles, load_whole
from jvgn.detector.interface import Source, load_source
from jvgn.detector.provenance import held_out
from jvgn.settings.detector import DetectorSettings, RegionSettings
from jvgn.storage.files import sha256, write_text
from parsers.errors import UserError

COCOS_SELECTION = RegionSettings(nms=0.5, score=0.001, cap=100)
"""COCO's protocol scores all boxes, not only those that become regions."""
BATCH_SIZE = 4


def measure_detector(
    detector: DetectorSettings,
    *,
    images: Path | str,
    objects: Path | str,
    excluded: Path | str,
    folder: Path | str,
    weights: Path | str,
    output: Path | str,
    held_out_images: int,
    device: str | torch.device = "cpu",
    threads: int = 1,
) -> None:
    """Measure the average precision on at most `held_out_images` of the excluded val images; write it to `output`."""
    image_table = held_out(read_images(images), excluded, held_out_images)
    if not len(image_table):
        raise UserError(f"{excluded}: lists no image of a val split to measure on; check the splits of its datasets")
    source = load_source(detector, weights).to(device)
    object_table = read_objects(objects)
    object_table = object_table.filter(pc.is_in(object_table["image_id"], image_table["image_id"].combine_chunks()))
    found = detections(source, ImageFiles(image_table, folder, seen_often=False), image_table, device, threads)
    measured = average_precision(image_table, object_table, source.categories, found)
    write_text(output, json.dumps(measured | {"detector_sha256": sha256(weights)}, indent=1) + "\n")


def detections(
    source: Source, files: ImageFiles, images: pa.Table, device: str | torch.device, threads: int
) -> list[dict[str, Any]]:
    """Return the detections in COCO's format."""
    image_ids, rows = images["image_id"].to_pylist(), []
    batches = [list(range(start, min(start + BATCH_SIZE, len(files)))) for start in range(0, len(files), BATCH_SIZE)]
    for batch, pixels in zip(
        tqdm(batches, desc="average precision", disable=None), load_whole(files, batches, threads), strict=True
    ):
        found = source.regions_of([image.to(device) for image in pixels], COCOS_SELECTION)
        for index, regions in zip(batch, found, strict=True):
            box_N4 = regions.box.cpu().numpy()
            box_N4[:, 2:] -= box_N4[:, :2]
            for box, score, label in zip(box_N4.tolist(), regions.score.tolist(), regions.label.tolist(), strict=True):
                category_id = source.categories[label - 1][0]
                rows.append({"image_id": image_ids[index], "category_id": category_id, "bbox": box, "score": score})
    return rows


def average_precision(
    images: pa.Table, objects: pa.Table, categories: list[tuple[int, str]], found: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return COCO's summary of the detections `found`."""
    with redirect_stdout(io.StringIO()):  # pycocotools prints
        gold = COCO()
        gold.dataset = {
            "info": {},
            "images": [{"id": image_id} for image_id in images["image_id"].to_pylist()],
            "categories": [{"id": category_id, "name": name} for category_id, name in categories],
            "annotations": [annotation(row) for row in objects.to_pylist()],
        }
        gold.createIndex()
        if not found or not len(objects):
            return summary(len(images), len(objects), categories, None)
        evaluation = COCOeval(gold, gold.loadRes(found), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
    return summary(len(images), len(objects), categories, evaluation.eval["precision"])


def annotation(row: dict[str, Any]) -> dict[str, Any]:
    box = [row["x1"], row["y1"], row["x2"] - row["x1"], row["y2"] - row["y1"]]
    return {
        "id": row["object_id"] + 1,  # pycocotools reads 0 as "no match"
        "image_id": row["image_id"],
        "category_id": row["category_id"],
        "bbox": box,
        "area": box[2] * box[3],
        "iscrowd": int(row["is_crowd"]),
    }


def summary(
    images: int, objects: int, categories: list[tuple[int, str]], precision_TRKAM: np.ndarray | None
) -> dict[str, Any]:
    """Average over thresholds T (0.5, 0.55, ...), recalls R and categories K; all areas A, most detections M.

    Without detections the result is 0, without annotated objects null.
    """
    none = None if objects == 0 else 0.0
    if precision_TRKAM is None:
        return {"ap": none, "ap50": none, "ap75": none, "categories": {}, "images": images, "objects": objects}
    precision_TRK = precision_TRKAM[:, :, :, 0, -1]
    names = [name for _, name in sorted(categories)]
    return {
        "ap": mean(precision_TRK),
        "ap50": mean(precision_TRK[0]),
        "ap75": mean(precision_TRK[5]),
        "categories": {name: mean(precision_TRK[:, :, k]) for k, name in enumerate(names)},
        "images": images,
        "objects": objects,
    }


def mean(precision: np.ndarray) -> float | None:
    """Return the mean in percent; pycocotools marks undefined values by -1."""
    defined = precision[precision > -1]
    return round(100 * float(defined.mean()), 4) if defined.size else None
