"""Intervals and tests by the bootstrap over images.

Sentences about one image are not independent, so whole images are drawn again, with all their trials: 1,000 times, with
a fixed seed, as many images as have a trial. An interval is from the 2.5th to the 97.5th percentile of the resamples.

Shape suffixes: T trials, I images, R runs, B resamples.
"""

from typing import NamedTuple

import numpy as np

RESAMPLES = 1000
SEED = 0
PERCENTILES = (2.5, 97.5)
DIGITS = 4


class ImageBootstrap:
    """Resamples of the images of some trials; measures of the same trials share them."""

    def __init__(self, image_T: np.ndarray) -> None:
        image_I, self.image_T = np.unique(image_T, return_inverse=True)
        self.images = len(image_I)
        self.drawn_BI = np.random.default_rng(SEED).integers(self.images, size=(RESAMPLES, self.images))
        self.trials_B = self.resampled(np.ones(len(image_T)))

    def resampled(self, value_T: np.ndarray) -> np.ndarray:
        """Return the sum over the trials of each resample."""
        value_I = np.bincount(self.image_T, weights=value_T, minlength=self.images)
        return value_I[self.drawn_BI].sum(axis=1)

    def shares(self, hit_T: np.ndarray) -> np.ndarray:
        """Return the share of hits in each resample, in percent."""
        return 100 * self.resampled(hit_T) / self.trials_B

    def interval(self, hit_T: np.ndarray) -> list[float]:
        """Return the 95% interval of the share of hits, in percent."""
        return percentiles(self.shares(hit_T))

    def difference(self, hit_T: np.ndarray, other_T: np.ndarray) -> "Difference":
        """Return how much larger the share of `hit_T` is than that of `other_T`, on the same trials."""
        gain_B = self.shares(hit_T) - self.shares(other_T)
        low, high = percentiles(gain_B)
        value = round(100 * float(np.mean(hit_T) - np.mean(other_T)), DIGITS)
        # One is added to both counts, so that a finite number of resamples never gives a p of 0.
        rarer = min((gain_B <= 0).sum(), (gain_B >= 0).sum())
        p = min(1.0, 2 * (1 + int(rarer)) / (1 + RESAMPLES))
        return Difference(value, low, high, round(p, DIGITS))


class Difference(NamedTuple):
    """A paired difference in percentage points, its 95% interval, and the two-sided p of no difference."""

    value: float
    low: float
    high: float
    p: float


def percentiles(value_B: np.ndarray) -> list[float]:
    return [round(float(end), DIGITS) for end in np.percentile(value_B, PERCENTILES)]
