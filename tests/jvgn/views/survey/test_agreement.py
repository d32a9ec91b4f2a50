from itertools import combinations, permutations

import numpy as np
import pytest

from jvgn.views.survey.tally import krippendorff_alpha, same_answer

# Krippendorff's own example ("Computing Krippendorff's Alpha-Reliability", 2011): four raters, twelve examples.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def counted(ratings, answers):
    return np.array(
        [[column.count(answer) for answer in range(1, answers + 1)] for column in zip(*ratings, strict=True)]
    )


def test_alpha_is_the_published_one():
    assert krippendorff_alpha(counted(PUBLISHED, 5)) == pytest.approx(0.815, abs=5e-4)


def plain_alpha(ratings, answers):
    """By definition: one less observed over expected disagreement, pair by pair."""
    units = [[answer for answer in column if answer is not None] for column in zip(*ratings, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    pooled = [answer for unit in units for answer in unit]
    size = {answer: pooled.count(answer) for answer in range(1, answers + 1)}

    def distance(one, other):
        low, high = sorted((one, other))
        between = sum(size[answer] for answer in range(low, high + 1))
        return (between - (size[low] + size[high]) / 2) ** 2

    observed = sum(distance(*pair) / (len(unit) - 1) for unit in units for pair in permutations(unit, 2)) / len(pooled)
    pairs = list(permutations(pooled, 2))
    return 1 - observed / (sum(distance(*pair) for pair in pairs) / len(pairs))


@pytest.mark.parametrize("seed", range(8))
def test_alpha_is_what_the_definition_says(seed):
    chance = np.random.default_rng(seed)
    drawn = chance.integers(0, 5, size=(3, 9))  # 0: not rated
    ratings = [[int(answer) or None for answer in row] for row in drawn]
    assert krippendorff_alpha(counted(ratings, 4)) == pytest.approx(plain_alpha(ratings, 4))


@pytest.mark.parametrize("seed", range(4))
def test_same_answers_are_counted_over_all_pairs_of_raters(seed):
    drawn = np.random.default_rng(seed).integers(0, 5, size=(4, 7)).tolist()
    pairs = [(one, other) for column in zip(*drawn, strict=True) for one, other in combinations(column, 2)]
    both = [(one, other) for one, other in pairs if one and other]
    expected = 100 * sum(one == other for one, other in both) / len(both)
    assert same_answer(counted(drawn, 4)) == pytest.approx(expected)


def test_full_agreement_is_one_and_undefined_agreement_is_none():
    assert krippendorff_alpha(counted([[1, 2, 4], [1, 2, 4]], 4)) == pytest.approx(1)
    assert krippendorff_alpha(counted([[3, 3], [3, 3]], 4)) is None
    assert krippendorff_alpha(counted([[1, None], [None, 2]], 4)) is None
    assert same_answer(counted([[1, None], [None, 2]], 4)) is None
