"""Scene graph -> sentence: words for a graph that was drawn or edited by hand, as no sentence has them.

The rule: an object is said as its attributes, then its head; a relation is said between its subject and its object.
So of a node's relations, those that it is the object of come before it, those that it is the subject of after it, each
with all that lies beyond. The referent's tree is said first. No word is added: "ring left of big star above cross".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.errors import UserError
from parsers.scene_graph import Edge, Node, SceneGraph, first_loop
from parsers.words.tokens import tokenise


@dataclass(frozen=True)
class Thing:
    """An object, by its words."""

    head: str
    attributes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Relation:
    subject: int
    words: str
    object: int


def worded(things: Sequence[Thing], relations: Sequence[Relation], referent: int) -> SceneGraph:
    """The graph, with the sentence that says it."""
    check(things, relations, referent)
    return Sentence(things, relations).said(referent)


def check(things: Sequence[Thing], relations: Sequence[Relation], referent: int) -> None:
    """Objects and relations are counted from one: people read it."""
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


class Sentence:
    """Words that are said one after the other, and whose they are."""

    def __init__(self, things: Sequence[Thing], relations: Sequence[Relation]) -> None:
        self.things, self.relations = things, relations
        self.tokens: list[str] = []
        self.nodes: dict[int, Node] = {}
        self.edges: dict[int, Edge] = {}

    def said(self, referent: int) -> SceneGraph:
        reached: set[int] = set()
        for root in (referent, *range(len(self.things))):
            if root not in reached:
                self.say_tree(root, reached)
        nodes = tuple(self.nodes[number] for number in range(len(self.things)))
        edges = tuple(self.edges[number] for number in range(len(self.relations)))
        return SceneGraph(tuple(self.tokens), nodes, edges, referent)

    def say_tree(self, root: int, reached: set[int]) -> None:
        """The object, and all that is related to it and was not reached yet."""
        reached.add(root)
        for number, relation in enumerate(self.relations):
            if relation.object == root and relation.subject not in reached:
                self.say_tree(relation.subject, reached)
                self.say_relation(number)
        self.say_thing(root)
        for number, relation in enumerate(self.relations):
            if relation.subject == root and relation.object not in reached:
                self.say_relation(number)
                self.say_tree(relation.object, reached)

    def say_thing(self, number: int) -> None:
        thing = self.things[number]
        attributes = [attribute for attribute in thing.attributes if words(attribute)]
        tokens = self.say(*(word for attribute in attributes for word in words(attribute)), *words(thing.head))
        self.nodes[number] = Node(thing.head, tokens[-1], tuple(attributes), tokens)

    def say_relation(self, number: int) -> None:
        relation = self.relations[number]
        self.edges[number] = Edge(relation.subject, relation.words, relation.object, self.say(*words(relation.words)))

    def say(self, *spoken: str) -> tuple[int, ...]:
        first = len(self.tokens)
        self.tokens.extend(spoken)
        return tuple(range(first, len(self.tokens)))
