"""Intervals and calibration errors against their definitions."""

import numpy as np
import pytest

from jvgn.evaluation.metrics import Z, calibration_error, wilson_interval


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [
        (0, 10, 0.0, 27.75),
        (10, 10, 72.25, 100.0),
        (5, 10, 23.66, 76.34),
        (1, 1, 20.65, 100.0),
        (490, 500, 96.36, 98.91),
    ],
)
def test_intervals_are_those_of_the_textbook(hits, count, low, high):
    assert wilson_interval(hits, count) == pytest.approx((low, high), abs=0.01)


@pytest.mark.parametrize(("hits", "count"), [(0, 7), (3, 7), (7, 7), (120, 800)])
def test_at_its_ends_the_share_found_is_as_far_off_as_chance_allows(hits, count):
    """The definition: the shares p for which |found − p| is Z standard deviations of p."""
    for end in wilson_interval(hits, count):
        p = end / 100
        assert (hits / count - p) ** 2 == pytest.approx(Z**2 * p * (1 - p) / count, abs=1e-12)


def test_the_calibration_error_is_the_gap_between_confidence_and_accuracy_bin_by_bin():
    random = np.random.default_rng(0)
    confidence, correct = random.random(500), random.random(500) < 0.6
    expected = 0.0
    for low in np.arange(15) / 15:
        inside = (confidence >= low) & (confidence < low + 1 / 15)
        expected += inside.mean() * abs(confidence[inside].mean() - correct[inside].mean())
    assert calibration_error(confidence, correct) == pytest.approx(100 * expected, abs=1e-3)
    assert calibration_error(np.ones(4), np.array([True, True, True, False])) == 25
