"""Graphs of any selection of expressions become one forest, and its indices point where they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jvgn.datasets import tables
from jvgn.factor_graph import factor_graph, ranges, read_factor_graphs
from jvgn.graphs.tables import EDGES, NODES, graph_rows
from jvgn.schedule import peel
from jvgn.storage.parquet import write_table
from jvgn.vocabulary.words import Vocabulary
from parsers import parse
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
        words = forest.word_SL.ravel()[forest.node_word_U[own[forest.node_of_U]]]
        assert words.tolist() == alone.word_SL.ravel()[alone.node_word_U].tolist()


def test_one_sentence_has_the_words_of_its_nodes(vocabulary):
    graph = parse("the small star left of a red ring")
    forest = factor_graph(graph, vocabulary).forest(np.zeros(1, dtype=int))
    words = [vocabulary.words[index] for index in forest.word_SL.ravel()[forest.node_word_U]]
    assert words == ["small", "star", "red", "ring"]
    assert [vocabulary.words[index] for index in forest.word_SL.ravel()[forest.edge_word_V]] == ["left", "of"]


@pytest.mark.parametrize(
    "text", ["star", "the small star left of a red ring", "a ring that is above a star near a cross"]
)
@pytest.mark.parametrize("referent", ["head", "in_degree"])
def test_one_sentence_is_the_same_by_itself_and_in_tables(vocabulary, tmp_path, text, referent):
    graph = parse(text)
    for name, rows, schema in zip(("nodes", "edges"), graph_rows([1], [graph]), (NODES, EDGES), strict=True):
        write_table(tmp_path / f"{name}.parquet", rows, schema)
    row = (1, 1, 1, 1, "val", text, list(graph.tokens))
    columns = {name: [value] for name, value in zip(tables.EXPRESSIONS.names, row, strict=True)}
    write_table(tmp_path / "expressions.parquet", columns, tables.EXPRESSIONS)
    paths = [tmp_path / f"{name}.parquet" for name in ("expressions", "nodes", "edges")]
    expected = vars(read_factor_graphs(*paths, vocabulary, referent))
    for name, found in vars(factor_graph(graph, vocabulary, referent)).items():
        np.testing.assert_array_equal(found, expected[name], err_msg=name)
        assert found.dtype.kind == "i"


def test_the_papers_referent_is_the_node_that_no_edge_points_to(vocabulary, tmp_path):
    words = ("bear", "surrounded", "grass")
    bear, grass = Node("bear", 0, (), (0,)), Node("grass", 2, (), (2,))
    graph = SceneGraph(words, (bear, grass), (Edge(1, "surrounded", 0, (1,)),), referent=0)
    for name, rows, schema in zip(("nodes", "edges"), graph_rows([1], [graph]), (NODES, EDGES), strict=True):
        write_table(tmp_path / f"{name}.parquet", rows, schema)
    row = (1, 1, 1, 1, "val", "bear surrounded by grass", list(words))
    columns = {name: [value] for name, value in zip(tables.EXPRESSIONS.names, row, strict=True)}
    write_table(tmp_path / "expressions.parquet", columns, tables.EXPRESSIONS)
    paths = [tmp_path / f"{name}.parquet" for name in ("expressions", "nodes", "edges")]
    assert read_factor_graphs(*paths, vocabulary, "head").referent_S.tolist() == [0]
    assert read_factor_graphs(*paths, vocabulary, "in_degree").referent_S.tolist() == [1]
