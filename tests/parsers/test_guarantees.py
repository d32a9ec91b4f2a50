"""Guarantees of every graph, for arbitrary text, words and edges."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import parsers
from jvgn.views.graph_picture import as_json, dot, svg
from parsers import parse
from parsers.guarantees import cut_loops, guaranteed, merge_parallel
from parsers.scene_graph import Edge, Node, SceneGraph, first_loop
from parsers.tools.graph_drawing import drawn
from parsers.words.lexicon import words

LISTS = sorted(path.stem for path in (Path(parsers.__file__).parent / "words" / "lists").glob("*.txt"))
VOCABULARY = sorted({word for name in LISTS for entry in words(name) for word in entry.split()})
SLIPS = ("giraffee", "buiding", "carront", "balla", "MAN'S")
SENTENCES = st.lists(st.sampled_from([*VOCABULARY, ",", "-", "'", "s", "man's", "xyzzy", *SLIPS]), max_size=14)
UNUSUAL = st.sampled_from(
    [
        *("man", "woman's", "dogs", "left", "red", "two", "holding", "is", "it", "which", "each other", "of the"),
        *("in", "and", "with", "no", "not", "by", "'s", "s'", "’s", ",", ",,", ".", "--", "'", '"', "(", ")", "\\"),
        *("\x00", "\x1b[31m", "\t", "\r\n", "\u200b", "\u200d", "\ufeff", "\u202e", "שלום", "猫", "🇫🇷", "e\u0301"),
        *("İ", "ß", "ﬁ", "Ⅷ", "½", "1", "2.5", "3rd", "1,000"),
    ]
)
NODES = tuple(Node(f"node{index}", index, (), (index,)) for index in range(6))
EDGES = st.lists(
    st.builds(
        lambda ends, tokens: Edge(ends[0], " ".join(map(str, sorted(tokens))), ends[1], tuple(sorted(tokens))),
        st.tuples(st.integers(0, 5), st.integers(0, 5)),
        st.sets(st.integers(6, 19), min_size=1, max_size=3),
    ),
    max_size=12,
)


def assert_whole(graph: SceneGraph) -> None:
    assert graph.nodes
    assert sum(index == graph.referent for index in range(len(graph.nodes))) == 1
    assert first_loop(len(graph.nodes), [(edge.subject, edge.object) for edge in graph.edges]) is None
    pairs = [frozenset((edge.subject, edge.object)) for edge in graph.edges]
    assert len(set(pairs)) == len(pairs) and all(len(pair) == 2 for pair in pairs)
    heads = [node.head_token for node in graph.nodes]
    assert heads == sorted(heads)
    for part in (*graph.nodes, *graph.edges):
        assert list(part.tokens) == sorted(set(part.tokens))
        assert all(0 <= index < len(graph.tokens) for index in part.tokens)
    assert all(node.head_token in node.tokens for node in graph.nodes)
    assert all(ends_as_written(node.head, graph.tokens[node.head_token]) for node in graph.nodes)


def ends_as_written(head: str, token: str) -> bool:
    """Whether a head ends with its token, of which only the mark of an owner may be missing."""
    stems = [token[: -len(mark)] for mark in ("s", "'s", "’s") if token.lower().endswith(mark)]
    return any(head.endswith(stem) for stem in (token, *stems))


@given(st.text(max_size=80))
def test_any_text_gives_a_whole_graph(text):
    graph = parse(text)
    assert_whole(graph)
    assert parse(text) == graph


@pytest.mark.parametrize("conventions", ["written", "factual"])
@given(text=st.text(max_size=120) | st.lists(UNUSUAL, max_size=25).map(" ".join) | st.lists(UNUSUAL).map("".join))
def test_any_text_gives_a_graph_that_can_be_drawn_in_both_conventions(conventions, text):
    graph = parse(text, conventions=conventions)
    assert graph.nodes and 0 <= graph.referent < len(graph.nodes)
    assert first_loop(len(graph.nodes), [(edge.subject, edge.object) for edge in graph.edges]) is None
    assert drawn(graph) and svg(graph) and dot(graph) and as_json(graph)


@given(SENTENCES)
def test_any_sequence_of_known_words_gives_a_whole_graph(tokens):
    graph = parse("", tokens=tokens)
    assert_whole(graph)
    assert graph.tokens == (tuple(tokens) or ("",))


@given(st.lists(st.text(max_size=6), max_size=8))
def test_any_tokens_give_a_whole_graph_and_are_kept(tokens):
    graph = parse("", tokens=tokens)
    assert_whole(graph)
    assert graph.tokens == (tuple(tokens) or ("",))


@given(SENTENCES)
def test_upper_case_changes_no_structure(tokens):
    lower, upper = parse("", tokens=tokens), parse("", tokens=[token.upper() for token in tokens])
    assert [edge.tokens for edge in lower.edges] == [edge.tokens for edge in upper.edges]
    assert [node.tokens for node in lower.nodes] == [node.tokens for node in upper.nodes]


@given(EDGES, st.randoms(use_true_random=False))
def test_the_order_of_edges_does_not_decide_where_a_loop_is_cut(edges, chance: random.Random):
    tokens = [str(index) for index in range(20)]
    shuffled = chance.sample(edges, len(edges))
    graph = guaranteed(tokens, NODES, edges, 0)
    assert_whole(graph)
    assert guaranteed(tokens, NODES, shuffled, 0) == graph


@given(EDGES)
def test_cutting_loops_separates_no_two_nodes(edges):
    merged = merge_parallel(edges)
    kept = cut_loops(6, merged)
    for edge in merged:
        ends = [(other.subject, other.object) for other in kept]
        assert edge in kept or first_loop(6, [*ends, (edge.subject, edge.object)]) == len(ends)


def test_a_loop_is_cut_at_its_rightmost_edge():
    edges = [Edge(2, "c", 0, (9,)), Edge(0, "a", 1, (7,)), Edge(1, "b", 2, (8,))]
    assert [edge.relation for edge in cut_loops(3, edges)] == ["a", "b"]


def test_parallel_edges_are_merged_with_all_their_words():
    edges = [Edge(1, "on", 0, (5,)), Edge(0, "with", 1, (3,))]
    assert merge_parallel(edges) == [Edge(0, "with on", 1, (3, 5))]


def test_a_sentence_without_a_noun_is_one_node():
    assert parse("") == SceneGraph(("",), (Node("", 0, (), (0,)),), (), 0, is_fallback=True)
    assert parse("is sitting") == SceneGraph(("is", "sitting"), (Node("is sitting", 1, (), (0, 1)),), (), 0, True)
    assert [node.head for node in parse("?!").nodes] == ["? !"]
