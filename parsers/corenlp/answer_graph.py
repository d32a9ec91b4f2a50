"""CoreNLP's answer -> a scene graph.

CoreNLP leaves an object unrelated if none of its rules matches. The dependencies still connect it with the others: the
shortest path from one part of the graph to another is a relation if it has words for one, a verb or the object's
preposition ("woman on a bench reading a book" may lack the bench). Things that are only named together ("glass and
drink") stay apart.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from parsers.corenlp.answer_relations import AnsweredRelation, AnswerReader
from parsers.corenlp.pieces import Piece, tokens_of
from parsers.corenlp.process import Answer
from parsers.guarantees import guaranteed
from parsers.scene_graph import Edge, SceneGraph

TOGETHER = ("compound", "conj", "amod")
"""Dependencies that do not relate two objects: the words name one thing, or are a list."""


def attributes_of(answer: Answer) -> dict[int, list[int]]:
    """Return the attributes of each node; CoreNLP makes two nodes of the man "on and under" a table, we make one."""
    said: dict[int, set[int]] = {}
    for place, attributes in answer.nodes:
        said.setdefault(place, set()).update(attributes)
    return {place: sorted(attributes) for place, attributes in said.items()}


def read(tokens: tuple[str, ...], sentence: Sequence[Piece], answer: Answer, repair: bool) -> SceneGraph:
    """Return the graph of CoreNLP's nodes and of the sentence's head, which it may have left out."""
    reader = AnswerReader(sentence, answer, repair)
    said = attributes_of(answer)
    referent = reader.referent()
    if referent is None and said:
        referent = min(said)
    places = sorted({*said, *(() if referent is None else (referent,))})
    nodes = [reader.node(place, said.get(place, ())) for place in places]
    relations = list(reader.relations())
    if repair:
        relations = connected(reader, places, relations)
    edges = [
        Edge(
            places.index(relation.subject),
            relation.label or reader.text(relation.words),
            places.index(relation.object),
            tokens_of(sentence[place] for place in relation.words or (relation.object,)),
        )
        for relation in relations
    ]
    graph = guaranteed(tokens, nodes, edges, places.index(referent) if referent is not None else 0)
    return replace(graph, is_fallback=not answer.nodes)


def connected(
    reader: AnswerReader, places: Sequence[int], relations: Sequence[AnsweredRelation]
) -> list[AnsweredRelation]:
    """Return the relations, and those that connect separate parts of the graph, from the left."""
    found = list(relations)
    for place in places:
        own = component_of(place, found)
        if others := set(places) - own:
            found += connection(reader, place, others, set(places))
    return found


def component_of(place: int, relations: Sequence[AnsweredRelation]) -> set[int]:
    """Return the nodes that are connected with one."""
    piece, before = {place}, 0
    while len(piece) > before:
        before = len(piece)
        piece |= {end for one in relations if {one.subject, one.object} & piece for end in (one.subject, one.object)}
    return piece


def connection(reader: AnswerReader, start: int, others: set[int], places: set[int]) -> list[AnsweredRelation]:
    """Return the relation between a node and the nearest one of another part, if it has words."""
    ways: deque[tuple[int, ...]] = deque([(start,)])
    seen = {start}
    while ways:
        way = ways.popleft()
        if way[-1] in others:
            return path_relation(reader, way)
        if way[-1] == start or way[-1] not in places:
            for neighbour in sorted(neighbours(reader, way[-1]) - seen):
                seen.add(neighbour)
                ways.append((*way, neighbour))
    return []


def neighbours(reader: AnswerReader, place: int) -> set[int]:
    ends = [{one, other} for one, name, other in reader.answer.dependencies if not name.startswith(TOGETHER)]
    return {word for pair in ends if place in pair for word in pair}


def path_relation(reader: AnswerReader, way: Sequence[int]) -> list[AnsweredRelation]:
    """Return the relation of a path: from its left end to the right one, or to the end with a preposition."""
    first, last = sorted((way[0], way[-1]))
    subject, object_ = (last, first) if reader.case(first) and not reader.case(last) else (first, last)
    verbs = [word for place in way[1:-1] if reader.answer.tags[place].startswith("VB") for word in reader.verb(place)]
    words = tuple(sorted({*verbs, *reader.case(object_)}))
    return [AnsweredRelation(subject, object_, words)] if words else []
