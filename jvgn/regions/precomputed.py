"""Import of precomputed features: each image is checked against the dataset and stored like our own regions.

All boxes are kept, sorted by descending score if there are scores; the settings that select detections do not apply.
A missing score is NaN, a missing label -1.
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
from jvgn.regions.feature_files import FORMATS, FeatureFiles, Precomputed
from jvgn.regions.hdf5_store import Policy, Regions, Skipped, skip_or_stop
from jvgn.regions.shards import WINDOW, Parts, RegionShard, fingerprint
from jvgn.settings.detector import PrecomputedSettings, RegionSettings
from jvgn.storage.files import sha256
from parsers.errors import UserError

SAME_BOX = 0.9
"""The least IoU of a precomputed box and the annotated box that it is matched with."""
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
    """Write the precomputed regions of every image to `output`; an interrupted import resumes after its last window."""
    path = detector.detections if setting == "det" else detector.objects
    if path is None:
        key = "detections" if setting == "det" else "objects"
        raise UserError(f"detectors.{name}: has no `{key}`, which the setting {setting} needs; name their files")
    files = FORMATS[detector.format](Path(path))
    table = read_images(images).sort_by("image_id")
    annotated = None
    if setting == "gt":
        annotated = annotations_of(table, read_objects(objects), settings.on_bad_input)
    feature_size = first_feature_size(files, table)
    made_by = {"dataset": dataset, "setting": setting, "detector": name, "detector_sha256": UNKNOWN}
    made_by |= {"settings": settings.model_dump_json(), "imported_from": str(path), "shard": str(RegionShard())}
    depends_on = fingerprint(*made_by.values(), *changes_of(Path(path)), sha256(images), sha256(objects))
    parts = Parts(output, feature_size, settings.precision, made_by, depends_on)
    importer = Importer(files, settings, feature_size, annotated)
    windows = RegionShard().windows(len(table), WINDOW * settings.batch_size)
    for window in tqdm(windows, desc="regions", unit="window", disable=None):
        if not parts.has(window, settings.on_bad_input):
            parts.write(window, *importer.regions_of(table.slice(window.start, len(window)).to_pylist()))
    parts.join(windows)


def changes_of(path: Path) -> list[str]:
    """Return when each file changed last; overwriting a file does not change the time of its folder."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [f"{file.name} {file.stat().st_mtime_ns}" for file in files]


def first_feature_size(files: FeatureFiles, images: pa.Table) -> int:
    """Return the feature size of the first image with readable features."""
    problem = "the dataset has no images"
    for image in images.to_pylist():
        try:
            return int(files.read(image["image_id"], image["file_name"]).feature.shape[1])
        except UserError as error:
            problem = str(error)
    raise UserError(f"no image of the dataset has precomputed features ({problem}); fix the detector's settings")


class Importer:
    """Turns precomputed features of images into regions."""

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
        """Return the regions of images, given as rows of `images.parquet`, and the skipped input."""
        found, skipped = {}, []
        for image in images:
            image_id = image["image_id"]
            try:
                given = self.files.read(image_id, image["file_name"])
                self.check(given, image)
                feature_ND = self.stored(given.feature, image_id)
            except UserError as error:
                skipped.append(skip_or_stop(Skipped(image_id, -1, str(error)), self.policy))
                continue
            if self.annotated is None:
                found[image_id] = detected_regions(given, feature_ND)
                continue
            own = self.annotated[image_id]
            regions, missing = annotated_regions(image_id, own, given, feature_ND, self.policy)
            skipped += own.skipped + missing
            if len(regions):
                found[image_id] = regions
            else:
                reason = f"image {image_id} has no region: none of its objects has precomputed features"
                skipped.append(skip_or_stop(Skipped(image_id, -1, reason), self.policy))
        return found, skipped

    def check(self, given: Precomputed, image: dict[str, Any]) -> None:
        where = f"the precomputed features of image {image['image_id']} ({image['file_name']})"
        size = (image["width"], image["height"])
        if given.size not in (None, size):
            raise UserError(f"{where} are for {given.size} pixels, and the image has {size}")
        if not len(given.box):
            raise UserError(f"{where} have no box")
        if given.feature.shape[1] != self.feature_size:
            raise UserError(
                f"{where} have size {given.feature.shape[1]}, expected {self.feature_size} as in other images"
            )
        for row, flaw in flaws(given.box, *size).items():
            raise UserError(f"{where}: row {row}: its {flaw}")

    def stored(self, feature_ND: np.ndarray, image_id: int) -> np.ndarray:
        if not np.isfinite(feature_ND).all():
            raise UserError(f"the precomputed features of image {image_id} are not all finite")
        with np.errstate(over="ignore"):
            stored = feature_ND.astype(self.precision)
        if not np.isfinite(stored).all():
            raise UserError(f"a feature of image {image_id} is too large for {self.precision}; try precision float32")
        return stored


def detected_regions(given: Precomputed, feature_ND: np.ndarray) -> Regions:
    count = len(given.box)
    score = np.full(count, np.nan) if given.score is None else given.score
    label = np.full(count, -1) if given.label is None else given.label
    regions = Regions(
        given.box, feature_ND, score.astype(np.float32), label.astype(np.int32), np.full(count, -1, np.int64)
    )
    return regions[np.argsort(-regions.score, kind="stable")]


def annotated_regions(
    image_id: int, own: Annotations, given: Precomputed, feature_ND: np.ndarray, policy: Policy
) -> tuple[Regions, list[Skipped]]:
    """Return the annotated objects with their precomputed features, and the objects without features."""
    if given.object_id is not None:
        row_of = {int(object_id): row for row, object_id in enumerate(given.object_id)}
        row_A = np.asarray([row_of.get(int(object_id), -1) for object_id in own.object_id], np.int64)
    else:
        overlap_AN = iou(own.box, given.box)
        row_A = np.where(overlap_AN.max(axis=1) >= SAME_BOX, overlap_AN.argmax(axis=1), -1)
    skipped = []
    for object_id in own.object_id[row_A < 0].tolist():
        reason = f"object {object_id} of image {image_id} has no precomputed features"
        skipped.append(skip_or_stop(Skipped(image_id, object_id, reason), policy))
    has_A = row_A >= 0
    box = own.box[has_A]
    score = np.ones(len(box), np.float32)
    return Regions(box, feature_ND[row_A[has_A]], score, own.label[has_A], own.object_id[has_A]), skipped


def declare_detector(settings: PrecomputedSettings, provenance: Path | str) -> None:
    """Write a provenance file with what the user knows about the detector behind precomputed features."""
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
