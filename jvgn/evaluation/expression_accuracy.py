"""How well expressions with gold boxes are grounded: the file of expressions, and the JSON of the result.

A file of expressions has a JSON object in each line: `image_id` and `file_name` of an image of the annotations;
`expression`; `referent`, the id of an annotation; `mentions`, objects with `phrase`, `annotation` (an id, or null for
something without a box) and `is_referent`; and `kind`, words such as `relation` that the result is split by. Other keys
are ignored. A context mention belongs to the first node whose head is in its phrase.

The result has `model`, `regions` and, in total and for each of `kinds`: `n`, `accuracy` and `interval` (of referents,
in percent, with Wilson's 95% interval); `context_n`, `context_accuracy` and `context_interval` (of annotated mentions
that are not the referent); `covered_n` and `covered_accuracy` (of expressions whose referent overlaps some region).
`expressions` has one object for each expression. A box is correct if its IoU with the gold box is above 0.5.

Shape suffixes: K nodes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from jvgn.boxes import iou
from jvgn.correctness import exceeds
from jvgn.datasets.coco import Id
from jvgn.evaluation.metrics import wilson_interval
from jvgn.settings.base import describe
from jvgn.storage.files import reading
from parsers.errors import UserError
from parsers.scene_graph import SceneGraph
from parsers.words.tokens import tokenise

IOU_THRESHOLD = 0.5


class AskedMention(BaseModel):
    """A phrase of an expression, with its gold annotation if there is one."""

    phrase: str
    annotation: Id | None = None
    is_referent: bool = False


class AskedExpression(BaseModel):
    """A line of the user's file of expressions."""

    image_id: Id
    file_name: str
    expression: str
    referent: Id
    mentions: list[AskedMention] = []
    kind: list[str] = []


@dataclass(frozen=True)
class Grounded:
    """An answer: a box for each node, or NaN for a node that was not found, and all boxes that it was chosen from."""

    graph: SceneGraph
    box_K4: np.ndarray
    region_N4: np.ndarray
    not_found: float | None = None
    """The probability that the referent is not found, if the model can say so."""


@dataclass(frozen=True)
class JudgedExpression:
    """An expression compared with its gold."""

    expression: AskedExpression
    is_found: bool
    is_covered: bool
    context: list[bool]


def read_expressions(path: Path) -> list[AskedExpression]:
    with reading(path, "JSON Lines file", "fix the file"):
        lines = path.read_text(encoding="utf8").split("\n")
    found = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(AskedExpression.model_validate_json(line))
            except ValidationError as error:
                raise UserError(f"{path}: line {number}: {describe(error.errors()[0])}; fix the line") from error
    if not found:
        raise UserError(f"{path}: has no expression; give one JSON object in each line")
    return found


def judged(
    expressions: Iterable[AskedExpression],
    ground: Callable[[AskedExpression], Grounded],
    gold: Callable[[int], np.ndarray],
) -> list[JudgedExpression]:
    """Compare the answer to each expression with its gold boxes."""
    found = []
    for one in expressions:
        grounded = ground(one)

        def is_right(node: int | None, annotation: int, grounded: Grounded = grounded) -> bool:
            return node is not None and bool(overlaps(grounded.box_K4[node], gold(annotation)))

        nodes = nodes_of(grounded.graph, one.mentions)
        context = [
            is_right(node, mention.annotation)
            for node, mention in zip(nodes, one.mentions, strict=True)
            if mention.annotation is not None and not mention.is_referent
        ]
        is_covered = bool(overlaps(grounded.region_N4, gold(one.referent)).any())
        found.append(JudgedExpression(one, is_right(grounded.graph.referent, one.referent), is_covered, context))
    return found


def overlaps(box_N4: np.ndarray, gold_4: np.ndarray) -> np.ndarray:
    return exceeds(iou(np.nan_to_num(box_N4), gold_4), IOU_THRESHOLD)[:, 0]


def nodes_of(graph: SceneGraph, mentions: Sequence[AskedMention]) -> list[int | None]:
    """Return the node of each mention, None if there is none. Mentions are in the order of their first words."""
    tokens = [token.lower() for token in graph.tokens]
    in_order = sorted(range(len(graph.nodes)), key=lambda node: graph.nodes[node].head_token)
    found: list[int | None] = []
    begin = 0
    for mention in mentions:
        phrase = [token.lower() for token in tokenise(mention.phrase)]
        starts = [start for start in range(len(tokens)) if tokens[start : start + len(phrase)] == phrase]
        start = next((start for start in starts if start >= begin), next(iter(starts), None))
        if start is None:
            found.append(None)
            continue
        inside = range(start, start + len(phrase))
        found.append(next((node for node in in_order if graph.nodes[node].head_token in inside), None))
        begin = start + 1
    return found


def accuracies(rows: Sequence[JudgedExpression]) -> dict[str, Any]:
    """Return the shares of expressions and context mentions that were found."""
    found: dict[str, Any] = shares("", [row.is_found for row in rows])
    found |= shares("context_", [hit for row in rows for hit in row.context])
    covered = [row.is_found for row in rows if row.is_covered]
    return found | {key: value for key, value in shares("covered_", covered).items() if key != "covered_interval"}


def shares(prefix: str, hits: Sequence[bool]) -> dict[str, Any]:
    if not hits:
        return {f"{prefix}n": 0}
    low, high = wilson_interval(sum(hits), len(hits))
    return {
        f"{prefix}n": len(hits),
        f"{prefix}accuracy": round(100 * sum(hits) / len(hits), 2),
        f"{prefix}interval": [round(low, 2), round(high, 2)],
    }


def result(model: str, regions: str, rows: Sequence[JudgedExpression]) -> dict[str, Any]:
    kinds = sorted({kind for row in rows for kind in row.expression.kind})
    return {
        "model": model,
        "regions": regions,
        **accuracies(rows),
        "kinds": {kind: accuracies([row for row in rows if kind in row.expression.kind]) for kind in kinds},
        "expressions": [
            {
                "image_id": row.expression.image_id,
                "expression": row.expression.expression,
                "correct": row.is_found,
                "covered": row.is_covered,
                "context_correct": row.context,
            }
            for row in rows
        ],
    }


def table(found: dict[str, Any]) -> list[str]:
    """Return the result as lines for people."""
    lines = [f"  {'':12}  {'n':>5}  accuracy  {'95% interval':>14}  context"]
    for name, part in [("all", found), *found["kinds"].items()]:
        interval = "{:.1f} to {:.1f}".format(*part["interval"])
        context = f"{part['context_accuracy']:7.1f}" if part["context_n"] else ""
        lines.append(f"  {name:12}  {part['n']:5}  {part['accuracy']:8.1f}  {interval:>14}  {context}".rstrip())
    return lines
