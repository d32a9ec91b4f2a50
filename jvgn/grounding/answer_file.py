"""Answers as a table for people and as JSON for programs.

The JSON is an object: `format`, the version; `run`, the run's folder; `results`, one for each question that was
answered; `errors`, one for each that was not, with `question`, `image`, `expression` and `error`, a sentence.

A result has `question`, its number from 0; `image`, as it was given, with its `width` and `height`; `expression` and
its `tokens`; `unknown_words`, those that the run has not learned; `regions`, the boxes that were found, x1, y1, x2, y2
in pixels; `referent`, the index of the node that the expression is about; `nodes` and `edges`, its scene graph, whose
`tokens` are indices; and `best`, the most probable joint groundings, as many as were asked for: each a `probability`
and `regions`, one for each node. An edge has `subject`, `relation`, `object`. A node has `phrase`, `head`,
`attributes`, `is_referent`; `region`, the index of the region that it is grounded in, and that region's `box`, `unary`
and `marginal`: its probability before and after message passing; and in `unary_of_regions` and `marginal_of_regions`
those of every region.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jvgn.grounding.answer import Answer, Grounding
from jvgn.storage.files import replacing

FORMAT = "1"


def as_json(run: Path, results: Sequence[dict[str, Any]], errors: Sequence[dict[str, Any]]) -> str:
    return json.dumps({"format": FORMAT, "run": str(run), "results": results, "errors": errors}, allow_nan=False) + "\n"


def write_json(path: Path, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf8")


def result(question: int, image: Path, answer: Answer) -> dict[str, Any]:
    return {
        "question": question,
        "image": str(image),
        "width": answer.size[0],
        "height": answer.size[1],
        "expression": answer.text,
        "tokens": answer.graph.tokens,
        "unknown_words": answer.unknown_words,
        "regions": answer.box_N4.tolist(),
        "referent": answer.graph.referent,
        "nodes": [node_of(answer, grounding) for grounding in answer.groundings],
        "edges": [asdict(edge) for edge in answer.graph.edges],
        "best": [
            {"probability": joint.probability, "regions": [one.region for one in joint.groundings]}
            for joint in answer.joint
        ],
    }


def node_of(answer: Answer, grounding: Grounding) -> dict[str, Any]:
    node = answer.graph.nodes[grounding.node]
    return {
        "phrase": grounding.phrase,
        "head": node.head,
        "attributes": node.attributes,
        "tokens": node.tokens,
        "is_referent": grounding.is_referent,
        "region": grounding.region,
        "box": grounding.box,
        "unary": grounding.unary,
        "marginal": grounding.marginal,
        "unary_of_regions": answer.unary_KN[grounding.node].tolist(),
        "marginal_of_regions": answer.marginal_KN[grounding.node].tolist(),
    }


def failure(question: int, image: Path, text: str, error: str) -> dict[str, Any]:
    return {"question": question, "image": str(image), "expression": text, "error": error}


def table(answer: Answer) -> Iterator[str]:
    """A line for each object; or, where joint groundings were asked for, a table for each of those."""
    if not answer.joint:
        yield from lines_of(answer.groundings)
    for place, joint in enumerate(answer.joint, start=1):
        yield f"{place}. probability {joint.probability:.4f}"
        yield from lines_of(joint.groundings)


def lines_of(groundings: Sequence[Grounding]) -> Iterator[str]:
    boxes = [", ".join(f"{side:.0f}" for side in found.box) for found in groundings]
    first = max(len("phrase"), *(len(found.phrase) for found in groundings))
    second = max(len("box"), *map(len, boxes))
    yield f"  {'phrase':{first}}  {'box':{second}}  before  after"
    for found, box in zip(groundings, boxes, strict=True):
        mark = "*" if found.is_referent else " "
        yield f"{mark} {found.phrase:{first}}  {box:{second}}  {found.unary:6.2f}  {found.marginal:5.2f}"
