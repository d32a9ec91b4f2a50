"""A scene graph drawn as text: a tree that grows from the referent.

* watch (gold)                    the referent, and what is said of it
  ├─ 's ← man                     the man's watch: an arrow to the left has its subject on the right
  └─ on → table (small, round)    the watch is on the table
"""

from parsers.guarantees import left_out
from parsers.scene_graph import SceneGraph
from parsers.tools.places import places


def drawn(graph: SceneGraph) -> list[str]:
    """A line for each node."""
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
            mark = f"{indents[place.parent]}{'└─' if is_last else '├─'} {place.edge.relation} {arrow} "
            indent = indents[place.parent] + ("   " if is_last else "│  ")
        indents.append(indent)
        lines.append(mark + described(graph, place.node))
    return lines


def described(graph: SceneGraph, node: int) -> str:
    attributes = graph.nodes[node].attributes
    return graph.nodes[node].head + (f" ({', '.join(attributes)})" if attributes else "")


def remarks(graph: SceneGraph) -> list[str]:
    """What a reader of the drawing should know besides."""
    found = []
    if graph.is_fallback:
        found.append("no phrase was found: the node stands for the sentence")
    words = [graph.tokens[index] for index in left_out(graph)]
    if words:
        found.append(f"left out: {', '.join(words)}")
    return found
