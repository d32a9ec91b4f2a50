"""CoreNLP's answer -> a scene graph."""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from parsers.corenlp.answer_relations import Reading, Relation
from parsers.corenlp.pieces import Piece, tokens_of
from parsers.corenlp.process import Answer
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


TOGETHER = ("compound", "conj", "amod")
"""Dependencies that relate no two objects: the words name one thing, or are named one after the other."""


def joined(reading: Reading, places: Sequence[int], relations: Sequence[Relation]) -> list[Relation]:
    """The relations, and those that join the pieces, from the left."""
    found = list(relations)
    for place in places:
        own = piece_of(place, found)
        if others := set(places) - own:
            found += joining(reading, place, others, set(places))
    return found


def piece_of(place: int, relations: Sequence[Relation]) -> set[int]:
    """The nodes that relations join with one."""
    piece, before = {place}, 0
    while len(piece) > before:
        before = len(piece)
        piece |= {end for one in relations if {one.subject, one.object} & piece for end in (one.subject, one.object)}
    return piece


def joining(reading: Reading, start: int, others: set[int], places: set[int]) -> list[Relation]:
    """The relation between a node and the nearest one of another piece, if words say it."""
    ways: deque[tuple[int, ...]] = deque([(start,)])
    seen = {start}
    while ways:
        way = ways.popleft()
        if way[-1] in others:
            return said(reading, way)
        if way[-1] == start or way[-1] not in places:
            for neighbour in sorted(neighbours(reading, way[-1]) - seen):
                seen.add(neighbour)
                ways.append((*way, neighbour))
    return []


def neighbours(reading: Reading, place: int) -> set[int]:
    ends = [{one, other} for one, name, other in reading.answer.dependencies if not name.startswith(TOGETHER)]
    return {word for pair in ends if place in pair for word in pair}


def said(reading: Reading, way: Sequence[int]) -> list[Relation]:
    """From the first of the two ends to the other, or to the one that has a preposition."""
    first, last = sorted((way[0], way[-1]))
    subject, object_ = (last, first) if reading.case(first) and not reading.case(last) else (first, last)
    verbs = [word for place in way[1:-1] if reading.answer.tags[place].startswith("VB") for word in reading.verb(place)]
    words = tuple(sorted({*verbs, *reading.case(object_)}))
    return [Relation(subject, object_, words)] if words else []
