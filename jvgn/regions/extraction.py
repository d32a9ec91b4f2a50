"""Writes the regions of a dataset's images: around all annotated objects (`gt`) or as detected (`det`)."""

import logging
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor
from tqdm import tqdm

from jvgn.datasets.tables import IMAGES, OBJECTS
from jvgn.regions.images import ImageFiles, load
from jvgn.regions.provenance import read_provenance
from jvgn.regions.source import Found, Source
from jvgn.regions.sources import load_source
from jvgn.regions.store import Regions, RegionWriter
from jvgn.settings.detector import DetectorSettings
from jvgn.settings.regions import RegionSettings
from parsers.files import UserError, sha256
from parsers.table import read_table

logger = logging.getLogger(__name__)

WINDOW = 16
"""Images of one size are looked for among this many batches; the regions of as many wait for their turn."""


def extract_regions(
    settings: RegionSettings,
    setting: Literal["gt", "det"],
    *,
    detector: DetectorSettings,
    name: str,
    dataset: str,
    images: Path | str,
    objects: Path | str,
    folder: Path | str,
    weights: Path | str,
    provenance: Path | str,
    output: Path | str,
    device: str | torch.device = "cpu",
    threads: int = 1,
) -> None:
    """`output` holds the regions of every image in `images`."""
    torch.set_num_threads(threads)
    source = load_source(detector, weights, settings.proposals)
    made_by = {
        "dataset": dataset,
        "setting": setting,
        "detector": name,
        "detector_sha256": sha256_as_told(weights, provenance),
        "settings": settings.model_dump_json(),
    }
    extractor = Extractor(source, settings, device)
    table = read_table(images, IMAGES).sort_by("image_id")
    image_ids = table["image_id"].to_pylist()
    annotated = annotations_of(image_ids, read_table(objects, OBJECTS)) if setting == "gt" else None
    files = ImageFiles(table, folder, seen_often=False)
    with RegionWriter(output, extractor.feature_size, settings.precision, made_by) as writer:
        for image_id, regions in extracted(extractor, files, image_ids, annotated, threads):
            writer.append(image_id, regions)
    logger.info("%.2f regions an image in %d images", writer.region_count / max(1, len(image_ids)), len(image_ids))


def extracted(
    extractor: "Extractor",
    files: ImageFiles,
    image_ids: Sequence[int],
    annotated: "dict[int, Annotations] | None",
    threads: int,
) -> Iterator[tuple[int, Regions]]:
    """The regions of each image, in the order of `image_ids`, which is that of the files."""
    batches = batch_by_size(files.sizes, extractor.settings.batch_size)
    waiting: dict[int, Regions] = {}
    turns = deque(image_ids)
    with tqdm(total=len(image_ids), desc="regions", unit="image", disable=None) as progress:
        for batch, images in zip(batches, load(files, batches, threads), strict=True):
            own = [image_ids[index] for index in batch]
            given = None if annotated is None else [annotated[image_id] for image_id in own]
            waiting |= zip(own, extractor.regions_of(images, given), strict=True)
            while turns and turns[0] in waiting:
                yield turns[0], waiting.pop(turns.popleft())
            progress.update(len(batch))


@dataclass(frozen=True)
class Annotations:
    """The annotated objects of an image, in the order of `objects.parquet`."""

    box: np.ndarray
    label: np.ndarray
    object_id: np.ndarray


class Extractor:
    """Turns images into regions with a detector."""

    def __init__(self, source: Source, settings: RegionSettings, device: str | torch.device = "cpu") -> None:
        self.source = source.to(device)
        self.settings, self.device = settings, torch.device(device)
        self.feature_size = source.feature_size
        self.category_id = np.asarray([category_id for category_id, _ in source.categories], np.int32)

    def regions_of(self, images: list[Tensor], annotations: Sequence[Annotations] | None = None) -> list[Regions]:
        """The regions of images (3, H, W; uint8), best of one size: detections or, where given, the annotations."""
        pixels = [image.to(self.device) for image in images]
        if annotations is None:
            return [self.detected(found) for found in self.source.regions_of(pixels, self.settings)]
        boxes = [torch.from_numpy(own.box).to(self.device) for own in annotations]
        features = self.source.features_of(pixels, boxes)
        return [
            Regions(own.box, self.stored(feature), np.ones(len(own.box), np.float32), own.label, own.object_id)
            for own, feature in zip(annotations, features, strict=True)
        ]

    def detected(self, found: Found) -> Regions:
        return Regions(
            box=found.box.cpu().numpy(),
            feature=self.stored(found.feature),
            score=found.score.cpu().numpy(),
            label=self.category_id[found.label.cpu().numpy() - 1],
            object_id=np.full(len(found.box), -1, np.int64),
        )

    def stored(self, feature_ND: Tensor) -> np.ndarray:
        found = feature_ND.to(getattr(torch, self.settings.precision))
        if not found.isfinite().all():
            raise UserError(f"a region's feature does not fit into {self.settings.precision}; try precision float32")
        return found.cpu().numpy()


def annotations_of(image_ids: Sequence[int], objects: pa.Table) -> dict[int, Annotations]:
    """All annotated objects of each image, crowds included."""
    box_N4 = np.stack([objects[side].to_numpy() for side in ("x1", "y1", "x2", "y2")], axis=1)
    label_N, object_id_N = objects["category_id"].to_numpy(), objects["object_id"].to_numpy()
    rows: dict[int, list[int]] = {image_id: [] for image_id in image_ids}
    for row, image_id in enumerate(objects["image_id"].to_pylist()):
        if image_id not in rows:
            raise UserError(f"object {object_id_N[row]} is in image {image_id}, which images.parquet does not have")
        rows[image_id].append(row)
    return {image_id: Annotations(box_N4[own], label_N[own], object_id_N[own]) for image_id, own in rows.items()}


def batch_by_size(sizes: Sequence[tuple[int, int]], batch_size: int) -> list[list[int]]:
    """Batches of images of one size, so that none is padded and its features do not depend on its neighbours."""
    batches = []
    for start in range(0, len(sizes), WINDOW * batch_size):
        alike: dict[tuple[int, int], list[int]] = {}
        for index in range(start, min(start + WINDOW * batch_size, len(sizes))):
            alike.setdefault(sizes[index], []).append(index)
        for found in alike.values():
            batches += [found[first : first + batch_size] for first in range(0, len(found), batch_size)]
    return batches


def sha256_as_told(weights: Path | str, provenance: Path | str) -> str:
    """The hash of the weights, after a check that the provenance speaks of them."""
    found, told = sha256(weights), read_provenance(provenance).weights_sha256
    if found != told:
        raise UserError(
            f"{weights}: its SHA-256 is {found}, but {provenance} speaks of {told}; train the detector again"
        )
    return found
