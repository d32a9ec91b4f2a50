"""How well "not found" is calibrated: expressions asked of their own image and of images that lack what they mention.

An expression is *present* in its own image, if some region covers its referent. It is *absent* from another image that
has no object of the referent's category. It is *undecided* in an image that has one: "the man on the left" may fit
there too, so these questions count for nothing, and only their share of "not found" is given.

The result has for each of `present`, `absent` and `undecided`: `n` questions, and `not_found`, the percentage that was
answered so, with its `interval` (95%, by the bootstrap over the expressions' images). `accuracy` is the weighted share
of correct decisions, and `log_loss` the mean negative logarithm of the probability of the correct one. `reliability`
has a row for each bin of the probability of "not found": `low`, `high`, the mean `probability`, the `frequency` with
which the expression is absent, and `n`. In these three, present and absent questions have the same weight in total.

Shape suffixes: Q questions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, get_args

import numpy as np

from jvgn.evaluation.expression_accuracy import AskedExpression, Grounded, overlaps
from jvgn.evaluation.metrics import ImageBootstrap

Kind = Literal["present", "absent", "undecided"]
EDGES = np.array([0, 0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98, 1])
"""Bins of the reliability table: narrow at the ends, where most probabilities are."""
LEAST = 1e-6


@dataclass(frozen=True)
class Doubted:
    """An expression asked of an image, and the probability that its referent is not found there."""

    expression: AskedExpression
    kind: Kind
    not_found: float


def doubted(
    expressions: Sequence[AskedExpression],
    images: Mapping[int, set[int]],
    category: Callable[[int], int],
    gold: Callable[[int], np.ndarray],
    ground: Callable[[AskedExpression], Grounded],
) -> Iterator[Doubted]:
    """Ask each expression of every image. `images` has the categories of each; `category` is that of an annotation."""
    for image_id, categories in images.items():
        for one in expressions:
            answer = ground(one.model_copy(update={"image_id": image_id}))
            assert answer.not_found is not None
            kind: Kind = "undecided" if category(one.referent) in categories else "absent"
            if image_id == one.image_id:
                if not overlaps(answer.region_N4, gold(one.referent)).any():
                    continue
                kind = "present"
            yield Doubted(one, kind, answer.not_found)


def calibration(rows: Sequence[Doubted]) -> dict[str, Any]:
    """Return the result; see the module."""
    found: dict[str, Any] = {kind: answered([row for row in rows if row.kind == kind]) for kind in get_args(Kind)}
    judged = [row for row in rows if row.kind != "undecided"]
    probability_Q = np.array([row.not_found for row in judged])
    is_absent_Q = np.array([row.kind == "absent" for row in judged])
    if is_absent_Q.all() or not is_absent_Q.any():
        return found
    weight_Q = np.where(is_absent_Q, 0.5 / is_absent_Q.sum(), 0.5 / (~is_absent_Q).sum())
    right_Q = np.where(is_absent_Q, probability_Q, 1 - probability_Q)
    return found | {
        "accuracy": round(100 * float(weight_Q @ (right_Q > 0.5)), 2),
        "log_loss": round(float(weight_Q @ -np.log(np.clip(right_Q, LEAST, 1))), 4),
        "reliability": reliability(probability_Q, is_absent_Q, weight_Q),
    }


def answered(rows: Sequence[Doubted]) -> dict[str, Any]:
    if not rows:
        return {"n": 0}
    is_null_Q = np.array([row.not_found > 0.5 for row in rows])
    interval = ImageBootstrap(np.array([row.expression.image_id for row in rows])).interval(is_null_Q)
    return {
        "n": len(rows),
        "not_found": round(100 * float(is_null_Q.mean()), 2),
        "interval": np.round(interval, 2).tolist(),
    }


def reliability(probability_Q: np.ndarray, is_absent_Q: np.ndarray, weight_Q: np.ndarray) -> list[dict[str, float]]:
    """Return a row for each bin that has a question."""
    bin_Q = np.clip(np.digitize(probability_Q, EDGES) - 1, 0, len(EDGES) - 2)
    table = []
    for number, (low, high) in enumerate(pairwise(EDGES)):
        own_Q = bin_Q == number
        if own_Q.any():
            means = np.average(np.stack([probability_Q, is_absent_Q])[:, own_Q], axis=1, weights=weight_Q[own_Q])
            probability, frequency = (round(float(mean), 3) for mean in means)
            row = {"low": float(low), "high": float(high), "probability": probability, "frequency": frequency}
            table.append(row | {"n": int(own_Q.sum())})
    return table


def calibration_table(found: dict[str, Any]) -> list[str]:
    """Return the result as lines for people."""
    lines = [f"  {'not found':12}  {'n':>5}  {'%':>8}  {'95% interval':>14}"]
    for kind in get_args(Kind):
        if found[kind]["n"]:
            interval = "{:.1f} to {:.1f}".format(*found[kind]["interval"])
            lines.append(f"  {kind:12}  {found[kind]['n']:5}  {found[kind]['not_found']:8.1f}  {interval:>14}")
    if "reliability" in found:
        lines.append(f"  accuracy {found['accuracy']:.1f}, log loss {found['log_loss']:.3f}")
        lines.append("  predicted  mean  observed      n")
        lines += [
            f"  {row['low']:.2f}-{row['high']:.2f}  {row['probability']:.3f}  {row['frequency']:8.3f}  {row['n']:5}"
            for row in found["reliability"]
        ]
    return lines
