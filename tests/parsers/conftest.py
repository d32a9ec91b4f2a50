"""The notation of graphs in the tests of the parsers."""

import pytest

from parsers.scene_graph import SceneGraph


def one_line(graph: SceneGraph) -> str:
    """The graph on one line, the referent with a star."""
    nodes = []
    for index, node in enumerate(graph.nodes):
        attributes = f"({', '.join(node.attributes)})" if node.attributes else ""
        nodes.append(f"{'*' * (index == graph.referent)}{node.head}{attributes}")
    heads = [node.head for node in graph.nodes]
    edges = [f"{heads[edge.subject]} -{edge.relation}-> {heads[edge.object]}" for edge in graph.edges]
    return "; ".join(nodes) + (f" | {', '.join(edges)}" if edges else "")


@pytest.fixture
def form():
    return one_line
