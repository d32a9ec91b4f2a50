"""CoreNLP's answer -> a scene graph in the sentence's words.

CoreNLP names a relation by lemmas ("sit") without their positions; the dependencies that its rules matched have them.
They also have the prepositions: since dependencies are called `obl:on` instead of `nmod:on`, CoreNLP's rules lose the
preposition ("sit" for "sitting on") or keep the dependency's name as the relation. `repair` restores prepositions,
makes the agent of a participle the subject ("bear surrounded by grass"), and drops edges without words.

CoreNLP leaves an object unrelated if none of its rules matches. The dependencies still connect it with the others. With
`repair`, the shortest path from one part of the graph to another is a relation if it has words for one, a verb or the
object's preposition ("woman on a bench reading a book" may lack the bench). Things that are only named together ("glass
and drink") stay apart.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from parsers.corenlp.process import Answer, Piece, tokens_of, written
from parsers.guarantees import guaranteed
from parsers.scene_graph import Edge, Node, SceneGraph
from parsers.words.negation import affirmed

SUBJECTS = ("nsubj", "obj", "iobj", "obl", "nmod", "dep")
"""The relations of the noun that a clause is about to its verb, by priority."""
TOGETHER = ("compound", "conj", "amod")
"""Dependencies that do not relate two objects: the words name one thing, or are a list."""


@dataclass(frozen=True)
class AnsweredRelation:
    subject: int
    object: int
    words: tuple[int, ...]
    label: str = ""
    """CoreNLP's own name for the relation, if it is kept."""


@dataclass(frozen=True)
class AnswerReader:
    sentence: Sequence[Piece]
    answer: Answer
    repair: bool

    def children(self, governor: int, name: str) -> list[int]:
        """Return the dependents by the relation `name` or one of its subtypes."""
        return [
            dependent
            for other, found, dependent in self.answer.dependencies
            if other == governor and (found == name or found.startswith(f"{name}:"))
        ]

    def names(self, governor: int, dependent: int) -> list[str]:
        return [name for one, name, other in self.answer.dependencies if (one, other) == (governor, dependent)]

    def is_noun(self, place: int) -> bool:
        return self.answer.tags[place].startswith("NN")

    def referent(self) -> int | None:
        """Return the noun at the root, or the subject of the clause there, otherwise another noun of the clause."""
        for root in self.answer.roots:
            subject = [place for place in self.children(root, "nsubj") if self.is_noun(place)]
            below = [place for name in SUBJECTS for place in self.children(root, name) if self.is_noun(place)]
            if self.is_noun(root):
                return subject[0] if subject else root
            if below:
                return below[0]
        return None

    def node(self, place: int, attributes: Sequence[int] = ()) -> Node:
        head = self.compound(place)
        used = tokens_of(self.sentence[index] for index in (*head, *attributes))
        said = tuple(self.sentence[index].written for index in attributes)
        return Node(self.text(head), self.sentence[place].tokens[-1], said, used)

    def compound(self, place: int) -> list[int]:
        """Return the noun with the nouns before it in its compound: "tennis racket"."""
        parts, first = self.children(place, "compound"), place
        while first - 1 in parts:
            first -= 1
        return list(range(first, place + 1))

    def text(self, places: Sequence[int]) -> str:
        return written(self.sentence[place] for place in places)

    def relations(self) -> Iterator[AnsweredRelation]:
        for subject, label, object_ in self.answer.relations:
            if label == "have" and self.is_said_otherwise(subject, object_):
                continue
            found = next(self.readings(subject, label, object_), AnsweredRelation(subject, object_, ()))
            if found.words:
                yield found
            elif not self.repair:
                yield replace(found, label=label)

    def is_said_otherwise(self, owner: int, owned: int) -> bool:
        """ "a dog with its bone": "have" is not a second relation."""
        said = [{subject, object_} for subject, _, object_ in self.answer.relations]
        return said.count({owner, owned}) > 1 and not self.ending(owner)

    def readings(self, subject: int, label: str, object_: int) -> Iterator[AnsweredRelation]:
        """Yield the possible origins of a relation in Stanford's rules, the most certain first."""
        for name in self.names(subject, object_):
            if name.removeprefix("nmod:").replace("_", " ") == label and name != "nmod:poss":
                kept = "" if self.repair or name.startswith("nmod:") else label
                yield AnsweredRelation(subject, object_, self.preposition(subject, name, object_), kept)
        if label == "have" and "nmod:poss" in self.names(object_, subject):
            yield AnsweredRelation(subject, object_, self.possessive(subject, object_))
        for verb in self.verbs(subject):
            for name in self.names(verb, object_):
                if name in ("obj", "iobj") or name.startswith(("nmod:", "obl:")):
                    yield self.action(subject, verb, name, object_)
        if "nsubj" in self.names(object_, subject):
            yield AnsweredRelation(subject, object_, self.case(object_))
        for verb in range(len(self.sentence)):
            if "obl:agent" in self.names(verb, subject) and "nsubj:pass" in self.names(verb, object_):
                doer = self.preposition(verb, "obl:agent", subject) if self.repair else ()
                yield AnsweredRelation(subject, object_, (*self.verb(verb), *doer))

    def verbs(self, subject: int) -> list[int]:
        """Return the predicates of a noun: the verb of its clause, or a participle."""
        governors = [one for one, name, other in self.answer.dependencies if (name, other) == ("nsubj", subject)]
        return governors + [other for one, name, other in self.answer.dependencies if (one, name) == (subject, "acl")]

    def action(self, subject: int, verb: int, name: str, object_: int) -> AnsweredRelation:
        lost = name.startswith("obl:") and not self.repair
        spoken = () if lost or name in ("obj", "iobj") else self.preposition(verb, name, object_)
        words = tuple(sorted({*self.verb(verb), *spoken}))
        if name == "obl:agent" and self.repair:
            return AnsweredRelation(object_, subject, words)
        return AnsweredRelation(subject, object_, words)

    def verb(self, verb: int) -> tuple[int, ...]:
        """Return the verb with its particle; of "is on", nothing."""
        is_be = self.sentence[verb].written.lower() in ("is", "are", "was", "were", "be", "been", "being", "am")
        return (*(() if is_be else (verb,)), *self.children(verb, "compound:prt"))

    def preposition(self, governor: int, name: str, object_: int) -> tuple[int, ...]:
        """Return the words of `obl:in_front_of`: the object's own, otherwise those that it shares with another."""
        own, wanted = self.case(object_), preposition_in(name)
        is_own = set(wanted) <= {self.sentence[place].spelled.lower() for place in own}
        words = own if is_own else self.shared_preposition(wanted, object_) or own
        before = words[0] - 1 if words else -1
        if self.repair and name.startswith("obl:") and before in self.children(governor, "advmod"):
            return (before, *words)  # the "next" of "standing next to"
        return words

    def shared_preposition(self, wanted: list[str], object_: int) -> tuple[int, ...]:
        spelled = [piece.spelled.lower() for piece in self.sentence]
        starts = [at for at in range(len(spelled)) if spelled[at : at + len(wanted)] == wanted]
        if not starts:
            return ()
        nearest = max([at for at in starts if at < object_], default=starts[0])
        return tuple(range(nearest, nearest + len(wanted)))

    def case(self, object_: int) -> tuple[int, ...]:
        marks = [place for place in self.children(object_, "case") if self.answer.tags[place] != "POS"]
        return tuple(sorted({*marks, *(more for mark in marks for more in self.children(mark, "fixed"))}))

    def ending(self, owner: int) -> list[int]:
        return [place for place in self.children(owner, "case") if self.answer.tags[place] == "POS"]

    def possessive(self, owner: int, owned: int) -> tuple[int, ...]:
        """Return the 's after the owner, otherwise the pronoun before the owned thing."""
        pronouns = [place for place in range(owned) if self.answer.tags[place] == "PRP$"]
        return tuple(self.ending(owner) or pronouns[-1:])


def preposition_in(name: str) -> list[str]:
    return ["by"] if name.endswith(":agent") else name.partition(":")[2].split("_")


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
    edges = [edge(reader, relation, places) for relation in relations]
    graph = guaranteed(tokens, nodes, edges, places.index(referent) if referent is not None else 0)
    return replace(graph, is_fallback=not answer.nodes)


def edge(reader: AnswerReader, relation: AnsweredRelation, places: Sequence[int]) -> Edge:
    spoken = (relation.label or reader.text(relation.words)).split()
    kept, negated = affirmed(spoken)
    label = " ".join(spoken[place] for place in kept)
    tokens = tokens_of(reader.sentence[place] for place in relation.words or (relation.object,))
    return Edge(places.index(relation.subject), label, places.index(relation.object), tokens, negated)


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
