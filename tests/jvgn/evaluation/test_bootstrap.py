"""Intervals and the paired test against a bootstrap that copies the trials of every drawn image."""

import numpy as np
import pytest

from jvgn.evaluation.metrics import RESAMPLES, SEED, ImageBootstrap

IMAGES = np.array([7, 7, 7, 3, 3, 9, 4, 4, 4, 4, 12])
HITS = np.array([1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1], bool)
OTHERS = np.array([0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1], bool)


def copied_shares(hits):
    """The share of hits in each resample, by copies of the trials."""
    images = sorted(set(IMAGES))
    draws = np.random.default_rng(SEED).integers(len(images), size=(RESAMPLES, len(images)))
    resamples = ([hit for place in draw for hit in hits[images[place] == IMAGES]] for draw in draws)
    return np.array([100 * np.mean(trials) for trials in resamples])


def test_an_interval_is_that_of_resampled_images():
    low, high = np.percentile(copied_shares(HITS), (2.5, 97.5))
    assert ImageBootstrap(IMAGES).interval(HITS) == pytest.approx([low, high], abs=1e-4)
    assert low < 100 * HITS.mean() < high


def test_the_paired_test_counts_resamples_without_a_difference():
    gains = copied_shares(HITS) - copied_shares(OTHERS)
    found = ImageBootstrap(IMAGES).difference(HITS, OTHERS)
    assert found.value == pytest.approx(100 * (HITS.mean() - OTHERS.mean()), abs=1e-4)
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(gains, (2.5, 97.5))), abs=1e-4)
    assert found.p == pytest.approx(2 * (1 + (gains <= 0).sum()) / (1 + RESAMPLES), abs=1e-4)


def test_equal_runs_differ_in_nothing_and_a_p_is_never_zero():
    bootstrap = ImageBootstrap(IMAGES)
    assert bootstrap.difference(HITS, HITS) == (0, 0, 0, 1)
    assert bootstrap.difference(np.ones(11, bool), np.zeros(11, bool)) == (100, 100, 100, round(2 / (1 + RESAMPLES), 4))


def test_images_rather_than_sentences_are_drawn():
    """Ten sentences of one image that stand or fall together are one trial, not ten."""
    hits = np.repeat([True, False] * 10, 10)
    alone = ImageBootstrap(np.arange(200)).interval(hits)
    together = ImageBootstrap(np.repeat(np.arange(20), 10)).interval(hits)
    assert together[1] - together[0] > 2 * (alone[1] - alone[0])
