"""Precomputed features as regions: checked image by image against the dataset, and stored as our own are.

Boxes stay as they are, in the order of falling scores where there are scores; the settings that choose among
detections do not apply. What a file does not tell is a `score` of NaN and a `label` of -1.
"""

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from jvgn.boxes import flaws, iou
from jvgn.datasets.tables import read_images, read_objects
from jvgn.detector.provenance import Provenance, read_image_ids, write_provenance
from jvgn.regions.annotated import Annotations, annotations_of
from jvgn.regions.precomputed import FORMATS, FeatureFiles, Precomputed
from jvgn.regions.shards import WINDOW, Parts, Shard
from jvgn.regions.skipped import Policy, leave_out
from jvgn.regions.store import Regions, Skipped
from jvgn.settings.detector import PrecomputedSettings
from jvgn.settings.regions import RegionSettings
from jvgn.storage.code import fingerprint
from jvgn.storage.files import sha256
from parsers.errors import UserError

SAME_BOX = 0.9
"""IoU from which on a precomputed box stands for an annotated one."""
UNKNOWN = "unknown"


def import_regions(
    settings: RegionSettings,
    setting: Literal["gt", "det"],
    *,
    detector: PrecomputedSettings,
    name: str,
    dataset: str,
    images: Path | str,
    objects: Path | str,
    output: Path | str,
) -> None:
    """`output` holds the precomputed regions of every image; an interrupted import goes on after its last window."""
    path = detector.detections if setting == "det" else detector.objects
    if path is None:
        key = "detections" if setting == "det" else "objects"
        raise UserError(f"detectors.{name} names no files of `{key}`, which the setting {setting} needs")
    files = FORMATS[detector.format](Path(path))
    table = read_images(images).sort_by("image_id")
    annotated = None
    if setting == "gt":
        annotated = annotations_of(table, read_objects(objects), settings.on_bad_input)
    feature_size = first_feature_size(files, table)
    made_by = {"dataset": dataset, "setting": setting, "detector": name, "detector_sha256": UNKNOWN}
    made_by |= {"settings": settings.model_dump_json(), "imported_from": str(path), "shard": str(Shard())}
    depends_on = fingerprint(__name__, *made_by.values(), *changes_of(Path(path)), sha256(images), sha256(objects))
    parts = Parts(output, feature_size, settings.precision, made_by, depends_on)
    importer = Importer(files, settings, feature_size, annotated)
    windows = Shard().windows(len(table), WINDOW * settings.batch_size)
    for window in tqdm(windows, desc="regions", unit="window", disable=None):
        if not parts.has(window, settings.on_bad_input):
            parts.write(window, *importer.regions_of(table.slice(window.start, len(window)).to_pylist()))
    parts.join(windows)


def changes_of(path: Path) -> list[str]:
    """When each file last changed: a folder's own time says nothing of a file that was written over."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [f"{file.name} {file.stat().st_mtime_ns}" for file in files]


def first_feature_size(files: FeatureFiles, images: pa.Table) -> int:
    """The length of a feature: that of the first image whose features can be read."""
    problem = "the dataset has no images"
    for image in images.to_pylist():
        try:
            return int(files.read(image["image_id"], image["file_name"]).feature.shape[1])
        except UserError as error:
            problem = str(error)
    raise UserError(f"no image of the dataset has precomputed features ({problem}); mend the detector's settings")


class Importer:
    """Turns what files tell of images into regions."""

    def __init__(
        self,
        files: FeatureFiles,
        settings: RegionSettings,
        feature_size: int,
        annotated: dict[int, Annotations] | None,
    ) -> None:
        self.files, self.feature_size, self.annotated = files, feature_size, annotated
        self.precision, self.policy = settings.precision, settings.on_bad_input

    def regions_of(self, images: list[dict[str, Any]]) -> tuple[dict[int, Regions], list[Skipped]]:
        """The regions of images, rows of `images.parquet`, and what had to be left out."""
        found, skipped = {}, []
        for image in images:
            image_id = image["image_id"]
            try:
                told = self.files.read(image_id, image["file_name"])
                self.check(told, image)
                feature_ND = self.stored(told.feature, image_id)
            except UserError as error:
                skipped.append(leave_out(Skipped(image_id, -1, str(error)), self.policy))
                continue
            if self.annotated is None:
                found[image_id] = detected(told, feature_ND)
                continue
            own = self.annotated[image_id]
            regions, missing = given(image_id, own, told, feature_ND, self.policy)
            skipped += own.skipped + missing
            if len(regions):
                found[image_id] = regions
            else:
                reason = f"image {image_id} has no region: none of its objects has precomputed features"
                skipped.append(leave_out(Skipped(image_id, -1, reason), self.policy))
        return found, skipped

    def check(self, told: Precomputed, image: dict[str, Any]) -> None:
        where = f"the precomputed features of image {image['image_id']} ({image['file_name']})"
        size = (image["width"], image["height"])
        if told.size not in (None, size):
            raise UserError(f"{where} are of {told.size} pixels, and the image has {size}")
        if not len(told.box):
            raise UserError(f"{where} have no box")
        if told.feature.shape[1] != self.feature_size:
            raise UserError(f"{where} have {told.feature.shape[1]} numbers, and other images' {self.feature_size}")
        for row, flaw in flaws(told.box, *size).items():
            raise UserError(f"{where}: row {row}: its {flaw}")

    def stored(self, feature_ND: np.ndarray, image_id: int) -> np.ndarray:
        if not np.isfinite(feature_ND).all():
            raise UserError(f"the precomputed features of image {image_id} are not all finite")
        with np.errstate(over="ignore"):
            stored = feature_ND.astype(self.precision)
        if not np.isfinite(stored).all():
            raise UserError(f"a feature of image {image_id} does not fit into {self.precision}; try precision float32")
        return stored


def detected(told: Precomputed, feature_ND: np.ndarray) -> Regions:
    count = len(told.box)
    score = np.full(count, np.nan) if told.score is None else told.score
    label = np.full(count, -1) if told.label is None else told.label
    regions = Regions(
        told.box, feature_ND, score.astype(np.float32), label.astype(np.int32), np.full(count, -1, np.int64)
    )
    return regions[np.argsort(-regions.score, kind="stable")]


def given(
    image_id: int, own: Annotations, told: Precomputed, feature_ND: np.ndarray, policy: Policy
) -> tuple[Regions, list[Skipped]]:
    """The annotated objects with their precomputed features, and those that have none."""
    if told.object_id is not None:
        row_of = {int(object_id): row for row, object_id in enumerate(told.object_id)}
        row_A = np.asarray([row_of.get(int(object_id), -1) for object_id in own.object_id], np.int64)
    else:
        overlap_AN = iou(own.box, told.box)
        row_A = np.where(overlap_AN.max(axis=1) >= SAME_BOX, overlap_AN.argmax(axis=1), -1)
    skipped = []
    for object_id in own.object_id[row_A < 0].tolist():
        reason = f"object {object_id} of image {image_id} has no precomputed features"
        skipped.append(leave_out(Skipped(image_id, object_id, reason), policy))
    has_A = row_A >= 0
    box = own.box[has_A]
    score = np.ones(len(box), np.float32)
    return Regions(box, feature_ND[row_A[has_A]], score, own.label[has_A], own.object_id[has_A]), skipped


def declare_detector(settings: PrecomputedSettings, provenance: Path | str) -> None:
    """`provenance` says what the user knows of the detector behind precomputed features."""
    made = Provenance(
        detector=settings,
        seed=0,
        categories=(),
        training_image_ids=read_image_ids(settings.training_images) if settings.training_images else None,
        weights_sha256=UNKNOWN,
        pretrained_sha256=None,
        tables={},
        versions={},
    )
    write_provenance(provenance, made)
