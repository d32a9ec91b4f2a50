"""A scene graph as a tree that grows from the referent: the order in which every drawing shows it."""

from dataclasses import dataclass

from parsers.scene_graph import Edge, SceneGraph


@dataclass(frozen=True)
class Place:
    """A node in the tree, under the place `parent` if an edge leads to it from there."""

    node: int
    edge: Edge | None
    parent: int | None
    depth: int


def places(graph: SceneGraph) -> list[Place]:
    """Every edge once and every node, from the referent outwards, then what is not connected with it."""
    links: list[list[int]] = [[] for _ in graph.nodes]
    for index, edge in enumerate(graph.edges):
        links[edge.subject].append(index)
        links[edge.object].append(index)
    objects = {edge.object for edge in graph.edges}
    others = sorted(range(len(graph.nodes)), key=lambda node: (node != graph.referent, node in objects, node))
    found: list[Place] = []
    seen: set[int] = set()
    for root in others:
        # A stack, for a sentence may be longer than Python's calls are deep.
        waiting = [] if root in seen else [Place(root, None, None, 0)]
        while waiting:
            place = waiting.pop()
            seen.add(place.node)
            found.append(place)
            for edge in (graph.edges[index] for index in reversed(links[place.node])):
                other = edge.object if edge.subject == place.node else edge.subject
                if other not in seen:  # a graph is a forest: only the edge that led here leads back
                    waiting.append(Place(other, edge, len(found) - 1, place.depth + 1))
    return found
