"""The two tables that hold scene graphs.

`nodes.parquet`, one row a node: expression_id int64, node int16 (0 onwards in its expression), head string,
head_token int16, attributes list<string>, tokens list<int16>, is_referent bool.
`edges.parquet`, one row an edge: expression_id int64, edge int16, subject int16, relation string, object int16,
tokens list<int16>.
Rows are in the order of the expressions. Token indices point into the `tokens` of `expressions.parquet`.
"""

from collections.abc import Iterable

import pyarrow as pa

from parsers.scene_graph import SceneGraph

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
