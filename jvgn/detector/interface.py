"""What extraction asks of a detector, whichever library it comes from.

Boxes are in pixels of the image as it is stored, after the detector's regression; a region's feature is pooled from
this *final* box, never from the proposal that it came from. Detections and given boxes so have features of one kind.
Shape suffixes: N regions of an image, D feature size, H, W pixels.
"""

from dataclasses import dataclass
from typing import Protocol, Self

import torch
from torch import Tensor

from jvgn.settings.regions import RegionSettings

Categories = list[tuple[int, str]]
"""The dataset's category id and name of each of a detector's labels, which count from 1."""


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
        """The regions detected in images (3, H, W; RGB, uint8), chosen by `selection`."""

    def features_of(self, images: list[Tensor], boxes: list[Tensor]) -> list[Tensor]:
        """The features (N, D) of the given boxes (N, 4) of each image."""
