"""`metrics.json`: how well a run grounds each split. Shares, their intervals and the calibration error, in percent.

`format` is the version. `splits` holds a `Split` for each split but train, `provenance` the hashes of all files that
the numbers depend on. Fields that are unknown are left out.

Intervals are [low, high] at 95%, by the bootstrap over images: sentences about one image are not independent, so whole
images are drawn again, with all their trials: 1,000 times, with a fixed seed, as many images as have a trial. An
interval is from the 2.5th to the 97.5th percentile of the resamples.

Shape suffixes: S expressions, T trials, I images, B resamples or bins.
"""

import json
from math import sqrt
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, NonNegativeInt, PositiveInt, ValidationError

from jvgn.settings.base import describe
from jvgn.storage.files import reading, write_text
from parsers.errors import BrokenFile

FORMAT = "2"
RESAMPLES = 1000
SEED = 0
PERCENTILES = (2.5, 97.5)
DIGITS = 4
CALIBRATION_BINS = 15
"""Bins of equal width, as the measure is usually reported."""
Z = 1.959963984540054
"""95% of a normal distribution is within this many standard deviations of its mean."""
Percent = Annotated[float, Field(ge=0, le=100)]
Interval = Annotated[list[Percent], Field(min_length=2, max_length=2)]


class MetricsPart(BaseModel):
    """A part of `metrics.json`; keys of later versions are not read."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)


class Supporting(MetricsPart):
    """Supporting objects found; see `jvgn.evaluation.score.SupportingObjects`."""

    n: NonNegativeInt
    """Expressions that have supporting objects."""
    all: Percent
    at_least_one: Percent


class GroupShare(MetricsPart):
    """The mentions of a group that were grounded correctly."""

    n: PositiveInt
    accuracy: Percent
    interval: Interval


class RegionRecall(MetricsPart):
    """Boxed mentions, the referent's too, with a correct region among the k that are most probable by the marginal.

    A mention that matches no node counts as wrong.
    """

    n: PositiveInt
    """Mentions."""
    r_at_1: Percent
    r_at_1_interval: Interval
    r_at_5: Percent
    r_at_5_interval: Interval
    r_at_10: Percent
    r_at_10_interval: Interval
    upper_bound: Percent
    """Mentions that some region covers: no method can find more."""
    upper_bound_interval: Interval


class Shares(MetricsPart):
    """The objects found by one way to decode."""

    accuracy: Percent
    """Expressions whose referent was found."""
    accuracy_interval: Interval | None = None
    context_accuracy: Percent | None = None
    """Gold mentions beside the referent that were grounded correctly; unknown without gold."""
    context_accuracy_interval: Interval | None = None
    supporting: Supporting | None = None


class Split(MetricsPart):
    """The numbers of one split."""

    n: PositiveInt
    """Expressions."""
    accuracy: Percent
    accuracy_interval: Interval | None = None
    context_n: PositiveInt | None = None
    """Gold mentions beside the referent."""
    context_accuracy: Percent | None = None
    context_accuracy_interval: Interval | None = None
    context_by_relation: dict[str, GroupShare] = {}
    """By the relation that joins the mention's node to its parent, on the way to the referent; the most frequent."""
    context_by_type: dict[str, GroupShare] = {}
    """By the type of the phrase, where the dataset has types."""
    recall: RegionRecall | None = None
    """Unknown without gold mentions."""
    recall_by_type: dict[str, RegionRecall] = {}
    unmatched_mentions: NonNegativeInt | None = None
    """Gold mentions whose `head_token` is the head of no node. They count as wrong."""
    contradicting_mentions: NonNegativeInt | None = None
    """Mentions marked `is_referent` whose object is not the `object_id` of the expression."""
    oracle_recall: Percent
    """Expressions whose referent some region covers: no method can find more."""
    mean_regions: FiniteFloat
    """Regions of an image."""
    calibration_error: FiniteFloat | None = None
    """Expected calibration error of the referents' marginals, in 15 bins."""
    skipped: PositiveInt | None = None
    """Expressions whose image has no regions; they count as not found. Left out if there are none."""
    accuracy_by_nodes: dict[str, Percent] = {}
    accuracy_by_edges: dict[str, Percent] = {}
    supporting: Supporting | None = None
    by_decoding: dict[str, Shares] = {}
    """`unary` (without message passing), `marginal` and `map` (the best joint grounding)."""


class MetricsProvenance(MetricsPart):
    """The files, versions and seed behind the metrics."""

    sha256: dict[str, str] = {}
    versions: dict[str, str] = {}
    seed: int
    detector_proof: str
    """Whether the detector provably saw no evaluation image: `proved`, `unproven` or `leaking`."""


class Metrics(MetricsPart):
    """The whole of `metrics.json`."""

    dataset: str
    setting: str
    run: str
    splits: dict[str, Split]
    provenance: MetricsProvenance

    @property
    def name(self) -> str:
        """The run's name for people, such as `shapes_det` or `shapes_det unmarginalised`."""
        return f"{self.dataset}_{self.setting}" + ("" if self.run == "default" else f" {self.run}")


def write_metrics(path: Path, metrics: Metrics) -> None:
    write_text(path, json.dumps({"format": FORMAT} | metrics.model_dump(exclude_none=True), indent=2) + "\n")


def read_metrics(path: Path) -> Metrics:
    if not path.exists():
        raise BrokenFile(path, "no such file", f"make it: snakemake --cores all {path}")
    with reading(path, "JSON file"):
        found = json.loads(path.read_bytes())
    version = found.get("format") if isinstance(found, dict) else None
    if version != FORMAT:
        raise BrokenFile(path, f"expected metrics of format version {FORMAT}, found {version or 'none'}")
    try:
        return Metrics.model_validate(found, strict=True)
    except ValidationError as error:
        raise BrokenFile(path, f"invalid metrics ({describe(error.errors()[0])})") from error


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
