"""The option `graphs: agreed` of stanza: the lexical parser's graph without edges that contradict the tree."""

import pytest

from parsers import parse
from parsers.trees.stanza_backend import agreed
from parsers.trees.tree import read_tree
from parsers.trees.tree_graph import read

CASES = [
    # the tree ties the lid to the jar, and the lexical parser to the table
    (
        "a jar on a table with a lid",
        "a/DET/1/det jar/NOUN/-1/root on/ADP/4/case a/DET/4/det table/NOUN/1/nmod with/ADP/7/case a/DET/7/det"
        " lid/NOUN/1/nmod",
        "*jar; table; lid | jar -on-> table",
    ),
    # both tie it to the jar
    (
        "a jar with a lid",
        "a/DET/1/det jar/NOUN/-1/root with/ADP/4/case a/DET/4/det lid/NOUN/1/nmod",
        "*jar; lid | jar -with-> lid",
    ),
    # where somebody is, the lexical parser knows
    (
        "man holding a bat on the field",
        "man/NOUN/-1/root holding/VERB/0/acl a/DET/3/det bat/NOUN/1/obj on/ADP/6/case the/DET/6/det field/NOUN/3/nmod",
        "*man; bat; field | man -holding-> bat, man -on-> field",
    ),
    # for the tree, "watch" is no noun
    (
        "a man near a watch",
        "a/DET/1/det man/NOUN/-1/root near/ADP/4/case a/DET/4/det watch/VERB/1/acl",
        "*man; watch",
    ),
    # the tree has no noun at all: it says nothing
    (
        "a jar with a lid",
        "a/DET/1/det jar/VERB/-1/root with/ADP/1/obl a/DET/4/det lid/VERB/1/advcl",
        "*jar; lid | jar -with-> lid",
    ),
]


@pytest.mark.parametrize(("sentence", "tree", "expected"), CASES)
def test_edges_that_contradict_the_tree_are_dropped(sentence, tree, expected, form):
    assert form(agreed(parse(sentence), read(read_tree(tree)))) == expected


@pytest.mark.parametrize("sentence", [sentence for sentence, _, _ in CASES])
def test_a_graph_agrees_with_itself(sentence):
    assert agreed(parse(sentence), parse(sentence)) == parse(sentence)
