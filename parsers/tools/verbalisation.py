"""Scene graph -> sentence, for a graph that was drawn or edited by hand.

An object becomes its attributes, then its head. A relation stands between its subject and its object: relations of
which a node is the object come before it, relations of which it is the subject come after it, each with the subtree
beyond. The referent's tree comes first. No word is added: "ring left of big star above cross".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.errors import UserError
from parsers.scene_graph import Edge, Node, SceneGraph, first_loop
from parsers.words.negation import affirmed
from parsers.words.tokens import tokenise


@dataclass(frozen=True)
class Thing:
    """An object of the graph, without its tokens."""

    head: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Relation:
    subject: int
    words: str
    object: int


def worded(things: Sequence[Thing], relations: Sequence[Relation], referent: int) -> SceneGraph:
    """Return the graph with its sentence."""
    check(things, relations, referent)
    return SentenceBuilder(things, relations).build(referent)


def check(things: Sequence[Thing], relations: Sequence[Relation], referent: int) -> None:
    """Raise an error if it is not a scene graph; messages count from one."""
    if not 0 <= referent < len(things):
        raise UserError(f"the referent is object {referent + 1}, but there are {len(things)}; choose another")
    for number, thing in enumerate(things, start=1):
        if not words(thing.head):
            raise UserError(f"object {number} has no word; give it one, or remove it")
    for number, relation in enumerate(relations, start=1):
        if not words(relation.words):
            raise UserError(f"relation {number} has no word; give it one, or remove it")
        for end in (relation.subject, relation.object):
            if not 0 <= end < len(things):
                raise UserError(
                    f"relation {number} names object {end + 1}, but there are {len(things)}; choose another"
                )
    loop = first_loop(len(things), [(relation.subject, relation.object) for relation in relations])
    if loop is not None:
        raise UserError(
            f"relation {loop + 1} ({relations[loop].words}) closes a loop, and a scene graph has none; remove it"
        )


def words(text: str) -> tuple[str, ...]:
    return tokenise(text) if text.strip() else ()


def label(text: str) -> tuple[str, bool]:
    """Return the words that remain without a negation, and whether there was one: "not red" is "red", denied."""
    spoken = text.split()
    kept, negated = affirmed(spoken)
    return (" ".join(spoken[place] for place in kept) if negated else text), negated


class SentenceBuilder:
    """The sentence under construction, and the tokens of each node and edge."""

    def __init__(self, things: Sequence[Thing], relations: Sequence[Relation]) -> None:
        self.things, self.relations = things, relations
        self.tokens: list[str] = []
        self.nodes: dict[int, Node] = {}
        self.edges: dict[int, Edge] = {}

    def build(self, referent: int) -> SceneGraph:
        reached: set[int] = set()
        for root in (referent, *range(len(self.things))):
            if root not in reached:
                self.add_tree(root, reached)
        nodes = tuple(self.nodes[number] for number in range(len(self.things)))
        edges = tuple(self.edges[number] for number in range(len(self.relations)))
        return SceneGraph(tuple(self.tokens), nodes, edges, referent)

    def add_tree(self, root: int, reached: set[int]) -> None:
        """Append the object and everything related to it that was not reached yet."""
        reached.add(root)
        for number, relation in enumerate(self.relations):
            if relation.object == root and relation.subject not in reached:
                self.add_tree(relation.subject, reached)
                self.add_relation(number)
        self.add_thing(root)
        for number, relation in enumerate(self.relations):
            if relation.subject == root and relation.object not in reached:
                self.add_relation(number)
                self.add_tree(relation.object, reached)

    def add_thing(self, number: int) -> None:
        thing = self.things[number]
        attributes = [attribute for attribute in thing.attributes if words(attribute)]
        tokens = self.add_words(*(word for attribute in attributes for word in words(attribute)), *words(thing.head))
        labels = [label(attribute) for attribute in attributes]
        self.nodes[number] = Node(
            thing.head, tokens[-1], tuple(text for text, _ in labels), tokens, tuple(denied for _, denied in labels)
        )

    def add_relation(self, number: int) -> None:
        relation = self.relations[number]
        text, negated = label(relation.words)
        tokens = self.add_words(*words(relation.words))
        self.edges[number] = Edge(relation.subject, text, relation.object, tokens, negated)

    def add_words(self, *spoken: str) -> tuple[int, ...]:
        first = len(self.tokens)
        self.tokens.extend(spoken)
        return tuple(range(first, len(self.tokens)))
