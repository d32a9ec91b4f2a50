"""The tables of scene graphs: their format, the one reader and the one writer.

`nodes.parquet`, one row a node: expression_id int64, node int16 (0 onwards in its expression), head string,
head_token int16, attributes list<string>, negated list<bool> (for each attribute, whether it is denied), tokens
list<int16>, is_referent bool, noun string (the head in corrected spelling; of "one", the noun that it stands for).
`edges.parquet`, one row an edge: expression_id int64, edge int16, subject int16, relation string, object int16,
tokens list<int16>, negated bool (whether the relation is denied).
Rows are in the order of the expressions. Token indices point into the `tokens` of `expressions.parquet`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jvgn.storage.files import RUN_AGAIN
from jvgn.storage.parquet import origin, read_table, row_groups, writing
from parsers.errors import BrokenFile
from parsers.scene_graph import Edge, Node, SceneGraph

NODES = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("node", pa.int16()),
        ("head", pa.string()),
        ("head_token", pa.int16()),
        ("attributes", pa.list_(pa.string())),
        ("negated", pa.list_(pa.bool_())),
        ("tokens", pa.list_(pa.int16())),
        ("is_referent", pa.bool_()),
        ("noun", pa.string()),
    ]
)
EDGES = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("edge", pa.int16()),
        ("subject", pa.int16()),
        ("relation", pa.string()),
        ("object", pa.int16()),
        ("tokens", pa.list_(pa.int16())),
        ("negated", pa.bool_()),
    ]
)


@dataclass(frozen=True)
class GraphFiles:
    """The files that the parse stage writes for a dataset or one of its shards."""

    nodes: Path
    edges: Path
    coverage: Path

    @classmethod
    def within(cls, folder: Path) -> "GraphFiles":
        return cls(folder / "nodes.parquet", folder / "edges.parquet", folder / "coverage.json")


def read_nodes(path: Path) -> pa.Table:
    return read_table(path, NODES)


def read_edges(path: Path) -> pa.Table:
    return read_table(path, EDGES)


def read_graph(files: GraphFiles, expression_id: int, tokens: Sequence[str]) -> SceneGraph:
    """Return the scene graph of one expression, whose words are `tokens`."""
    nodes, edges = (
        table.filter(pc.equal(table["expression_id"], expression_id)).to_pylist()
        for table in (read_nodes(files.nodes), read_edges(files.edges))
    )
    return scene_graph(files, expression_id, tokens, nodes, edges)


def scene_graph(
    files: GraphFiles,
    expression_id: int,
    tokens: Sequence[str],
    nodes: Sequence[Mapping[str, Any]],
    edges: Sequence[Mapping[str, Any]],
    cure: str = RUN_AGAIN,
) -> SceneGraph:
    """Return the scene graph of one expression from its rows."""
    referents = [row["node"] for row in nodes if row["is_referent"]]
    if len(referents) != 1:
        problem = f"expression {expression_id} has {len(referents)} referents, expected one"
        raise BrokenFile(files.nodes, problem, cure)
    try:
        return SceneGraph(
            tuple(tokens),
            tuple(
                Node(
                    row["head"],
                    row["head_token"],
                    tuple(row["attributes"]),
                    tuple(row["tokens"]),
                    tuple(row["negated"]),
                    row["noun"],
                )
                for row in nodes
            ),
            tuple(
                Edge(row["subject"], row["relation"], row["object"], tuple(row["tokens"]), row["negated"])
                for row in edges
            ),
            referents[0],
        )
    except ValueError as error:
        problem = f"expression {expression_id} has an invalid scene graph ({error})"
        raise BrokenFile(f"{files.nodes} or {files.edges.name}", problem, cure) from error


def graph_rows(expression_ids: Iterable[int], graphs: Iterable[SceneGraph]) -> tuple[pa.Table, pa.Table]:
    """Return the rows of the graphs in the table of nodes and in the table of edges."""
    nodes: dict[str, list[object]] = {name: [] for name in NODES.names}
    edges: dict[str, list[object]] = {name: [] for name in EDGES.names}
    for expression_id, graph in zip(expression_ids, graphs, strict=True):
        for index, node in enumerate(graph.nodes):
            is_referent = index == graph.referent
            values = (
                *(expression_id, index, node.head, node.head_token),
                *(node.attributes, node.negated, node.tokens, is_referent, node.noun),
            )
            for name, value in zip(NODES.names, values, strict=True):
                nodes[name].append(value)
        for index, edge in enumerate(graph.edges):
            relation = (expression_id, index, edge.subject, edge.relation, edge.object, edge.tokens, edge.negated)
            for name, value in zip(EDGES.names, relation, strict=True):
                edges[name].append(value)
    return pa.table(nodes, schema=NODES), pa.table(edges, schema=EDGES)


@contextmanager
def writing_graphs(files: GraphFiles, **made_by: str) -> Iterator[Callable[[pa.Table, pa.Table], None]]:
    """Yield a function that appends rows to both tables; `made_by` goes into their metadata."""
    with writing(files.nodes, NODES, **made_by) as write_nodes, writing(files.edges, EDGES, **made_by) as write_edges:

        def write(nodes: pa.Table, edges: pa.Table) -> None:
            write_nodes(nodes)
            write_edges(edges)

        yield write


def merge_graphs(shards: Sequence[GraphFiles], output: GraphFiles) -> None:
    """Write the rows of all shards, one shard after the other, a row group at a time."""
    for schema, paths, path in (
        (NODES, [shard.nodes for shard in shards], output.nodes),
        (EDGES, [shard.edges for shard in shards], output.edges),
    ):
        with writing(path, schema, **common_origin(paths, schema)) as write:
            for shard in paths:
                for rows in row_groups(shard, schema):
                    write(rows)


def common_origin(paths: Sequence[Path], schema: pa.Schema) -> dict[str, str]:
    """Return what made the tables at `paths`, which must be the same for all."""
    first, *others = paths
    expected = origin(first, schema)
    for path in others:
        if (found := origin(path, schema)) != expected:
            raise BrokenFile(path, f"made by {found}, but {first} by {expected}")
    return expected
