"""Extraction of the regions of a dataset's images: all annotated objects (`gt`), or what the detector finds (`det`)."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from jvgn.datasets.tables import read_images, read_objects
from jvgn.detector.images import ImageFiles, load
from jvgn.detector.interface import Found, Source, load_source
from jvgn.detector.provenance import read_provenance
from jvgn.regions.annotated import Annotations, annotations_of
from jvgn.regions.hdf5_store import Regions, Skipped, skip_or_stop
from jvgn.regions.shards import WINDOW, Parts, RegionShard, fingerprint
from jvgn.settings.detector import DetectorSettings, RegionSettings
from jvgn.storage.files import sha256
from parsers.errors import UserError

logger = logging.getLogger(__name__)


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
    shard: RegionShard = RegionShard(),
    device: str | torch.device = "cpu",
    threads: int = 1,
) -> None:
    """Write the regions of the shard's images to `output`; an interrupted extraction resumes after its last window."""
    torch.set_num_threads(threads)
    extractor = Extractor(load_source(detector, weights, settings.proposals), settings, device)
    made_by = {
        "dataset": dataset,
        "setting": setting,
        "detector": name,
        "detector_sha256": checked_sha256(weights, provenance),
        "settings": settings.model_dump_json(),
        "shard": str(shard),
    }
    table = read_images(images).sort_by("image_id")
    annotated = None
    if setting == "gt":
        annotated = annotations_of(table, read_objects(objects), settings.on_bad_input)
    # Not the policy: windows without bad input are valid under either.
    chosen = settings.model_copy(update={"on_bad_input": "stop"}).model_dump_json()
    depends_on = fingerprint(*(made_by | {"settings": chosen}).values(), sha256(images), sha256(objects))
    parts = Parts(output, extractor.feature_size, settings.precision, made_by, depends_on)
    windows = shard.windows(len(table), WINDOW * settings.batch_size)
    waiting = [window for window in windows if not parts.has(window, settings.on_bad_input)]
    if len(waiting) < len(windows):
        logger.info("resuming: %d of %d windows are done", len(windows) - len(waiting), len(windows))
    files = ImageFiles(table, folder, seen_often=False)
    for window in extracted(extractor, files, table["image_id"].to_pylist(), waiting, annotated, threads):
        parts.write(window.rows, window.regions, window.skipped)
    parts.join(windows)


def extracted(
    extractor: "Extractor",
    files: ImageFiles,
    image_ids: Sequence[int],
    windows: Sequence[range],
    annotated: dict[int, Annotations] | None,
    threads: int,
) -> Iterator["Window"]:
    """Yield the regions of each window of `image_ids`, which are in the order of the files."""
    batches = [batch_by_size(files.sizes, window, extractor.settings.batch_size) for window in windows]
    # One loader for all windows, so that it reads ahead across their ends.
    loaded = load(files, list(chain.from_iterable(batches)), threads, extractor.device.type == "cuda")
    with tqdm(total=sum(map(len, windows)), desc="regions", unit="image", disable=None) as progress:
        for rows, own_batches in zip(windows, batches, strict=True):
            window = Window(rows)
            for batch in own_batches:
                ids = [image_ids[index] for index in batch]
                window.add(extractor, dict(zip(ids, next(loaded), strict=True)), annotated)
                progress.update(len(batch))
            yield window


@dataclass(frozen=True)
class Window:
    """The regions of the images of these rows, by image id, and the skipped input."""

    rows: range
    regions: dict[int, Regions] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)

    def add(
        self,
        extractor: "Extractor",
        images: dict[int, Tensor | UserError],
        annotated: dict[int, Annotations] | None,
    ) -> None:
        usable = {image_id: image for image_id, image in images.items() if isinstance(image, Tensor)}
        flaws = {image_id: str(image) for image_id, image in images.items() if isinstance(image, UserError)}
        given = None if annotated is None else [annotated[image_id] for image_id in usable]
        found = extractor.regions_of(list(usable.values()), given) if usable else []
        for image_id, regions in zip(usable, found, strict=True):
            if flaw := flaw_in(regions, extractor.settings.precision):
                flaws[image_id] = f"image {image_id} {flaw}"
            else:
                self.regions[image_id] = regions
        for own in given or ():
            self.skipped.extend(own.skipped)
        for image_id, reason in flaws.items():
            self.skipped.append(skip_or_stop(Skipped(image_id, -1, reason), extractor.settings.on_bad_input))


class Extractor:
    """Finds regions in images with a detector."""

    def __init__(self, source: Source, settings: RegionSettings, device: str | torch.device = "cpu") -> None:
        self.source = source.to(device)
        self.settings, self.device = settings, torch.device(device)
        self.feature_size = source.feature_size
        self.category_id = np.asarray([category_id for category_id, _ in source.categories], np.int32)

    def regions_of(self, images: list[Tensor], annotations: Sequence[Annotations] | None = None) -> list[Regions]:
        """Return the regions of each image (3, H, W; uint8): the annotations if given, else the detections.

        Images of one size are fastest.
        """
        pixels = [image.to(self.device, non_blocking=True) for image in images]
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
        return feature_ND.to(getattr(torch, self.settings.precision)).cpu().numpy()


def flaw_in(regions: Regions, precision: str) -> str | None:
    """Return why an image with these regions, as they would be stored, cannot be used; None if it can."""
    if not len(regions):
        return "has no region: no object is annotated or detected in it"
    if not np.isfinite(regions.feature).all():
        return f"has a feature that is too large for {precision} (float32 holds more)"
    return None


def batch_by_size(sizes: Sequence[tuple[int, int]], window: range, batch_size: int) -> list[list[int]]:
    """Return batches of images of one size: without padding, features do not depend on the rest of the batch."""
    alike: dict[tuple[int, int], list[int]] = {}
    for index in window:
        alike.setdefault(sizes[index], []).append(index)
    return [found[first : first + batch_size] for found in alike.values() for first in range(0, len(found), batch_size)]


def checked_sha256(weights: Path | str, provenance: Path | str) -> str:
    """Return the checksum of the weights, after a check that the provenance is theirs."""
    found, expected = sha256(weights), read_provenance(provenance).weights_sha256
    if found != expected:
        raise UserError(
            f"{weights}: SHA-256 is {found}, expected {expected} as in {provenance}; train the detector again"
        )
    return found
