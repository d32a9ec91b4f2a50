"""Dependency trees: their notation, invalid trees, and the graphs of arbitrary trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.errors import UserError
from parsers.scene_graph import SceneGraph
from parsers.trees.dependencies import Dependencies
from parsers.trees.passes import rewrite
from parsers.trees.rules import RULES
from parsers.trees.tree import ROOT, TreeWord, checked, first_problem, read_tree, repaired, write_tree
from parsers.trees.tree_graph import read

WORDS = """
man dogs bench hat front left right top side group lot photo there is of in on with to next by up the a two one some no
not and who it them that which whose he himself each other red tall covered located holding sitting standing wearing
about has lies 's man's hot dog , xyzzy
"""
CLASSES = "NOUN PROPN VERB AUX ADJ ADV ADP DET PRON NUM PART CCONJ SCONJ PUNCT X"
OTHER_RELATIONS = "advcl appos aux cc ccomp compound:prt conj cop dep det mark nmod:poss xcomp"
RELATIONS = sorted(
    {word.rpartition("/")[2] for rule in RULES for word in rule.tree.split()} | set(OTHER_RELATIONS.split())
)


def assert_whole(graph: SceneGraph) -> None:
    """Check what the graph's own checks leave out: no two edges join the same nodes, indices are in order."""
    assert graph.nodes
    pairs = [frozenset((edge.subject, edge.object)) for edge in graph.edges]
    assert len(set(pairs)) == len(pairs) and all(len(pair) == 2 for pair in pairs)
    assert all(node.head_token in node.tokens for node in graph.nodes)
    for part in (*graph.nodes, *graph.edges):
        assert list(part.tokens) == sorted(set(part.tokens))


@st.composite
def words_of_trees(draw, heads=st.integers(-2, 12)):
    """Words with any heads at all."""
    texts = draw(st.lists(st.sampled_from([*WORDS.split(), ""]), min_size=1, max_size=12))
    return [
        TreeWord(text, text, draw(st.sampled_from(CLASSES.split())), draw(heads), draw(st.sampled_from(RELATIONS)))
        for text in texts
    ]


def test_the_notation_is_read_and_written():
    text = "woman/NOUN/-1/root holding/VERB/0/acl and/or/CCONJ/1/cc"
    tree = read_tree(text)
    assert tree.words[2] == TreeWord("and/or", "and/or", "CCONJ", 1, "cc")
    assert tree.root == 0
    assert write_tree(tree) == text


BROKEN = [
    ("", "no words"),
    ("a/X/-1/root b/X/7/dep", "word 2 .'b'. has the head 8, but there are 2 words"),
    ("a/X/-1/root b/X/1/dep", "word 2 .'b'. is its own head"),
    ("a/X/-1/root b/X/-1/root", "word 2 .'b'. is a second root; the first is word 1"),
    ("a/X/-1/root b/X/2/dep c/X/1/dep", "word 2 .'b'. is in a cycle"),
]


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_an_invalid_tree_is_an_error_that_names_the_word(text, problem):
    with pytest.raises(UserError, match=problem):
        read_tree(text)


@pytest.mark.parametrize("entry", ["woman/NOUN/root", "woman/NOUN/x/root"])
def test_an_invalid_word_is_an_error_that_quotes_it(entry):
    with pytest.raises(ValueError, match=f"expected text/UPOS/head/relation, found '{entry}'"):
        read_tree(f"a/X/-1/root {entry}")


def test_an_error_names_the_place_of_the_tree():
    with pytest.raises(UserError, match=r"parses\.conllu: line 3: word 1"):
        checked([TreeWord("a", "a", "X", 0, "dep")], "parses.conllu: line 3")


@given(words_of_trees())
def test_any_words_are_repaired_to_a_tree(words):
    tree = repaired(words)
    assert first_problem([word.head for word in tree.words]) is None
    assert repaired(tree.words) == tree
    assert [word.text for word in tree.words] == [word.text for word in words]


REPAIRS = [
    ([ROOT, ROOT, 0], [ROOT, 0, 0]),
    ([9, 0], [ROOT, 0]),
    ([1, 0], [ROOT, 0]),
    ([2, ROOT, 2], [2, ROOT, 1]),
    ([ROOT, 2, 3, 1], [ROOT, 0, 3, 1]),
]


@pytest.mark.parametrize(("heads", "expected"), REPAIRS)
def test_repairs_follow_the_stated_rule(heads, expected):
    tree = repaired([TreeWord("w", "w", "X", head, "dep") for head in heads])
    assert [word.head for word in tree.words] == expected


@given(words_of_trees())
def test_any_tree_gives_a_whole_graph_and_always_the_same(words):
    tree = repaired(words)
    graph = read(tree)
    assert_whole(graph)
    assert graph.tokens == tuple(word.text for word in words)
    assert read(tree) == graph


@given(words_of_trees())
def test_passes_keep_a_tree_and_lose_no_word_but_those_they_leave_out(words):
    sentence = Dependencies(repaired(words))
    rewrite(sentence)
    units = list(sentence.units)
    place = {unit: index for index, unit in enumerate(units)}
    heads = [place.get(sentence.head(unit), ROOT) for unit in units]
    assert first_problem(heads) is None
    tokens = [token for unit in sentence.units.values() for token in unit.tokens]
    assert len(set(tokens)) == len(tokens)


def test_a_verb_without_letters_is_read():
    assert_whole(read(checked([TreeWord("man", "", "NOUN", ROOT, "root"), TreeWord("", "", "VERB", 0, "acl")], "here")))
