"""The definition of a correct region, and that all rooms use it."""

import re
from pathlib import Path

import numpy as np
import pytest

from jvgn.boxes import iou
from jvgn.correctness import Correctness, exceeds

ROOT = Path(__file__).parents[2]
BOX = np.array([[0, 0, 10, 10], [0, 0, 10, 5], [0, 0, 10, 6], [50, 50, 60, 60]], np.float32)
OBJECT = np.array([7, 8, 9, -1])
GOLD_BOX, GOLD = np.array([[[0, 0, 10, 10]], [[50, 50, 60, 60]]], np.float32), np.array([8, 7])


def test_an_annotated_region_is_correct_if_it_is_the_gold_objects_wherever_it_is():
    found = Correctness("gt").of_all(BOX, OBJECT, GOLD_BOX, GOLD)
    assert found.tolist() == [[False, True], [True, False], [False, False], [False, False]]


def test_a_detected_region_is_correct_if_its_overlap_is_larger_than_the_threshold():
    found = Correctness("det", 0.5).of_all(BOX, OBJECT, GOLD_BOX, GOLD)
    assert found[:, 0].tolist() == [True, False, True, False]  # the second has an IoU of exactly 0.5
    assert found[:, 1].tolist() == [False, False, False, True]


@pytest.mark.parametrize("setting", ["gt", "det"])
@pytest.mark.parametrize("seed", range(3))
def test_pairs_are_decided_as_in_the_whole_table(setting, seed):
    random = np.random.default_rng(seed)
    corner = random.uniform(0, 20, (40, 2))
    box = np.concatenate([corner, corner + random.uniform(5, 20, (40, 2))], axis=1).astype(np.float32)
    region, gold = random.integers(0, 4, 40), random.integers(0, 4, 40)
    rule = Correctness(setting, 0.3)
    whole = rule.of_all(box, region, box[::-1, None], gold)
    assert rule.of_pairs(box, region, box[::-1, None], gold).tolist() == np.diagonal(whole).tolist()
    if setting == "det":
        assert (whole == exceeds(iou(box, box[::-1]), 0.3)).all()


def test_no_other_module_compares_an_overlap_with_a_threshold():
    comparison = re.compile(r"(iou|overlap|best)\w*(\(.*\)|\[.*\])? *>=? *(self\.)?(iou_)?threshold", re.I)
    modules = {path: path.read_text() for path in (ROOT / "jvgn").rglob("*.py")}
    found = {path.relative_to(ROOT).as_posix() for path, text in modules.items() if comparison.search(text)}
    # A soft label of training is another thing: it weighs regions by their overlap.
    assert found - {"jvgn/training/examples.py"} == {"jvgn/correctness.py"}


def test_a_detected_region_is_correct_if_it_matches_any_box_of_its_object():
    several = np.array([[[0, 0, 10, 5], [0, 0, 10, 10]], [[90, 90, 99, 99], [0, 0, 0, 0]]], np.float32)
    rule = Correctness("det", 0.5)
    assert rule.of_all(BOX, OBJECT, several, GOLD).tolist() == [
        [True, False],
        [True, False],
        [True, False],
        [False] * 2,
    ]
    paired = rule.of_pairs(BOX[:2], OBJECT[:2], several, GOLD)
    assert paired.tolist() == [True, False]
