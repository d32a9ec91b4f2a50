"""The regions of an image as the rules see them: boxes, names, scores and, if there are any, pixels.

Shape suffixes: K nodes, N regions, H, W pixels. Entry (i, j) of an (N, N) array compares region i with region j.
Degrees are from 0, does not fit, to 1, fits.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np

from jvgn.boxes import area, iou
from jvgn.regions.hdf5_store import Regions

Floats = np.ndarray
SAME = 0.8
"""Boxes that overlap by more than this are the same object, annotated or detected twice."""


@dataclass(frozen=True)
class Scene:
    box_N4: Floats
    names: tuple[str, ...]
    """The category of each region, as the detector or the annotation calls it."""
    score_N: Floats
    size: tuple[int, int]
    """Width and height of the image."""
    pixels_HW3: np.ndarray | None = None
    fit_KN: Floats | None = None
    """How well each region fits the noun of each node, by an open-vocabulary detector; None: category names decide."""
    colour_sums: dict[str, tuple[np.ndarray, int]] = field(default_factory=dict, compare=False)
    """What `colours.summed` found for colours that were asked for."""

    @classmethod
    def of(
        cls, regions: Regions, names: Mapping[int, str], size: tuple[int, int], pixels_HW3: np.ndarray | None
    ) -> Self:
        """Return stored or detected regions as a scene; `names` are those of the dataset's categories."""
        named = tuple(names.get(label, "") for label in regions.label.tolist())
        return cls(regions.box, named, np.nan_to_num(regions.score, nan=1.0), size, pixels_HW3)

    def __len__(self) -> int:
        return len(self.box_N4)

    @cached_property
    def area_N(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Areas as shares of the image's."""
        return np.maximum(area(self.box_N4) / (self.size[0] * self.size[1]), 1e-6)

    @cached_property
    def centre_N2(self) -> Floats:  # noqa: N802 (a shape suffix)
        return (self.box_N4[:, :2] + self.box_N4[:, 2:]) / 2

    @cached_property
    def side_N2(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Width and height of each region in pixels."""
        return np.maximum(self.box_N4[:, 2:] - self.box_N4[:, :2], 1.0)

    @cached_property
    def same_NN(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Whether two regions are the same object."""
        return iou(self.box_N4, self.box_N4) > SAME

    @cached_property
    def overlap_NN(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Return the pixels that two regions share."""
        low_NN2 = np.maximum(self.box_N4[:, None, :2], self.box_N4[None, :, :2])
        high_NN2 = np.minimum(self.box_N4[:, None, 2:], self.box_N4[None, :, 2:])
        return np.prod(np.maximum(high_NN2 - low_NN2, 0), axis=2)

    @cached_property
    def inside_NN(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Return the share of i that is inside j."""
        return self.overlap_NN / np.prod(self.side_N2, axis=1)[:, None]

    @cached_property
    def gap_NN(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Return the distance between two boxes, as a share of the image's diagonal; 0 if they overlap."""
        low_NN2 = np.maximum(self.box_N4[:, None, :2], self.box_N4[None, :, :2])
        high_NN2 = np.minimum(self.box_N4[:, None, 2:], self.box_N4[None, :, 2:])
        apart_NN2 = np.maximum(low_NN2 - high_NN2, 0)
        return np.hypot(apart_NN2[..., 0], apart_NN2[..., 1]) / np.hypot(*self.size)

    @cached_property
    def distance_NN(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Return the distance between two centres, as a share of the image's diagonal."""
        offset_NN2 = self.centre_N2[:, None] - self.centre_N2
        return np.hypot(offset_NN2[..., 0], offset_NN2[..., 1]) / np.hypot(*self.size)

    @cached_property
    def nearness_N(self) -> Floats:  # noqa: N802 (a shape suffix)
        """Return how near each region seems to the camera: large, and low in the picture."""
        bottom_N = self.box_N4[:, 3] / self.size[1]
        return 0.3 * bottom_N + 0.7 * np.sqrt(self.area_N)


def spread(value_N: Floats, among_N: Floats) -> Floats:
    """Return the values moved to 0 for the lowest and 1 for the highest among the chosen regions."""
    if not among_N.any():
        return np.full(len(value_N), 0.5)
    low, high = value_N[among_N].min(), value_N[among_N].max()
    if high - low < 1e-9:
        return np.full(len(value_N), 1.0)
    return np.clip((value_N - low) / (high - low), 0, 1)


def without_duplicates(scene: Scene, nms: float, least_score: float) -> Scene:
    """Return the scene without detections of low score, and without those of a name that overlap a better one.

    The best detection stays, however low its score.
    """
    names_N = np.array(scene.names)
    overlap_NN = iou(scene.box_N4, scene.box_N4) * (names_N[:, None] == names_N)
    kept: list[int] = []
    least_score = min(least_score, scene.score_N.max(initial=0.0))
    for row in np.argsort(-scene.score_N, kind="stable").tolist():
        if scene.score_N[row] >= least_score and not (overlap_NN[row, kept] > nms).any():
            kept.append(row)
    kept.sort()
    names = tuple(scene.names[row] for row in kept)
    fit_KN = None if scene.fit_KN is None else scene.fit_KN[:, kept]
    return Scene(scene.box_N4[kept], names, scene.score_N[kept], scene.size, scene.pixels_HW3, fit_KN)
