"""Boxes against their plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jvgn.boxes import iou, paired_iou, spatial_feature, xyxy_from_xywh

corners = st.integers(0, 30)
boxes = st.lists(st.tuples(corners, corners, st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=6)


def pixels(box) -> set[tuple[int, int]]:
    x1, y1, x2, y2 = map(int, box)
    return {(x, y) for x in range(x1, x2) for y in range(y1, y2)}


@given(boxes, boxes)
def test_iou_counts_shared_pixels_over_all_pixels(a, b):
    a_A4, b_B4 = xyxy_from_xywh(a), xyxy_from_xywh(b)
    expected = [[len(pixels(p) & pixels(q)) / max(1, len(pixels(p) | pixels(q))) for q in b_B4] for p in a_A4]
    np.testing.assert_allclose(iou(a_A4, b_B4), expected, rtol=1e-6)


@given(boxes, boxes)
def test_paired_iou_is_the_diagonal(a, b):
    count = min(len(a), len(b))
    a_N4, b_N4 = xyxy_from_xywh(a[:count]), xyxy_from_xywh(b[:count])
    np.testing.assert_allclose(paired_iou(a_N4, b_N4), np.diag(iou(a_N4, b_N4)))


def test_iou_of_no_boxes_is_an_empty_table():
    assert iou(np.zeros((0, 4)), np.zeros((3, 4))).shape == (0, 3)


def test_widths_and_heights_become_corners():
    assert xyxy_from_xywh([[10, 20, 5, 6]]).tolist() == [[10, 20, 15, 26]]
    assert xyxy_from_xywh([]).shape == (0, 4)


def test_the_spatial_feature_is_relative_to_the_image():
    found = spatial_feature([[0, 0, 40, 20], [10, 5, 20, 15]], width=40, height=20)
    assert found == pytest.approx(np.array([[0, 0, 1, 1, 1], [0.25, 0.25, 0.5, 0.75, 0.125]]))
    assert found.dtype == np.float32
