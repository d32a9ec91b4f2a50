"""How far raters agree.

Shape suffixes: U examples rated by two raters or more, C answers of the scale.
"""

import numpy as np


def krippendorff_alpha(count_UC: np.ndarray) -> float | None:
    """Krippendorff's alpha for ordered answers: 1 is full agreement, 0 what chance gives.

    `count_UC` says how many raters gave an answer to an example; examples with fewer than two ratings do not count.
    None where alpha is not defined: nothing was rated twice, or all answers are the same.
    """
    count_UC = count_UC[count_UC.sum(axis=1) >= 2].astype(float)
    rated_U = count_UC.sum(axis=1)
    weight_UC = count_UC / (rated_U - 1)[:, None]
    # How often two raters of one example gave these two answers, each example weighing as much as it has ratings.
    pairs_CC = weight_UC.T @ count_UC - np.diag(weight_UC.sum(axis=0))
    total_C = pairs_CC.sum(axis=1)
    total = total_C.sum()
    distance_CC = ordinal_distance(total_C)
    by_chance = float((np.outer(total_C, total_C) * distance_CC).sum())
    if by_chance == 0:
        return None
    return 1 - (total - 1) * float((pairs_CC * distance_CC).sum()) / by_chance


def ordinal_distance(total_C: np.ndarray) -> np.ndarray:
    """Squared: how many answers lie between two, those at the ends by half."""
    below_C = np.cumsum(total_C) - total_C / 2
    return (below_C[:, None] - below_C[None, :]) ** 2


def same_answer(count_UC: np.ndarray) -> float | None:
    """In percent: how often two raters of an example gave the same answer, over all such pairs."""
    rated_U = count_UC.sum(axis=1)
    pairs = float((rated_U * (rated_U - 1)).sum())
    return 100 * float((count_UC * (count_UC - 1)).sum()) / pairs if pairs else None
