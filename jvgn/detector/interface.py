"""The interface of all detectors, and the functions that load one. Each library is imported only when it is needed.

Boxes are in pixels of the stored image, after the detector's regression. A region's feature is pooled from this *final*
box, not from its proposal, so that detected and annotated boxes have features of one kind.
Shape suffixes: N regions of an image, Q phrases, D feature size, H, W pixels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np
import torch
from torch import Tensor

from jvgn.settings.detector import DetectorSettings, Detectron2Settings, RegionSettings, TorchvisionSettings
from parsers.errors import UserError

if TYPE_CHECKING:
    from jvgn.detector.detectron2_backend import Detectron2Network
    from jvgn.detector.faster_rcnn import Detector

Categories = list[tuple[int, str]]
"""Category id and name, in the dataset, of each label of a detector; labels count from 1."""


@dataclass(frozen=True)
class Found:
    """The regions detected in one image, in its own pixels, highest score first; labels count the categories from 1."""

    box: Tensor
    feature: Tensor
    score: Tensor
    label: Tensor


class Source(Protocol):
    """A trained detector, ready to detect."""

    @property
    def feature_size(self) -> int: ...

    @property
    def categories(self) -> Categories: ...

    def to(self, device: str | torch.device) -> Self: ...

    def regions_of(self, images: list[Tensor], selection: RegionSettings) -> list[Found]:
        """Detect regions in images (3, H, W; RGB, uint8), selected as `selection` says."""

    def features_of(self, images: list[Tensor], boxes: list[Tensor]) -> list[Tensor]:
        """Return the features (N, D) of the given boxes (N, 4) of each image."""


@dataclass(frozen=True)
class NamedRegions:
    """Regions of a picture with the names of their categories, without features."""

    box_N4: np.ndarray
    names: tuple[str, ...]
    score_N: np.ndarray


@dataclass(frozen=True)
class ScoredRegions:
    """Regions of a picture with a score for each phrase that was looked for."""

    box_N4: np.ndarray
    score_QN: np.ndarray


class ClosedVocabulary(Protocol):
    """A pretrained detector of the categories that it was trained on."""

    name: str

    def detect(self, pixels_HW3: np.ndarray) -> NamedRegions:
        """Detect regions in a picture (RGB, uint8)."""


class OpenVocabulary(Protocol):
    """A pretrained detector of anything that a phrase describes."""

    name: str
    threshold: float
    """The score from which on its library takes a region as found."""

    def search(self, pixels_HW3: np.ndarray, phrases: Sequence[str]) -> ScoredRegions:
        """Look for each phrase in a picture (RGB, uint8)."""


def load_source(settings: DetectorSettings, weights: Path | str, proposals: int | None = None) -> Source:
    """Return the detector of these settings, ready to detect; `proposals` overrides its number of proposals."""
    from jvgn.detector.weights import check_settings, load_detector

    if settings.source == "torchvision":
        trained = load_detector(weights, proposals)
        check_settings(weights, trained.settings, settings)
        return trained
    if settings.source == "detectron2":
        from jvgn.detector.detectron2_backend import load_detectron2

        found = load_detectron2(weights, proposals)
        check_settings(weights, found.settings, settings)
        return found
    if settings.source == "torchvision-coco":
        from jvgn.detector.torchvision_coco import load_torchvision_coco

        published = load_torchvision_coco(weights, proposals)
        check_settings(weights, published.settings, settings)
        return published
    raise UserError(
        f"{weights}: a detector of source {settings.source} has no network to run on images; choose another detector"
    )


def untrained(settings: TorchvisionSettings | Detectron2Settings, class_count: int) -> "Detector | Detectron2Network":
    """Return a detector before its first step; called with images (3, H, W; uint8) and targets, it returns losses."""
    if settings.source == "torchvision":
        from jvgn.detector.weights import start_detector

        return start_detector(settings, class_count)
    from jvgn.detector.detectron2_backend import start_detectron2

    return start_detectron2(settings, class_count)
