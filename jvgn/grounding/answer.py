"""The answer of a run to a sentence about an image: a region for every mentioned object, and the beliefs about others.

Answers are printed as a table for people and as JSON for programs. The JSON is an object: `format`, the version; `run`,
the run's folder, null for the rules; `results`, one for each question that was answered; `errors`, one for each that
was not, with `question`, `image`, `expression` and `error`, a sentence.

A result has `question`, its number from 0; `image`, as it was given, with its `width` and `height`; `expression` and
its `tokens`; `unknown_words`, which are not in the run's vocabulary; `doubts`, sentences about what the model cannot
know; `notes`, sentences about words that no rule reads and parts without a box of their own; `regions`, boxes x1, y1,
x2, y2 in pixels; `stored_image_id`, the dataset's image whose stored regions these are, null if they were detected or
given; `referent`, the index of the node that the expression is about; `nodes` and `edges`, its scene graph, whose
`tokens` are indices; and `best`, the most probable joint groundings, as many as were asked for: each a `probability`
and `regions`, one for each node. An edge has `subject`, `relation`, `object`. A node has `phrase`, `head`,
`attributes`, `is_referent`; `region`, the index of its region, and that region's `box`, `unary` and `marginal`, its
probability before and after message passing; in `unary_of_regions` and `marginal_of_regions` those of every region; in
`not_found` the probability that no region is meant, null if the model cannot say so; and `rules`, what each rule added
to the logit of its region. A node that was not found has null as `region` and `box`.

Shape suffixes: K nodes, N regions, H, W pixels.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from parsers.scene_graph import SceneGraph

if TYPE_CHECKING:
    from jvgn.rules.rule_potentials import Contribution

FORMAT = "1"
NOT_FOUND = "not found"
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Grounding:
    """The box of a mentioned object, and its probability before and after message passing."""

    node: int
    phrase: str
    box: Box | None
    """None if it was not found."""
    unary: float
    marginal: float
    is_referent: bool
    region: int | None
    """Its index among the image's regions."""


@dataclass(frozen=True)
class JointGrounding:
    """One way to ground every mentioned object, and its probability among all ways."""

    probability: float
    groundings: list[Grounding]


@dataclass(frozen=True)
class Answer:
    """The beliefs of a run about a sentence in an image."""

    text: str
    graph: SceneGraph
    """Its referent is chosen by the run's settings."""
    size: tuple[int, int]
    """Width and height of the image."""
    box_N4: np.ndarray
    unary_KN: np.ndarray
    """Probabilities before message passing, from the unary potentials alone. If the model can say "not found", a last
    column has the probability of that."""
    marginal_KN: np.ndarray
    """Probabilities after it."""
    region_K: tuple[int, ...]
    """The region that each node is grounded in, by the run's decoding; the number of regions means "not found"."""
    unknown_words: tuple[str, ...] = ()
    """Words that are not in the run's vocabulary: the model reads all of them as `<unk>`."""
    joint: tuple[JointGrounding, ...] = ()
    """The most probable joint groundings, as many as were asked for."""
    pixels_HW3: np.ndarray | None = None
    """The image, if the run opened it."""
    contributions: "tuple[Contribution, ...]" = ()
    """What each rule said, if the model is rules."""
    notes: tuple[str, ...] = ()
    """What the rules did not read, and which boxes are those of owners, a sentence each."""
    stored_image_id: int | None = None
    """The dataset's image whose stored regions were used; None if a detector found them."""

    @property
    def groundings(self) -> list[Grounding]:
        """The box of every object that the sentence mentions, in the order of mention."""
        return self.grounded_in(self.region_K)

    def grounded_in(self, region_K: Sequence[int]) -> list[Grounding]:
        """Return each node with the region given for it."""
        return [
            Grounding(
                node=node,
                phrase=self.phrase(node),
                box=self.box(region),
                unary=float(self.unary_KN[node, region]),
                marginal=float(self.marginal_KN[node, region]),
                is_referent=node == self.graph.referent,
                region=None if self.is_null(region) else region,
            )
            for node, region in enumerate(region_K)
        ]

    def phrase(self, node: int) -> str:
        return " ".join(self.graph.tokens[token] for token in self.graph.nodes[node].tokens)

    def not_found(self, node: int) -> float | None:
        """Return the probability that no region is meant; None if the model cannot say so."""
        regions = len(self.box_N4)
        return float(self.marginal_KN[node, regions]) if self.marginal_KN.shape[1] > regions else None

    @property
    def doubts(self) -> tuple[str, ...]:
        """What the model cannot know, a sentence each: a noun that it never learned, or a choice from one region."""
        found = [
            f"cannot know “{self.phrase(index)}”: the run has not learned the noun, so the answer is a guess"
            for index, node in enumerate(self.graph.nodes)
            if self.graph.tokens[node.head_token] in self.unknown_words
        ]
        if self.marginal_KN.shape[1] == 1 and len(self.box_N4) == 1:
            found.append(
                "the image has one region, so the answer is that one with probability 1.00, whatever the words"
            )
        return tuple(found)

    def is_null(self, region: int) -> bool:
        """Return whether this index means "not found"."""
        return region == len(self.box_N4)

    def box(self, region: int) -> Box | None:
        if self.is_null(region):
            return None
        x1, y1, x2, y2 = self.box_N4[region].tolist()
        return x1, y1, x2, y2


def as_json(run: Path | None, results: Sequence[dict[str, Any]], errors: Sequence[dict[str, Any]]) -> str:
    return (
        json.dumps(
            {"format": FORMAT, "run": None if run is None else str(run), "results": results, "errors": errors},
            allow_nan=False,
        )
        + "\n"
    )


def result_json(question: int, image: Path, answer: Answer) -> dict[str, Any]:
    return {
        "question": question,
        "image": str(image),
        "width": answer.size[0],
        "height": answer.size[1],
        "expression": answer.text,
        "tokens": answer.graph.tokens,
        "unknown_words": answer.unknown_words,
        "doubts": answer.doubts,
        "notes": answer.notes,
        "regions": answer.box_N4.tolist(),
        "stored_image_id": answer.stored_image_id,
        "referent": answer.graph.referent,
        "nodes": [node_json(answer, grounding) for grounding in answer.groundings],
        "edges": [asdict(edge) for edge in answer.graph.edges],
        "best": [
            {"probability": joint.probability, "regions": [one.region for one in joint.groundings]}
            for joint in answer.joint
        ],
    }


def node_json(answer: Answer, grounding: Grounding) -> dict[str, Any]:
    node, regions = answer.graph.nodes[grounding.node], len(answer.box_N4)
    return {
        "phrase": grounding.phrase,
        "head": node.head,
        "attributes": node.attributes,
        "negated": node.negated,
        "tokens": node.tokens,
        "is_referent": grounding.is_referent,
        "region": grounding.region,
        "box": grounding.box,
        "unary": grounding.unary,
        "marginal": grounding.marginal,
        "unary_of_regions": answer.unary_KN[grounding.node, :regions].tolist(),
        "marginal_of_regions": answer.marginal_KN[grounding.node, :regions].tolist(),
        "not_found": answer.not_found(grounding.node),
        "rules": rules_json(answer, grounding),
    }


def rules_json(answer: Answer, grounding: Grounding) -> list[dict[str, Any]]:
    """Return what each rule added to the logit of the chosen region, and of its relations to the other chosen ones."""
    chosen, found = answer.region_K, []
    for one in answer.contributions:
        if one.node == grounding.node:
            found.append((one, float(one.logit[chosen[grounding.node]])))
        elif one.edge is not None and answer.graph.edges[one.edge].subject == grounding.node:
            edge = answer.graph.edges[one.edge]
            found.append((one, float(one.logit[chosen[edge.subject], chosen[edge.object]])))
    return [{"rule": one.rule, "words": one.words, "logit": round(logit, 4)} for one, logit in found]


def error_json(question: int, image: Path, text: str, error: str) -> dict[str, Any]:
    return {"question": question, "image": str(image), "expression": text, "error": error}


def text_table(answer: Answer) -> Iterator[str]:
    """Yield a line for each object, or a table for each joint grounding if there are any; then remarks."""
    if not answer.joint:
        yield from table_lines(answer.groundings)
    for place, joint in enumerate(answer.joint, start=1):
        yield f"{place}. probability {joint.probability:.4f}"
        yield from table_lines(joint.groundings)
    yield from (f"note: {note}" for note in answer.notes)
    if answer.stored_image_id is not None:
        yield f"regions: stored, of image {answer.stored_image_id}"


def table_lines(groundings: Sequence[Grounding]) -> Iterator[str]:
    boxes = [", ".join(f"{side:.0f}" for side in found.box) if found.box else NOT_FOUND for found in groundings]
    first = max(len("phrase"), *(len(found.phrase) for found in groundings))
    second = max(len("box"), *map(len, boxes))
    yield f"  {'phrase':{first}}  {'box':{second}}  before  after"
    for found, box in zip(groundings, boxes, strict=True):
        mark = "*" if found.is_referent else " "
        yield f"{mark} {found.phrase:{first}}  {box:{second}}  {found.unary:6.2f}  {found.marginal:5.2f}"
