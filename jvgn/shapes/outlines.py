"""Outlines of the shapes: one closed polygon each, its box centred at 0 with a longer side of 2.

Shape suffixes: P points of a polygon, 2 x and y; y points down, as in images.
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]

CURVE_POINTS = 48
RING_HOLE = 0.55
STAR_WAIST = 0.42
CROSS_ARM = 0.34


@cache
def circle() -> Points:
    angle_P = np.linspace(0, 2 * np.pi, CURVE_POINTS + 1) + np.pi / 2  # Pillow needs a ring's seam to be vertical
    return np.stack([np.cos(angle_P), np.sin(angle_P)], axis=1)


@cache
def square() -> Points:
    return np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


@cache
def triangle() -> Points:
    return np.array([(0.0, -0.9), (1.0, 0.9), (-1.0, 0.9)])


@cache
def star() -> Points:
    angle_P = np.arange(10) * np.pi / 5 - np.pi / 2
    radius_P = np.where(np.arange(10) % 2, STAR_WAIST, 1.0)
    return np.stack([radius_P * np.cos(angle_P), radius_P * np.sin(angle_P)], axis=1)


@cache
def cross() -> Points:
    arm = CROSS_ARM
    corner = [(-arm, -1.0), (arm, -1.0), (arm, -arm)]
    turns = [np.array([(math.cos(a), math.sin(a)), (-math.sin(a), math.cos(a))]) for a in np.arange(4) * np.pi / 2]
    return np.concatenate([np.array(corner) @ turn for turn in turns])


@cache
def ring() -> Points:
    """Return one polygon with a hole: around the outside, along a seam, and back around the hole."""
    return np.concatenate([circle(), RING_HOLE * circle()[::-1]])


@cache
def heart() -> Points:
    t = np.linspace(0, 2 * np.pi, CURVE_POINTS, endpoint=False)
    height_P = 13 * np.cos(t) - 5 * np.cos(2 * t) - 2 * np.cos(3 * t) - np.cos(4 * t)
    return np.stack([16 * np.sin(t) ** 3, -height_P], axis=1)


OUTLINES = {
    "circle": circle,
    "square": square,
    "triangle": triangle,
    "star": star,
    "cross": cross,
    "ring": ring,
    "heart": heart,
}


def outline(shape: str, tilt: float) -> Points:
    """Return the shape turned by `tilt` radians, then centred and scaled by its box."""
    turn_22 = np.array([(math.cos(tilt), math.sin(tilt)), (-math.sin(tilt), math.cos(tilt))])
    points_P2 = OUTLINES[shape]() @ turn_22
    low_2, high_2 = points_P2.min(axis=0), points_P2.max(axis=0)
    unit_P2: Points = (points_P2 - (low_2 + high_2) / 2) / ((high_2 - low_2).max() / 2)
    return unit_P2


def area(points_P2: Points) -> float:
    x_P, y_P = points_P2.T
    return float(abs(x_P @ np.roll(y_P, -1) - y_P @ np.roll(x_P, -1)) / 2)
