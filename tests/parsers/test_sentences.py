"""Sentences with the graphs that a careful reader expects, in tables: `tests/parsers/sentences/`."""

from pathlib import Path

import pytest

from parsers import parse
from parsers.scene_graph import SceneGraph

TABLES = Path(__file__).parent / "sentences"


def rows(name: str) -> list[tuple[str, str]]:
    """Return sentence and expectation of each line "sentence => expectation"; other lines are comments."""
    lines = (TABLES / name).read_text(encoding="utf8").splitlines()
    split = [line.partition("=>") for line in lines if "=>" in line and not line.startswith("#")]
    return [(sentence.strip(), expected.strip()) for sentence, _, expected in split]


def denied(graph: SceneGraph) -> set[str]:
    """Return what a graph denies: head:attribute, and the heads of each denied relation."""
    heads = [node.head.lower() for node in graph.nodes]
    attributes = {
        f"{node.head.lower()}:{attribute.lower()}"
        for node in graph.nodes
        for attribute, negated in zip(node.attributes, node.negated, strict=True)
        if negated
    }
    return attributes | {
        ">".join(sorted((heads[edge.subject], heads[edge.object]))) for edge in graph.edges if edge.negated
    }


def test_polarity_is_right_in_at_least_95_of_100_expressions():
    table = rows("polarity.txt")
    wrong = [
        sentence
        for sentence, expected in table
        if denied(parse(sentence)) != {">".join(sorted(one.strip().split(">"))) for one in expected.split(",") if one}
    ]
    assert len(table) >= 100 and len(wrong) <= 0.05 * len(table), wrong


@pytest.mark.parametrize(("sentence", "expected"), rows("graphs.txt"))
def test_a_sentence_of_the_table_gives_its_graph(sentence, expected, form):
    assert form(parse(sentence)) == expected


@pytest.mark.parametrize(
    ("sentence", "nouns"),
    [
        ("the white truck in front of the yellow one", ["truck", "truck"]),
        ("an orange left of another", ["orange", "orange"]),
        ("man in shrit", ["man", "shirt"]),
        ("the one", ["one"]),
    ],
)
def test_a_node_has_the_noun_that_is_meant(sentence, nouns):
    assert [node.noun for node in parse(sentence).nodes] == nouns


def test_between_two_is_one_relation_and_other_relations_are_apart():
    between, holding = parse("the man between the car and the bus"), parse("a man holding a bat and a ball")
    assert between.joined(0) == [0, 1] == between.joined(1)
    assert holding.joined(0) == [0] and holding.joined(1) == [1]
