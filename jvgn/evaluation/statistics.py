"""Shares in percent, their intervals, and the calibration error."""

from math import sqrt

import numpy as np
import pandas as pd

CALIBRATION_BINS = 15
"""Bins of equal width, as the measure is usually reported."""
Z = 1.959963984540054
"""95% of a normal distribution is within this many standard deviations of its mean."""


def percent(hits: pd.Series) -> float:
    return round(100 * float(hits.mean()), 4)


def wilson_interval(hits: int, count: int) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share, in percent.

    It stays within 0 and 100 and also holds for few trials. The trials count as independent of each other.
    """
    if not 0 <= hits <= count or count == 0:
        raise ValueError(f"expected at least one trial and at most as many hits as trials, found {hits} of {count}")
    share, extra = hits / count, Z**2 / count
    middle = (share + extra / 2) / (1 + extra)
    reach = Z / (1 + extra) * sqrt(share * (1 - share) / count + extra / (4 * count))
    return max(0.0, 100 * (middle - reach)), min(100.0, 100 * (middle + reach))


def calibration_error(confidence_S: np.ndarray, correct_S: np.ndarray) -> float:
    """Return the expected calibration error in percent: the mean gap between confidence and accuracy over the bins."""
    bin_S = np.minimum((confidence_S * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    gap_B = np.bincount(bin_S, weights=confidence_S - correct_S, minlength=CALIBRATION_BINS)
    return round(100 * float(np.abs(gap_B).sum()) / len(confidence_S), 4)
