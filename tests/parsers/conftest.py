"""The notations of graphs and of dependency trees in the tests of the parsers."""

import pytest

from parsers.scene_graph import SceneGraph
from parsers.trees.dependencies import Tree, TreeWord


def one_line(graph: SceneGraph) -> str:
    """The graph on one line, the referent with a star, what is denied with an exclamation mark."""
    nodes = []
    for index, node in enumerate(graph.nodes):
        said = ["!" * negated + one for one, negated in zip(node.attributes, node.negated, strict=True)]
        attributes = f"({', '.join(said)})" if said else ""
        nodes.append(f"{'*' * (index == graph.referent)}{node.head}{attributes}")
    heads = [node.head for node in graph.nodes]
    edges = [
        f"{heads[edge.subject]} -{'!' * edge.negated}{edge.relation}-> {heads[edge.object]}" for edge in graph.edges
    ]
    return "; ".join(nodes) + (f" | {', '.join(edges)}" if edges else "")


@pytest.fixture
def form():
    return one_line


def tree_of_notation(text: str) -> Tree:
    """Words as text/UPOS/head/relation; heads count from 0, and -1 is the root: "tall/ADJ/1/amod man/NOUN/-1/root"."""
    words = (entry.rsplit("/", 3) for entry in text.split())
    return Tree(tuple(TreeWord(word, upos, int(head), deprel) for word, upos, head, deprel in words))


@pytest.fixture(scope="session")
def read_tree():
    return tree_of_notation
