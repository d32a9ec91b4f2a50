"""Graphs without a sentence get one, in which every node and edge has its words."""

import pytest

from parsers import parse
from parsers.errors import UserError
from parsers.tools.verbalisation import Relation, Thing, worded

RING, STAR, CROSS = Thing("ring"), Thing("star", ("big", "blue")), Thing("cross")


@pytest.mark.parametrize(
    ("things", "relations", "referent", "said"),
    [
        ([STAR], [], 0, "big blue star"),
        ([RING, STAR], [Relation(0, "left of", 1)], 0, "ring left of big blue star"),
        ([RING, STAR], [Relation(1, "left of", 0)], 0, "big blue star left of ring"),
        ([RING, STAR], [Relation(0, "left of", 1)], 1, "ring left of big blue star"),
        ([CROSS, RING, STAR], [Relation(1, "on", 2), Relation(2, "above", 0)], 1, "ring on big blue star above cross"),
        ([RING, STAR, CROSS], [Relation(0, "on", 1), Relation(0, "by", 2)], 0, "ring on big blue star by cross"),
        ([RING, STAR, CROSS], [Relation(2, "by", 1)], 1, "cross by big blue star ring"),
        ([RING, STAR], [], 1, "big blue star ring"),
        ([Thing("fire hydrant", ("", "light red"))], [], 0, "light red fire hydrant"),
        ([Thing("man's hat")], [], 0, "man 's hat"),
    ],
)
def test_relations_stand_between_their_ends_and_the_referents_tree_comes_first(things, relations, referent, said):
    graph = worded(things, relations, referent)
    assert " ".join(graph.tokens) == said
    assert graph.referent == referent
    assert [node.head for node in graph.nodes] == [thing.head for thing in things]
    assert [(edge.subject, edge.relation, edge.object) for edge in graph.edges] == [
        (relation.subject, relation.words, relation.object) for relation in relations
    ]


def test_every_part_points_to_its_own_words():
    graph = worded([STAR, RING], [Relation(1, "left of", 0)], 0)
    assert [[graph.tokens[token] for token in node.tokens] for node in graph.nodes] == [
        ["big", "blue", "star"],
        ["ring"],
    ]
    assert [graph.tokens[token] for token in graph.edges[0].tokens] == ["left", "of"]
    assert [graph.tokens[node.head_token] for node in graph.nodes] == ["star", "ring"]


@pytest.mark.parametrize(
    "sentence", ["ring", "the small ring left of the big blue star", "cross on a box that is above the red disc"]
)
def test_parsing_the_sentence_of_a_parsed_graph_gives_the_same_graph(sentence):
    graph = parse(sentence)
    again = parse(
        " ".join(
            worded(
                [Thing(node.head, node.attributes) for node in graph.nodes],
                [Relation(edge.subject, edge.relation, edge.object) for edge in graph.edges],
                graph.referent,
            ).tokens
        )
    )
    assert str(again) == str(graph)


@pytest.mark.parametrize(
    ("things", "relations", "referent", "message"),
    [
        ([], [], 0, "the referent is object 1, but there are 0"),
        ([RING], [], -1, "the referent is object 0, but there are 1"),
        ([RING, Thing("  ", ("red",))], [], 0, "object 2 has no word"),
        ([RING, STAR], [Relation(0, " ", 1)], 0, "relation 1 has no word"),
        ([RING, STAR], [Relation(0, "on", 2)], 0, "relation 1 names object 3, but there are 2"),
        ([RING], [Relation(0, "on", 0)], 0, r"relation 1 \(on\) closes a loop"),
        ([RING, STAR], [Relation(0, "on", 1), Relation(1, "under", 0)], 0, r"relation 2 \(under\) closes a loop"),
    ],
)
def test_an_invalid_scene_graph_is_an_error(things, relations, referent, message):
    with pytest.raises(UserError, match=message):
        worded(things, relations, referent)
