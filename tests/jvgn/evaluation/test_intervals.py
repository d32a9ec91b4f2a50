import pytest

from jvgn.evaluation.intervals import Z, wilson_interval


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


@pytest.mark.parametrize(("hits", "count"), [(1, 0), (0, 0), (3, 2), (-1, 2)])
def test_nonsense_is_refused(hits, count):
    with pytest.raises(ValueError, match="expected some trials"):
        wilson_interval(hits, count)
