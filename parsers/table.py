"""Parquet tables with a checked schema, and the two that hold scene graphs.

`nodes.parquet`, one row a node: expression_id int64, node int16 (0 onwards in its expression), head string,
head_token int16, attributes list<string>, tokens list<int16>, is_referent bool.
`edges.parquet`, one row an edge: expression_id int64, edge int16, subject int16, relation string, object int16,
tokens list<int16>.
Rows are in the order of the expressions. Token indices point into the `tokens` of `expressions.parquet`.
Every table carries its format version and what made it in the Parquet metadata (`jvgn.*` keys).
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from parsers.files import BrokenFile, replacing
from parsers.scene_graph import SceneGraph

FORMAT = "1"

NODES = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("node", pa.int16()),
        ("head", pa.string()),
        ("head_token", pa.int16()),
        ("attributes", pa.list_(pa.string())),
        ("tokens", pa.list_(pa.int16())),
        ("is_referent", pa.bool_()),
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
    ]
)


def write_table(
    path: Path | str, columns: pa.Table | Mapping[str, Sequence[object]], schema: pa.Schema, **made_by: str
) -> None:
    """`path` holds the columns in the schema's order and types; `made_by` goes into its metadata."""
    metadata = {"jvgn.format": FORMAT} | {f"jvgn.{key}": value for key, value in made_by.items()}
    table = columns.cast(schema) if isinstance(columns, pa.Table) else pa.table(dict(columns), schema=schema)
    with replacing(path) as temporary:
        pq.write_table(table.replace_schema_metadata(metadata), temporary)


def read_table(path: Path | str, schema: pa.Schema) -> pa.Table:
    """The table at `path`, after a check that it is whole, of our format version and has the schema's columns."""
    path = Path(path)
    if not path.exists():
        raise BrokenFile(path, "there is no such file", "make it with the workflow")
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise BrokenFile(path, f"not a readable Parquet file ({str(error).splitlines()[0]})") from error
    found = made_by(table).get("format")
    if found != FORMAT:
        raise BrokenFile(path, f"expected format version {FORMAT}, found {found or 'none'}")
    for field in schema:
        if field.name not in table.column_names or table.schema.field(field.name).type != field.type:
            raise BrokenFile(path, f"expected a column {field.name} of type {field.type}")
    return table.select(schema.names)


def made_by(table: pa.Table) -> dict[str, str]:
    metadata = table.schema.metadata or {}
    return {key.decode()[5:]: value.decode() for key, value in metadata.items() if key.startswith(b"jvgn.")}


def graph_rows(expression_ids: Iterable[int], graphs: Iterable[SceneGraph]) -> tuple[pa.Table, pa.Table]:
    """The graphs as the nodes table and the edges table."""
    nodes: dict[str, list[object]] = {name: [] for name in NODES.names}
    edges: dict[str, list[object]] = {name: [] for name in EDGES.names}
    for expression_id, graph in zip(expression_ids, graphs, strict=True):
        for index, node in enumerate(graph.nodes):
            is_referent = index == graph.referent
            values = (expression_id, index, node.head, node.head_token, node.attributes, node.tokens, is_referent)
            for name, value in zip(NODES.names, values, strict=True):
                nodes[name].append(value)
        for index, edge in enumerate(graph.edges):
            relation = (expression_id, index, edge.subject, edge.relation, edge.object, edge.tokens)
            for name, value in zip(EDGES.names, relation, strict=True):
                edges[name].append(value)
    return pa.table(nodes, schema=NODES), pa.table(edges, schema=EDGES)


def write_graphs(
    nodes_path: Path, edges_path: Path, expression_ids: Iterable[int], graphs: Iterable[SceneGraph], **made_by: str
) -> None:
    nodes, edges = graph_rows(expression_ids, graphs)
    write_table(nodes_path, nodes, NODES, **made_by)
    write_table(edges_path, edges, EDGES, **made_by)
