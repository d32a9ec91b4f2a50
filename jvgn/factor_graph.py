"""Scene graphs as index arrays: the variables and factors of eqs. (7) and (8), without their potentials.

Nodes are the variables, each with a unary factor; edges are the binary factors. All expressions of a dataset are stored
end to end; any selection of them becomes one forest by arithmetic on offsets. `jvgn` explains the shape suffixes.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from jvgn.datasets import tables
from jvgn.datasets.tables import MISMATCH, check_referents, check_rows
from jvgn.graphs.tables import read_edges, read_nodes
from jvgn.vocabulary.words import PAD, Vocabulary
from parsers.errors import BrokenFile, UserError
from parsers.scene_graph import SceneGraph, first_loop

log = logging.getLogger(__name__)

Referent = Literal["head", "in_degree", "annotated"]
Words = Literal["sentence", "phrase"]
WIDEST = 2**15
"""Larger than the index of any token, which is an int16."""


@dataclass(frozen=True)
class Forest:
    """The factor graphs of some expressions as one forest; words are indices into the flattened `word_RT`."""

    word_RT: np.ndarray
    """The rows of words that the encoder reads: sentences, or the words of each node and edge."""
    length_R: np.ndarray
    referent_S: np.ndarray
    expression_K: np.ndarray
    head_token_K: np.ndarray
    original_K: np.ndarray
    """The node that each is a copy of, or itself; see `with_phrases`."""
    node_word_U: np.ndarray
    node_of_U: np.ndarray
    edges_E2: np.ndarray
    expression_E: np.ndarray
    edge_word_V: np.ndarray
    edge_of_V: np.ndarray


@dataclass(frozen=True)
class FactorGraphs:
    """The factor graphs of every expression, in the order of the expressions table."""

    word_A: np.ndarray
    word_start_S1: np.ndarray
    referent_S: np.ndarray
    node_start_S1: np.ndarray
    node_word_U: np.ndarray
    node_word_start_K1: np.ndarray
    head_token_K: np.ndarray
    edge_start_S1: np.ndarray
    edges_E2: np.ndarray
    edge_word_V: np.ndarray
    edge_word_start_E1: np.ndarray

    def __len__(self) -> int:
        return len(self.referent_S)

    def forest(self, row_S: np.ndarray, words: Words = "sentence") -> Forest:
        """Return the graphs of the expressions in these rows of the table."""
        # Find the entries of the chosen rows in the flat arrays, and the row that owns each.
        word_A, sentence_A = ranges(self.word_start_S1, row_S)
        node_K, sentence_K = ranges(self.node_start_S1, row_S)
        edge_E, sentence_E = ranges(self.edge_start_S1, row_S)
        node_word_U, node_of_U = ranges(self.node_word_start_K1, node_K)
        edge_word_V, edge_of_V = ranges(self.edge_word_start_E1, edge_E)
        word_RT, length_R, _ = in_rows(self.word_A[word_A], sentence_A, len(row_S))
        # Nodes are numbered within their graph; in the forest, the numbers of a graph follow those of the one before.
        node_count_S = counts(self.node_start_S1, row_S)
        node_start_S = node_count_S.cumsum() - node_count_S
        longest = word_RT.shape[1]
        forest = Forest(
            word_RT=word_RT,
            length_R=length_R,
            referent_S=self.referent_S[row_S] + node_start_S,
            expression_K=sentence_K,
            head_token_K=self.head_token_K[node_K],
            original_K=np.arange(len(node_K)),
            # Token t of sentence s has index s·L + t in the flattened words.
            node_word_U=sentence_K[node_of_U] * longest + self.node_word_U[node_word_U],
            node_of_U=node_of_U,
            edges_E2=self.edges_E2[edge_E] + node_start_S[sentence_E][:, None],
            expression_E=sentence_E,
            edge_word_V=sentence_E[edge_of_V] * longest + self.edge_word_V[edge_word_V],
            edge_of_V=edge_of_V,
        )
        return by_phrase(forest) if words == "phrase" else forest


def in_rows(word_A: np.ndarray, owner_A: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return words that are ordered by their owners as padded rows (R, T), the lengths of the rows (R,), and the place
    of each word in the flattened rows.
    """
    length_R = np.bincount(owner_A, minlength=rows)
    within_A = np.arange(len(word_A)) - (length_R.cumsum() - length_R)[owner_A]  # minus the start of the owner's row
    word_RT = np.full((rows, length_R.max(initial=1)), PAD)
    word_RT[owner_A, within_A] = word_A
    return word_RT, length_R, owner_A * word_RT.shape[1] + within_A


def by_phrase(forest: Forest) -> Forest:
    """Return the forest with a row of words for each node and edge instead of each sentence."""
    nodes, edges = len(forest.expression_K), len(forest.expression_E)
    word_A = forest.word_RT.ravel()[np.concatenate([forest.node_word_U, forest.edge_word_V])]
    owner_A = np.concatenate([forest.node_of_U, nodes + forest.edge_of_V])
    word_RT, length_R, place_A = in_rows(word_A, owner_A, nodes + edges)
    node_word_U, edge_word_V = np.split(place_A, [len(forest.node_word_U)])
    return replace(forest, word_RT=word_RT, length_R=length_R, node_word_U=node_word_U, edge_word_V=edge_word_V)


def with_phrases(forest: Forest, node_P: np.ndarray) -> Forest:
    """Return the forest with a copy of these nodes appended, each a tree of one node that reads only its own words."""
    is_chosen_U = np.isin(forest.node_of_U, node_P)
    owner_A = np.searchsorted(node_P, forest.node_of_U[is_chosen_U])
    word_A = forest.word_RT.ravel()[forest.node_word_U[is_chosen_U]]
    own_PT, length_P, place_A = in_rows(word_A, owner_A, len(node_P))
    rows, longest = forest.word_RT.shape  # no phrase is longer than the longest row
    word_PT = np.full((len(node_P), longest), PAD)
    word_PT[:, : own_PT.shape[1]] = own_PT
    # The rows of the copies follow those of the forest and have their width.
    place_A = (rows + owner_A) * longest + place_A % own_PT.shape[1]
    return replace(
        forest,
        word_RT=np.concatenate([forest.word_RT, word_PT]),
        length_R=np.concatenate([forest.length_R, length_P]),
        expression_K=np.concatenate([forest.expression_K, forest.expression_K[node_P]]),
        head_token_K=np.concatenate([forest.head_token_K, forest.head_token_K[node_P]]),
        original_K=np.concatenate([forest.original_K, node_P]),
        node_word_U=np.concatenate([forest.node_word_U, place_A]),
        node_of_U=np.concatenate([forest.node_of_U, len(forest.expression_K) + owner_A]),
    )


def ranges(start_S1: np.ndarray, row_S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the entries of the chosen rows, end to end, and for each entry its place among the chosen rows."""
    count_S = counts(start_S1, row_S)
    owner = np.repeat(np.arange(len(row_S)), count_S)
    within = np.arange(len(owner)) - (count_S.cumsum() - count_S)[owner]
    return start_S1[row_S][owner] + within, owner


def counts(start_S1: np.ndarray, row_S: np.ndarray) -> np.ndarray:
    """Return the number of entries of each chosen row, without looking at the rest of the dataset."""
    return start_S1[row_S + 1] - start_S1[row_S]


def read_factor_graphs(
    expressions: Path, nodes: Path, edges: Path, vocabulary: Vocabulary, referent: Referent = "head"
) -> FactorGraphs:
    """Return the graphs of all expressions, checked against their table; mentions are in the same folder."""
    sentences = tables.read_expressions(expressions)
    node_table, edge_table = read_nodes(nodes), read_edges(edges)
    id_S = column(sentences, "expression_id")
    check_rows(nodes, node_table, id_S)
    check_rows(edges, edge_table, id_S)
    check_referents(nodes, node_table, id_S)
    graphs = assemble(id_S, sentences["tokens"].combine_chunks(), node_table, edge_table, vocabulary)
    check_indices(nodes, edges, graphs)
    if referent == "annotated":
        return refer_as_annotated(graphs, sentences, expressions.with_name("mentions.parquet"))
    return refer_by(graphs, referent)


def factor_graph(graph: SceneGraph, vocabulary: Vocabulary, referent: Referent = "head") -> FactorGraphs:
    """Return the factor graph of one expression, without tables: for a few rows, pyarrow would load pandas."""
    node_word_U, node_word_start_K1 = end_to_end([node.tokens for node in graph.nodes])
    edge_word_V, edge_word_start_E1 = end_to_end([edge.tokens for edge in graph.edges])
    graphs = FactorGraphs(
        word_A=np.array(vocabulary.encode(graph.tokens), dtype=np.int64),
        word_start_S1=np.array([0, len(graph.tokens)]),
        referent_S=np.array([graph.referent]),
        node_start_S1=np.array([0, len(graph.nodes)]),
        node_word_U=node_word_U,
        node_word_start_K1=node_word_start_K1,
        head_token_K=np.array([node.head_token for node in graph.nodes]),
        edge_start_S1=np.array([0, len(graph.edges)]),
        edges_E2=np.array([(edge.subject, edge.object) for edge in graph.edges], dtype=np.int64).reshape(-1, 2),
        edge_word_V=edge_word_V,
        edge_word_start_E1=edge_word_start_E1,
    )
    return refer_by(graphs, referent)


def end_to_end(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return all lists as one, and the start of each."""
    flat = [value for values in lists for value in values]
    return np.array(flat, dtype=np.int64), np.cumsum([0, *map(len, lists)])


def refer_by(graphs: FactorGraphs, referent: Referent) -> FactorGraphs:
    """Return the graphs with their referents as the setting defines them; "annotated" is the head here."""
    return replace(graphs, referent_S=in_degree_zero(graphs)) if referent == "in_degree" else graphs


def refer_as_annotated(graphs: FactorGraphs, sentences: pa.Table, path: Path) -> FactorGraphs:
    """Return the graphs with the referents of the mentions at `path`, and log how many have no node."""
    mentions = tables.read_mentions(path)
    mentions = mentions.filter(mentions["is_referent"])
    if not len(mentions):
        raise UserError(f"{path}: annotates no referent; set `referent: head` in the run, or add mentions")
    tables.check_known(path, mentions, sentences, "expression_id")
    row_M = np.searchsorted(column(sentences, "expression_id"), column(mentions, "expression_id"))
    expression_K = np.repeat(np.arange(len(graphs)), np.diff(graphs.node_start_S1))
    # A pair (expression, token) as one number.
    is_annotated_K = np.isin(
        expression_K * WIDEST + graphs.head_token_K, row_M * WIDEST + column(mentions, "head_token")
    )
    without = len(graphs) - len(np.unique(expression_K[is_annotated_K]))
    log.info("%d of %d annotated referents have no node; the syntactic head takes their place", without, len(graphs))
    return replace(graphs, referent_S=preferred(graphs, is_annotated_K))


def assemble(
    id_S: np.ndarray, tokens: pa.ListArray, nodes: pa.Table, edges: pa.Table, vocabulary: Vocabulary
) -> FactorGraphs:
    node_start_S1, edge_start_S1 = starts(nodes, id_S), starts(edges, id_S)
    node_word_U, node_word_start_K1 = ragged(nodes, "tokens")
    edge_word_V, edge_word_start_E1 = ragged(edges, "tokens")
    return FactorGraphs(
        word_A=np.array(vocabulary.encode(tokens.flatten().to_pylist()), dtype=np.int64),
        word_start_S1=(tokens.offsets.to_numpy() - tokens.offsets[0].as_py()).astype(np.int64),
        referent_S=np.flatnonzero(column(nodes, "is_referent")) - node_start_S1[:-1],
        node_start_S1=node_start_S1,
        node_word_U=node_word_U,
        node_word_start_K1=node_word_start_K1,
        head_token_K=column(nodes, "head_token"),
        edge_start_S1=edge_start_S1,
        edges_E2=np.stack([column(edges, "subject"), column(edges, "object")], axis=1).astype(np.int64),
        edge_word_V=edge_word_V,
        edge_word_start_E1=edge_word_start_E1,
    )


def column(table: pa.Table, name: str) -> np.ndarray:
    return table[name].to_numpy()


def ragged(table: pa.Table, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the flattened values of a list column, and the start of each row's."""
    lists = table[name].combine_chunks()
    offsets = lists.offsets.to_numpy()
    return lists.flatten().to_numpy().astype(np.int64), (offsets - offsets[0]).astype(np.int64)


def starts(table: pa.Table, id_S: np.ndarray) -> np.ndarray:
    """Return the start of each expression's rows."""
    id_K = column(table, "expression_id")
    return np.append(np.searchsorted(id_K, id_S), len(id_K))


def in_degree_zero(graphs: FactorGraphs) -> np.ndarray:
    """Return each graph's node that no edge points to, as the paper defines the referent."""
    edge_E, sentence_E = ranges(graphs.edge_start_S1, np.arange(len(graphs)))
    pointed_K = np.zeros(graphs.node_start_S1[-1], dtype=bool)
    pointed_K[graphs.edges_E2[edge_E, 1] + graphs.node_start_S1[sentence_E]] = True
    return preferred(graphs, ~pointed_K)


def preferred(graphs: FactorGraphs, is_eligible_K: np.ndarray) -> np.ndarray:
    """Return each graph's syntactic head if it is eligible or no node is, else the first eligible node."""
    start_S = graphs.node_start_S1[:-1]
    first_S = np.array(
        [np.argmax(is_eligible_K[start:end]) for start, end in zip(start_S, graphs.node_start_S1[1:], strict=True)],
        dtype=np.int64,
    )
    stays_S = is_eligible_K[start_S + graphs.referent_S] | ~is_eligible_K[start_S + first_S]
    return np.where(stays_S, graphs.referent_S, first_S)


def check_indices(nodes: Path, edges: Path, graphs: FactorGraphs) -> None:
    """Check that nodes and edges have words of their own sentence, and that edges join nodes of their own graph as a
    forest.

    Only flat arrays are made: a matrix of all sentences would be as wide as the longest one.
    """
    length_S, node_count_S = np.diff(graphs.word_start_S1), np.diff(graphs.node_start_S1)
    expression_K = np.repeat(np.arange(len(graphs)), node_count_S)
    expression_E = np.repeat(np.arange(len(graphs)), np.diff(graphs.edge_start_S1))
    check_words(nodes, graphs.node_word_U, np.diff(graphs.node_word_start_K1), length_S[expression_K])
    check_words(edges, graphs.edge_word_V, np.diff(graphs.edge_word_start_E1), length_S[expression_E])
    if (graphs.edges_E2 < 0).any() or (graphs.edges_E2 >= node_count_S[expression_E][:, None]).any():
        raise BrokenFile(edges, "an edge names a node that its expression lacks", MISMATCH)
    in_forest_E2 = graphs.edges_E2 + graphs.node_start_S1[expression_E][:, None]
    if first_loop(len(expression_K), in_forest_E2.tolist()) is not None:
        raise BrokenFile(edges, "an expression's edges form a loop", MISMATCH)


def check_words(path: Path, word_U: np.ndarray, count_K: np.ndarray, length_K: np.ndarray) -> None:
    """Check that every row has words, all of them within its sentence; `count_K` says how many each row has."""
    if (word_U < 0).any() or (word_U >= np.repeat(length_K, count_K)).any():
        raise BrokenFile(path, "column tokens has an index outside its sentence", MISMATCH)
    if not count_K.all():
        raise BrokenFile(path, "a row has no tokens", MISMATCH)
