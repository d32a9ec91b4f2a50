"""Pieces of a graph that the sentence joins: CoreNLP leaves an object unrelated where none of its rules matches.

The dependencies still say how it hangs together with the others. The shortest way through them from a piece to
another is a relation if words for one stand on it, a verb or the object's preposition ("woman on a bench reading a
book" may lack the bench); two things that are only named together ("glass and drink") stay apart.
"""

from collections import deque
from collections.abc import Sequence

from parsers.corenlp.relations import Reading, Relation

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
