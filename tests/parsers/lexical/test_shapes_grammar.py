"""Every structure of the sentences of the `shapes` world, generated together with its graph."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from parsers import parse
from parsers.scene_graph import Edge, Node, SceneGraph

DETERMINERS = ("", "the", "a", "an")
SIZES = ("", "big", "large", "small", "tiny", "little")
COLOURS = ("red", "green", "blue", "yellow", "purple", "orange", "white", "black", "pink", "brown", "grey", "gray")
SHAPES = (
    *("circle", "square", "triangle", "star", "cross", "ring", "diamond", "heart", "hexagon", "pentagon", "octagon"),
    *("crescent", "moon", "arrow", "oval", "ellipse", "rectangle", "trapezoid", "cube", "drop", "plus", "cylinder"),
)
SIDES = ("left of", "right of", "to the left of", "to the right of", "on the left of", "on the right of")
RELATIONS = (*SIDES, "above", "over", "below", "under", "beneath", "next to", "beside", "near", "close to")
LINKS = ("", "that is", "which is", "that lies", "sitting", "located")
LINKS_AFTER_AND = ("", "is", "that is", "which is")
MOST_RELATIONS = 3


@dataclass
class Sentence:
    """A sentence under construction together with its graph."""

    chance: random.Random
    tokens: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)

    def write(self, text: str) -> tuple[int, ...]:
        start = len(self.tokens)
        self.tokens += text.split()
        return tuple(range(start, len(self.tokens)))

    def phrase(self) -> None:
        self.write(self.chance.choice(DETERMINERS))
        size, colour = self.chance.choice(SIZES), self.chance.choice(["", *COLOURS])
        attributes = self.write(f"{size} {colour}")
        shape = self.chance.choice(SHAPES)
        (head,) = self.write(shape)
        self.nodes.append(Node(shape, head, tuple(f"{size} {colour}".split()), (*attributes, head)))

    def relation(self, subject: int, link: str, relation: str) -> None:
        posture = self.write(link) if link == "sitting" else ()
        if link != "sitting":
            self.write(link)
        words = (*posture, *self.write(relation))
        self.phrase()
        written = " ".join(self.tokens[index] for index in words)
        self.edges.append(Edge(subject, written, len(self.nodes) - 1, words))

    def graph(self) -> SceneGraph:
        return SceneGraph(tuple(self.tokens), tuple(self.nodes), tuple(self.edges), 0)


def structures() -> Iterator[tuple[tuple[bool, str], ...]]:
    """For every relation of every structure: whether "and" comes before it, and the link."""
    chained, coordinated = [(False, link) for link in LINKS], [(True, link) for link in LINKS_AFTER_AND]
    for count in range(MOST_RELATIONS + 1):
        yield from itertools.product(
            *[chained if position == 0 else chained + coordinated for position in range(count)]
        )


def build(structure: tuple[tuple[bool, str], ...], seed: int) -> Sentence:
    sentence = Sentence(random.Random(f"{structure} {seed}"))
    sentence.phrase()
    subject = 0
    for position, (coordinated, link) in enumerate(structure):
        sentence.write("and" if coordinated else "")
        subject = subject if coordinated else position
        sentence.relation(subject, link, sentence.chance.choice(RELATIONS))
    return sentence


@pytest.mark.parametrize("seed", range(4))
def test_every_structure_of_the_shapes_world_is_parsed_exactly(seed):
    for structure in structures():
        sentence = build(structure, seed)
        text = " ".join(sentence.tokens)
        assert parse(text) == sentence.graph(), text
        assert parse("", tokens=sentence.tokens) == sentence.graph(), text


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("link", LINKS)
def test_every_relation_is_parsed_after_every_link(link, relation):
    for subject, object_ in itertools.product(SHAPES, repeat=2):
        sentence = Sentence(random.Random(f"{subject} {object_}"))
        sentence.phrase()
        sentence.relation(0, link, relation)
        assert parse(" ".join(sentence.tokens)) == sentence.graph()


def test_the_example_of_the_design_is_parsed_exactly():
    graph = parse("star that is above the yellow cross next to a square")
    assert str(graph) == ("* 0 star\n  1 cross  (yellow)\n  2 square\n  0 --above--> 1\n  1 --next to--> 2")
