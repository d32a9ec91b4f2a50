"""Questions and answers of the explorer's page, as JSON: a graph with every node's beliefs and all messages.

Shape suffixes: K nodes, E edges, N regions.
"""

from dataclasses import asdict, replace
from typing import Annotated, Any, Self

import numpy as np
import torch
from pydantic import Field

from jvgn.grounding.answer import Answer, rules_json
from jvgn.grounding.answerer import ImageRegions, Question, edges_of
from jvgn.grounding.grounder import Grounder
from jvgn.grounding.rule_grounder import RuleGrounder, RuleQuestion
from jvgn.rules.scene_finder import SeenPicture
from jvgn.settings.base import Frozen
from jvgn.views.explorer.image_list import ImageList
from jvgn.views.explorer.messages import messages
from parsers.scene_graph import SceneGraph
from parsers.tools.verbalisation import Relation, Thing, worded

DIGITS = 6
Words = Annotated[str, Field(max_length=200)]


class AskedNode(Frozen):
    head: Words
    attributes: Annotated[tuple[Words, ...], Field(max_length=20)] = ()


class AskedEdge(Frozen):
    subject: int
    relation: Words
    object: int


class AskedGraph(Frozen):
    nodes: Annotated[tuple[AskedNode, ...], Field(max_length=40)]
    edges: Annotated[tuple[AskedEdge, ...], Field(max_length=40)] = ()
    referent: int

    @classmethod
    def of(cls, graph: SceneGraph) -> Self:
        return cls(
            nodes=tuple(AskedNode(head=node.head, attributes=node.said) for node in graph.nodes),
            edges=tuple(
                AskedEdge(subject=edge.subject, relation=edge.said, object=edge.object) for edge in graph.edges
            ),
            referent=graph.referent,
        )

    def worded(self) -> SceneGraph:
        return worded(
            [Thing(node.head, node.attributes) for node in self.nodes],
            [Relation(edge.subject, edge.relation, edge.object) for edge in self.edges],
            self.referent,
        )


class Asked(Frozen):
    picture: str
    text: Annotated[str, Field(max_length=2000)]
    graph: AskedGraph | None = None
    """An edited graph, used instead of the sentence's own."""


@torch.no_grad()
def answer(grounder: Grounder | RuleGrounder, images: ImageList, asked: Asked) -> dict[str, Any]:
    """Return the beliefs about every object, and the messages in the order in which they are sent.

    If the model can say "not found", that is one more region, the last one, without a box.
    """
    question, is_edited = question_of(grounder, images[asked.picture].image, asked)
    found, unary_KN, pairwise_ENN = beliefs(grounder, question, asked.text)
    graph = question.graph
    return {
        "edited": is_edited,
        "fallback": graph.is_fallback,
        "tokens": graph.tokens,
        "unknown": found.unknown_words,
        "doubts": found.doubts,
        "notes": found.notes,
        "names": question.scene.names if isinstance(question, RuleQuestion) else None,
        "size": found.size,
        "stored": found.stored_image_id,
        "regions": np.round(found.box_N4.astype(float), 1).tolist(),
        "nodes": [
            {
                "head": node.head,
                "attributes": node.said,
                "tokens": node.tokens,
                "before": rounded(before_N),
                "after": rounded(after_N),
                "region": region,
                "rules": rules_json(found, grounding),
            }
            for node, before_N, after_N, region, grounding in zip(
                graph.nodes, found.unary_KN, found.marginal_KN, found.region_K, found.groundings, strict=True
            )
        ],
        "referent": graph.referent,
        "edges": [asdict(edge) for edge in graph.edges],
        "messages": [
            {
                "source": message.source,
                "target": message.target,
                "edge": message.edge,
                "says": rounded(message.says_N.exp().cpu().numpy()),
                "before": rounded(message.before_N.exp().cpu().numpy()),
                "after": rounded(message.after_N.exp().cpu().numpy()),
            }
            for message in messages(unary_KN, pairwise_ENN, edges_of(graph), graph.referent)
        ],
    }


def beliefs(
    grounder: Grounder | RuleGrounder, question: Question | RuleQuestion, text: str
) -> tuple[Answer, torch.Tensor, torch.Tensor]:
    """Return the answer and the potentials that it comes from."""
    if isinstance(grounder, RuleGrounder):
        assert isinstance(question, RuleQuestion)
        return grounder.answer_to(question, text), *question.rules.tensors()
    assert isinstance(question, Question)
    return grounder.answerer.answer(question, text), *grounder.answerer.model.potentials(question.batch)


def question_of(
    grounder: Grounder | RuleGrounder, image: ImageRegions | SeenPicture, asked: Asked
) -> tuple[Question | RuleQuestion, bool]:
    """Return the model's question, and whether its graph differs from the sentence's own."""
    if asked.graph is None:
        return asked_of(grounder, image, asked.text), False
    if asked.text.strip():
        own = asked_of(grounder, image, asked.text)
        if asked.graph == AskedGraph.of(own.graph):
            return own, False
    graph = asked.graph.worded()
    # The person chose the referent, so the run's rule for referents does not apply.
    return replace(asked_of(grounder, image, graph), graph=graph), True


def asked_of(
    grounder: Grounder | RuleGrounder, image: ImageRegions | SeenPicture, text: str | SceneGraph
) -> Question | RuleQuestion:
    if isinstance(grounder, RuleGrounder):
        assert isinstance(image, SeenPicture)
        return grounder.question(image, text)
    assert isinstance(image, ImageRegions)
    return grounder.question(image, text)


def rounded(probability_N: np.ndarray) -> list[float]:
    return np.round(probability_N.astype(float), DIGITS).tolist()
