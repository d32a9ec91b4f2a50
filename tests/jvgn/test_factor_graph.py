"""Graphs of any selection of expressions become one forest, and its indices point where they should."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jvgn.datasets import tables
from jvgn.factor_graph import factor_graph, ranges, read_factor_graphs
from jvgn.graphs.tables import EDGES, NODES, graph_rows
from jvgn.message_schedule import peel
from jvgn.storage.parquet import write_table
from jvgn.vocabulary.words import Vocabulary
from parsers import parse
from parsers.errors import UserError
from parsers.scene_graph import Edge, Node, SceneGraph


@pytest.fixture(scope="module")
def vocabulary(small_world):
    return Vocabulary.read(small_world.words)


@pytest.fixture(scope="module")
def graphs(small_world, vocabulary):
    return read_factor_graphs(
        small_world.dataset / "expressions.parquet", small_world.nodes, small_world.edges, vocabulary
    )


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.data())
def test_ranges_lie_end_to_end(counts, data):
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows = np.array(data.draw(st.lists(st.integers(0, len(counts) - 1), max_size=10)), dtype=int)
    entries, owners = ranges(starts, rows)
    assert entries.tolist() == [entry for row in rows for entry in range(starts[row], starts[row + 1])]
    assert owners.tolist() == [number for number, row in enumerate(rows) for _ in range(counts[row])]


def test_a_forest_holds_each_expressions_own_graph(graphs, small_world, vocabulary):
    rows = np.array([17, 3, 250])
    forest = graphs.forest(rows)
    assert len(peel(len(forest.expression_K), forest.edges_E2)) >= 1
    for sentence, row in enumerate(rows):
        alone = graphs.forest(np.array([row]))
        own = forest.expression_K == sentence
        assert own.sum() == len(alone.expression_K)
        first = np.flatnonzero(own)[0]
        assert forest.referent_S[sentence] - first == alone.referent_S[0]
        edges = forest.edges_E2[forest.expression_E == sentence] - first
        assert edges.tolist() == alone.edges_E2.tolist()
        words = forest.word_RT.ravel()[forest.node_word_U[own[forest.node_of_U]]]
        assert words.tolist() == alone.word_RT.ravel()[alone.node_word_U].tolist()


def test_one_sentence_has_the_words_of_its_nodes(vocabulary):
    graph = parse("the small star left of a red ring")
    forest = factor_graph(graph, vocabulary).forest(np.zeros(1, dtype=int))
    words = [vocabulary.words[index] for index in forest.word_RT.ravel()[forest.node_word_U]]
    assert words == ["small", "star", "red", "ring"]
    assert [vocabulary.words[index] for index in forest.word_RT.ravel()[forest.edge_word_V]] == ["left", "of"]


@pytest.mark.parametrize(
    "text", ["star", "the small star left of a red ring", "a ring that is above a star near a cross"]
)
@pytest.mark.parametrize("referent", ["head", "in_degree"])
def test_one_sentence_is_the_same_by_itself_and_in_tables(vocabulary, tmp_path, text, referent):
    graph = parse(text)
    write_graphs(tmp_path, [graph])
    expected = vars(read_factor_graphs(*graph_paths(tmp_path), vocabulary, referent))
    for name, found in vars(factor_graph(graph, vocabulary, referent)).items():
        np.testing.assert_array_equal(found, expected[name], err_msg=name)
        assert found.dtype.kind == "i"


def test_the_papers_referent_is_the_node_that_no_edge_points_to(vocabulary, tmp_path):
    words = ("bear", "surrounded", "grass")
    bear, grass = Node("bear", 0, (), (0,)), Node("grass", 2, (), (2,))
    graph = SceneGraph(words, (bear, grass), (Edge(1, "surrounded", 0, (1,)),), referent=0)
    write_graphs(tmp_path, [graph])
    assert read_factor_graphs(*graph_paths(tmp_path), vocabulary, "head").referent_S.tolist() == [0]
    assert read_factor_graphs(*graph_paths(tmp_path), vocabulary, "in_degree").referent_S.tolist() == [1]


def test_the_annotated_referent_is_a_node_that_a_mention_names(vocabulary, tmp_path, caplog):
    graph = SceneGraph(("bear", "on", "green", "grass"), (Node("bear", 0, (), (0,)), Node("grass", 3, (), (3,))), (), 0)
    write_graphs(tmp_path, [graph] * 4)
    # By expression: its grass; both of its nodes, the head among them; a word without a node; nothing.
    rows = [(1, 3, True), (1, 0, False), (2, 0, True), (2, 3, True), (3, 2, True)]
    mentions = [(expression, token, 0, is_referent) for expression, token, is_referent in rows]
    columns = dict(zip(tables.MENTIONS.names, zip(*mentions, strict=True), strict=True))
    write_table(tmp_path / "mentions.parquet", columns, tables.MENTIONS)
    with caplog.at_level("INFO"):
        found = read_factor_graphs(*graph_paths(tmp_path), vocabulary, "annotated")
    assert found.referent_S.tolist() == [1, 0, 0, 0]
    assert "2 of 4 annotated referents have no node" in caplog.text
    write_table(tmp_path / "mentions.parquet", tables.MENTIONS.empty_table(), tables.MENTIONS)
    with pytest.raises(UserError, match="annotates no referent"):
        read_factor_graphs(*graph_paths(tmp_path), vocabulary, "annotated")


def test_checking_needs_no_memory_for_the_longest_sentence_times_all(vocabulary, tmp_path):
    """One very long sentence among many short ones: a dense matrix of all words would have 400 MB."""
    short, long = parse("star"), parse("star")
    long = SceneGraph(("star", *["very"] * 24_999), long.nodes, long.edges, long.referent)
    graphs = [long, *[short] * 1999]
    write_graphs(tmp_path, graphs)
    tracemalloc.start()
    found = read_factor_graphs(*graph_paths(tmp_path), vocabulary)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found) == 2000 and peak < 20e6


STAR, RING = Node("star", 0, (), (0,)), Node("ring", 1, (), (1,))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("nodes", "tokens", [[0], [7]]), "outside its sentence"),
        (("nodes", "tokens", [[0], [-1]]), "outside its sentence"),
        (("nodes", "tokens", [[0], []]), "no tokens"),
        (("edges", "tokens", [[9]]), "outside its sentence"),
        (("edges", "object", [2]), "node that its expression lacks"),
        (("edges", "object", [0]), "loop"),
    ],
)
def test_graphs_that_do_not_fit_their_sentences_are_refused(vocabulary, tmp_path, change, problem):
    table, column, values = change
    graph = SceneGraph(("star", "ring", "near"), (STAR, RING), (Edge(0, "near", 1, (2,)),), referent=0)
    write_graphs(tmp_path, [graph], **{table: {column: values}})
    with pytest.raises(UserError, match=problem):
        read_factor_graphs(*graph_paths(tmp_path), vocabulary)


def graph_paths(folder):
    return [folder / f"{name}.parquet" for name in ("expressions", "nodes", "edges")]


def write_graphs(folder, graphs, **changes):
    """The tables of these graphs, some of their columns replaced."""
    ids = list(range(1, len(graphs) + 1))
    for name, rows, schema in zip(("nodes", "edges"), graph_rows(ids, graphs), (NODES, EDGES), strict=True):
        write_table(folder / f"{name}.parquet", rows.to_pydict() | changes.get(name, {}), schema)
    numbered = zip(ids, graphs, strict=True)
    rows = [(number, 1, 1, 1, "val", " ".join(graph.tokens), list(graph.tokens)) for number, graph in numbered]
    columns = dict(zip(tables.EXPRESSIONS.names, map(list, zip(*rows, strict=True)), strict=True))
    write_table(folder / "expressions.parquet", columns, tables.EXPRESSIONS)
