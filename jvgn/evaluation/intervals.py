"""How sure a share is."""

from math import sqrt

Z = 1.959963984540054
"""Of the normal distribution: 95% lie within so many standard deviations."""


def wilson_interval(hits: int, count: int) -> tuple[float, float]:
    """Wilson's 95% interval of a share, in percent: it stays within 0 and 100, and holds for few trials.

    The trials count as independent of each other.
    """
    if not 0 <= hits <= count or count == 0:
        raise ValueError(f"expected some trials and at most as many hits, found {hits} of {count}")
    share, extra = hits / count, Z**2 / count
    middle = (share + extra / 2) / (1 + extra)
    reach = Z / (1 + extra) * sqrt(share * (1 - share) / count + extra / (4 * count))
    return max(0.0, 100 * (middle - reach)), min(100.0, 100 * (middle + reach))
