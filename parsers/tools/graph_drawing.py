"""A scene graph as a tree from the referent, and as text.

* watch (gold)                    the referent and its attributes
  ├─ 's ← man                     the man's watch: an arrow to the left has its subject on the right
  └─ on → table (small, round)    the watch is on the table
"""

from dataclasses import dataclass

from parsers.guarantees import left_out
from parsers.scene_graph import Edge, SceneGraph


def drawn(graph: SceneGraph) -> list[str]:
    """Return a line for each node."""
    tree = places(graph)
    last_under = {place.parent: index for index, place in enumerate(tree)}
    lines: list[str] = []
    indents: list[str] = []
    for index, place in enumerate(tree):
        if place.edge is None or place.parent is None:
            mark, indent = ("* " if place.node == graph.referent else "  "), "  "
        else:
            is_last = last_under[place.parent] == index
            arrow = "→" if place.edge.object == place.node else "←"
            mark = f"{indents[place.parent]}{'└─' if is_last else '├─'} {place.edge.said} {arrow} "
            indent = indents[place.parent] + ("   " if is_last else "│  ")
        indents.append(indent)
        lines.append(mark + described(graph, place.node))
    return lines


def described(graph: SceneGraph, node: int) -> str:
    attributes = graph.nodes[node].said
    return graph.nodes[node].head + (f" ({', '.join(attributes)})" if attributes else "")


def remarks(graph: SceneGraph) -> list[str]:
    """Return notes about the graph that the drawing does not show."""
    found = []
    if graph.is_fallback:
        found.append("no phrase was found: the node covers the whole sentence")
    words = [graph.tokens[index] for index in left_out(graph)]
    if words:
        found.append(f"left out: {', '.join(words)}")
    return found


@dataclass(frozen=True)
class TreeNode:
    """A node of the graph in the tree; `edge` leads to it from the tree node with the index `parent`."""

    node: int
    edge: Edge | None
    parent: int | None
    depth: int


def places(graph: SceneGraph) -> list[TreeNode]:
    """Return every node, and every edge once, from the referent outwards, then the parts not connected with it."""
    links: list[list[int]] = [[] for _ in graph.nodes]
    for index, edge in enumerate(graph.edges):
        links[edge.subject].append(index)
        links[edge.object].append(index)
    objects = {edge.object for edge in graph.edges}
    others = sorted(range(len(graph.nodes)), key=lambda node: (node != graph.referent, node in objects, node))
    found: list[TreeNode] = []
    seen: set[int] = set()
    for root in others:
        # Use a stack: a long sentence would exceed Python's recursion limit.
        waiting = [] if root in seen else [TreeNode(root, None, None, 0)]
        while waiting:
            place = waiting.pop()
            seen.add(place.node)
            found.append(place)
            for edge in (graph.edges[index] for index in reversed(links[place.node])):
                other = edge.object if edge.subject == place.node else edge.subject
                if other not in seen:  # a graph is a forest: only the edge that led here leads back
                    waiting.append(TreeNode(other, edge, len(found) - 1, place.depth + 1))
    return found
