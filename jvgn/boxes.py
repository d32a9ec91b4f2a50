"""Boxes: xyxy, in pixels, float32. Shape suffixes: A, B, N boxes."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float32]

OVERHANG = 1.0
"""Pixels by which a box may extend beyond its image, because COCO's boxes are rounded."""


def xyxy_from_xywh(box_N4: ArrayLike) -> Floats:
    """Turn COCO's corner, width and height into two corners."""
    box_N4 = np.asarray(box_N4, np.float32).reshape(-1, 4)
    return np.concatenate([box_N4[:, :2], box_N4[:, :2] + box_N4[:, 2:]], axis=1)


def area(box_N4: ArrayLike) -> Floats:
    box_N4 = np.asarray(box_N4, np.float32).reshape(-1, 4)
    return np.prod(np.maximum(box_N4[:, 2:] - box_N4[:, :2], 0), axis=1)


def iou(a_A4: ArrayLike, b_B4: ArrayLike) -> Floats:
    """Return (A, B): intersection over union; an empty box overlaps nothing."""
    a_A4 = np.asarray(a_A4, np.float32).reshape(-1, 4)
    b_B4 = np.asarray(b_B4, np.float32).reshape(-1, 4)
    corner_AB2 = np.maximum(a_A4[:, None, :2], b_B4[None, :, :2])
    opposite_AB2 = np.minimum(a_A4[:, None, 2:], b_B4[None, :, 2:])
    shared_AB = np.prod(np.maximum(opposite_AB2 - corner_AB2, 0), axis=2)
    union_AB = area(a_A4)[:, None] + area(b_B4)[None, :] - shared_AB
    return np.divide(shared_AB, union_AB, out=np.zeros_like(shared_AB), where=shared_AB > 0)


def paired_iou(a_N4: ArrayLike, b_N4: ArrayLike) -> Floats:
    """Return (N,): intersection over union of each box with its partner."""
    a_N4 = np.asarray(a_N4, np.float32).reshape(-1, 4)
    b_N4 = np.asarray(b_N4, np.float32).reshape(-1, 4)
    inner_N4 = np.concatenate([np.maximum(a_N4[:, :2], b_N4[:, :2]), np.minimum(a_N4[:, 2:], b_N4[:, 2:])], axis=1)
    shared_N = area(inner_N4)
    return np.divide(shared_N, area(a_N4) + area(b_N4) - shared_N, out=np.zeros_like(shared_N), where=shared_N > 0)


def spatial_feature(box_N4: ArrayLike, width: float, height: float) -> Floats:
    """Return (N, 5): the relative location [x1/W, y1/H, x2/W, y2/H, wh/WH] of section 4.2 of the paper."""
    box_N4 = np.asarray(box_N4, np.float32).reshape(-1, 4)
    side_4 = np.asarray([width, height, width, height], np.float32)
    return np.concatenate([box_N4 / side_4, area(box_N4)[:, None] / np.float32(width * height)], axis=1)


def flaws(box_N4: ArrayLike, width: float, height: float) -> dict[int, str]:
    """Return the row of each box that cannot be a region of an image of this size, and the reason."""
    box_N4 = np.asarray(box_N4, np.float32).reshape(-1, 4)
    far_4 = np.asarray([width, height, width, height], np.float32) + OVERHANG
    is_finite_N = np.all(np.isfinite(box_N4), axis=1)
    is_inside_N = np.all((box_N4 >= -OVERHANG) & (box_N4 <= far_4), axis=1)
    has_area_N = np.all(box_N4[:, 2:] > box_N4[:, :2], axis=1)
    found = {}
    for row in np.flatnonzero(~(is_finite_N & is_inside_N & has_area_N)).tolist():
        corners = ", ".join(f"{side:g}" for side in box_N4[row].tolist())
        outside = f"is not inside the image, which has {width:g} x {height:g} pixels"
        flaw = "is not finite" if not is_finite_N[row] else "has no area" if not has_area_N[row] else outside
        found[row] = f"box ({corners}) {flaw}"
    return found
