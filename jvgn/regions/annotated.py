"""The annotated objects of a dataset's images. Their boxes are the regions of the setting `gt`."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from jvgn.boxes import flaws
from jvgn.datasets.tables import boxes_of
from jvgn.regions.hdf5_store import Policy, Skipped, skip_or_stop
from parsers.errors import UserError


@dataclass(frozen=True)
class Annotations:
    """The annotated objects of an image, crowds included, in the order of `objects.parquet`."""

    box: np.ndarray
    label: np.ndarray
    object_id: np.ndarray
    skipped: list[Skipped] = field(default_factory=list)


def annotations_of(images: pa.Table, objects: pa.Table, policy: Policy) -> dict[int, Annotations]:
    """Return the annotated objects of each image, by image id; skip objects with invalid boxes, or stop at them."""
    box_N4 = boxes_of(objects)
    label_N, object_id_N = objects["category_id"].to_numpy(), objects["object_id"].to_numpy()
    rows: dict[int, list[int]] = {image_id: [] for image_id in images["image_id"].to_pylist()}
    for row, image_id in enumerate(objects["image_id"].to_pylist()):
        if image_id not in rows:
            problem = f"object {object_id_N[row]} is in image {image_id}, which images.parquet does not have"
            raise UserError(f"objects.parquet: {problem}; read the dataset again")
        rows[image_id].append(row)
    found = {}
    for image in images.to_pylist():
        own = np.asarray(rows[image["image_id"]], np.int64)
        flawed = flaws(box_N4[own], image["width"], image["height"])
        skipped = []
        for row, flaw in flawed.items():
            object_id = int(object_id_N[own[row]])
            reason = f"object {object_id} of image {image['image_id']} ({image['file_name']}): its {flaw}"
            skipped.append(skip_or_stop(Skipped(image["image_id"], object_id, reason), policy))
        own = np.delete(own, list(flawed))
        found[image["image_id"]] = Annotations(box_N4[own], label_N[own], object_id_N[own], skipped)
    return found
