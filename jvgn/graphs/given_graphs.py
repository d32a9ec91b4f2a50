"""A user's own scene graphs: two tables are checked against the dataset and written as the parse stage would.

The user's `nodes` and `edges` have the columns of `jvgn.graphs.tables`. Their rows may be in any order, their integers
of any size, and they need no metadata, so that pandas can write them. Without the column `negated`, nothing is
denied; without `noun`, it is the head.
"""

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from jvgn.graphs.parsing import COUNTED, EXPRESSIONS, counts, tokens_of, write_coverage
from jvgn.graphs.tables import EDGES, NODES, GraphFiles, graph_rows, scene_graph, writing_graphs
from jvgn.storage.files import reading, sha256
from jvgn.storage.parquet import checked, read_table
from parsers.errors import BrokenFile
from parsers.scene_graph import SceneGraph

FIX = "fix the file"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GivenTable:
    """The rows of each expression, in the order of their numbers."""

    path: Path
    rows: Mapping[int, list[dict[str, Any]]]

    def check_known(self, expression_ids: set[int]) -> None:
        for expression_id in self.rows:
            if expression_id not in expression_ids:
                raise BrokenFile(self.path, f"expression {expression_id} is not in the dataset", FIX)


def adopt_graphs(expressions_path: Path, nodes_path: Path, edges_path: Path, output: GraphFiles) -> None:
    """Write the user's graphs of all expressions, in their order. The user's files stay as they are."""
    start = time.perf_counter()
    expressions = read_table(expressions_path, EXPRESSIONS)
    sentences = tokens_of(expressions, expressions_path).to_pylist()
    ids = expressions["expression_id"].to_pylist()
    nodes, edges = read_given(nodes_path, NODES, "node"), read_given(edges_path, EDGES, "edge")
    for table in (nodes, edges):
        table.check_known(set(ids))
    graphs = [graph_of(one, tokens, nodes, edges) for one, tokens in zip(ids, sentences, strict=True)]
    with writing_graphs(output, backend="graphs", expressions=sha256(expressions_path)) as write:
        write(*graph_rows(ids, graphs))
    counted = zip(COUNTED, map(sum, zip(*map(counts, graphs), strict=True)), strict=True)
    totals = {"expressions": len(ids), "sentences_parsed": 0, **dict(counted)}
    write_coverage(output.coverage, totals | {"seconds": time.perf_counter() - start})
    log.info("%s", totals)


def read_given(path: Path, schema: pa.Schema, number: str) -> GivenTable:
    """Read a user's table; the column `number` counts the rows of each expression from 0."""
    with reading(path, "Parquet file", FIX):
        given = with_defaults(pq.read_table(path), schema)
    for field in schema:
        if field.name not in given.column_names:
            raise BrokenFile(path, f"has no column {field.name}", FIX)
        try:
            column = given[field.name].cast(field.type)
        except pa.ArrowException as error:
            found = given.schema.field(field.name).type
            raise BrokenFile(path, f"column {field.name}: expected {field.type}, found {found}", FIX) from error
        given = given.set_column(given.column_names.index(field.name), field, column)
    rows: dict[int, list[dict[str, Any]]] = {}
    with reading(path, "Parquet file", FIX):
        given = checked(path, given.select(schema.names), cure=FIX)
    for row in given.sort_by(number).to_pylist():
        rows.setdefault(row["expression_id"], []).append(row)
    for expression_id, own in rows.items():
        if [row[number] for row in own] != list(range(len(own))):
            raise BrokenFile(path, f"expression {expression_id}: column {number} does not count its rows from 0", FIX)
    return GivenTable(path, rows)


def with_defaults(given: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the table with the columns that may be missing: nothing is denied, and a noun is the head."""
    names = set(given.column_names)
    columns: dict[str, list[Any]] = {}
    if "relation" in names:
        columns["negated"] = [False] * len(given)
    if "attributes" in names and pa.types.is_list(given["attributes"].type):
        columns["negated"] = [[False] * len(attributes or ()) for attributes in given["attributes"].to_pylist()]
    if "head" in names and "noun" in schema.names:
        columns["noun"] = [str(head).lower() for head in given["head"].to_pylist()]
    for name, values in columns.items():
        if name not in names:
            given = given.append_column(name, pa.array(values, schema.field(name).type))
    return given


def graph_of(expression_id: int, tokens: list[str], nodes: GivenTable, edges: GivenTable) -> SceneGraph:
    own = nodes.rows.get(expression_id, [])
    for row in own:
        if not 0 <= row["head_token"] < len(tokens):
            problem = f"head_token {row['head_token']} is outside of its {len(tokens)} words"
            raise BrokenFile(nodes.path, f"expression {expression_id}: {problem}", FIX)
    paths = GraphFiles(nodes.path, edges.path, Path())
    return scene_graph(paths, expression_id, tokens, own, edges.rows.get(expression_id, []), FIX)
