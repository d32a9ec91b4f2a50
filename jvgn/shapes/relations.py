"""Spatial relations (left of, right of, above, below, near) in two readings.

A sentence must be true in the strict reading, and its solution must be the only one even in the loose reading, so that
no sentence depends on a borderline case. A direction is a cone, not a half-plane. With half-planes, "the circle left
of …" could only be the leftmost circle, and a prior on locations would make the relation unnecessary.

Shape suffixes: N objects of a scene; entry (i, j) is true if i has the relation to j.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jvgn.shapes.scenes import Scene

RELATIONS = ("left", "right", "above", "below", "near")


@dataclass(frozen=True)
class Reading:
    gap: float
    """The least distance along the direction, as a share of the image's side."""
    slope: float
    """The most distance across the direction, for each pixel along it …"""
    spread: float
    """… and beyond that, as a share of the image's side."""
    reach: float
    """The longest distance that is near, as a share of the image's diagonal."""


STRICT = Reading(gap=0.12, slope=0.6, spread=0.0, reach=0.16)
LOOSE = Reading(gap=-0.02, slope=1.0, spread=0.04, reach=0.23)

Table = dict[str, list[int]]
"""For each relation and each object i: the objects j that i has the relation to, as bits of an integer."""


def related(scene: Scene, reading: Reading) -> Table:
    """Return all relations of a scene. An object is near itself, and in no direction from itself."""
    others_NN = ~np.eye(len(scene.things), dtype=bool)
    x_N = np.array([thing.x for thing in scene.things])
    y_N = np.array([thing.y for thing in scene.things])
    right_NN = x_N[:, None] - x_N
    below_NN = y_N[:, None] - y_N
    near_NN = np.hypot(right_NN, below_NN) <= reading.reach * np.hypot(scene.width, scene.height)
    return {
        "left": bits(lies(-right_NN, below_NN, scene.width, reading) & others_NN),
        "right": bits(lies(right_NN, below_NN, scene.width, reading) & others_NN),
        "above": bits(lies(-below_NN, right_NN, scene.height, reading) & others_NN),
        "below": bits(lies(below_NN, right_NN, scene.height, reading) & others_NN),
        "near": bits(near_NN),
    }


def lies(
    along_NN: NDArray[np.float64], across_NN: NDArray[np.float64], side: int, reading: Reading
) -> NDArray[np.bool_]:
    within_NN = np.abs(across_NN) <= reading.slope * along_NN + reading.spread * side
    return (along_NN >= reading.gap * side) & within_NN


def bits(holds_NN: NDArray[np.bool_]) -> list[int]:
    """Return each row as the bits of an integer."""
    return [int(row) for row in holds_NN @ (1 << np.arange(len(holds_NN)))]
