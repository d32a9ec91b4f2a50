"""CoreNLP's answer -> a scene graph."""

from collections.abc import Sequence
from dataclasses import replace

from parsers.corenlp.joining import joined
from parsers.corenlp.pieces import Piece, tokens_of
from parsers.corenlp.process import Answer
from parsers.corenlp.relations import Reading
from parsers.guarantees import guaranteed
from parsers.scene_graph import Edge, SceneGraph


def attributes_of(answer: Answer) -> dict[int, list[int]]:
    """What is said of each node; CoreNLP makes two of the man "on and under" a table, and one of them has it all."""
    said: dict[int, set[int]] = {}
    for place, attributes in answer.nodes:
        said.setdefault(place, set()).update(attributes)
    return {place: sorted(attributes) for place, attributes in said.items()}


def read(tokens: tuple[str, ...], sentence: Sequence[Piece], answer: Answer, repair: bool) -> SceneGraph:
    """The graph of CoreNLP's nodes and of the sentence's head, which it may have left out."""
    reading = Reading(sentence, answer, repair)
    said = attributes_of(answer)
    referent = reading.referent()
    if referent is None and said:
        referent = min(said)
    places = sorted({*said, *(() if referent is None else (referent,))})
    nodes = [reading.node(place, said.get(place, ())) for place in places]
    relations = list(reading.relations())
    if repair:
        relations = joined(reading, places, relations)
    edges = [
        Edge(
            places.index(relation.subject),
            relation.label or reading.text(relation.words),
            places.index(relation.object),
            tokens_of(sentence[place] for place in relation.words or (relation.object,)),
        )
        for relation in relations
    ]
    graph = guaranteed(tokens, nodes, edges, places.index(referent) if referent is not None else 0)
    return replace(graph, is_fallback=not answer.nodes)
