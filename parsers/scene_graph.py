"""A language scene graph: the objects a sentence mentions, their attributes, and how they relate.

Words are kept as written; every node and edge is tied to the token indices it was read from.
Polarity is a field: of "not red" the attribute is "red" and `negated`, of "not wearing" the relation is "wearing".
A graph is a forest: loop-free as an undirected graph, with no two edges between the same two nodes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

MOST_TOKENS = 8_000
"""Longest sentence: parsing time may grow with the square of the tokens."""


@dataclass(frozen=True)
class Node:
    head: str
    head_token: int
    attributes: tuple[str, ...]
    tokens: tuple[int, ...]
    """Indices of the head's and the attributes' words, ascending; those of "not" too."""
    negated: tuple[bool, ...] = ()
    """For each attribute, whether it is denied; empty if none is."""

    noun: str = field(default="", compare=False)
    """The head in lower case and corrected spelling; of "one", "other" and "another", the noun that they stand for."""

    def __post_init__(self) -> None:
        if not self.noun:
            object.__setattr__(self, "noun", self.head.lower())
        if not self.negated:
            object.__setattr__(self, "negated", (False,) * len(self.attributes))
        if len(self.negated) != len(self.attributes):
            raise ValueError(f"{self.head} has {len(self.attributes)} attributes, but {len(self.negated)} polarities")

    @property
    def said(self) -> tuple[str, ...]:
        """Return the attributes as people read them: "not red"."""
        return said(self.attributes, self.negated)


@dataclass(frozen=True)
class Edge:
    subject: int
    relation: str
    object: int
    tokens: tuple[int, ...]
    negated: bool = False
    """Whether the relation is denied; in "without" and "no one", the words say so themselves."""

    @property
    def said(self) -> str:
        """Return the relation as people read it: "not wearing", "without"."""
        return said_relation(self.relation, self.negated, len(self.tokens))


@dataclass(frozen=True)
class SceneGraph:
    tokens: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    referent: int
    """The node the sentence is about: its syntactic head."""
    is_fallback: bool = False
    """Whether no object was found, so that the one node covers the whole sentence."""

    def __post_init__(self) -> None:
        if not self.nodes:
            raise ValueError("a scene graph has at least one node")
        if not 0 <= self.referent < len(self.nodes):
            raise ValueError(f"the referent is node {self.referent}, but there are {len(self.nodes)} nodes")
        parts: tuple[Node | Edge, ...] = (*self.nodes, *self.edges)
        for part in parts:
            if not part.tokens or not all(0 <= index < len(self.tokens) for index in part.tokens):
                raise ValueError(f"{part} points outside the sentence's {len(self.tokens)} tokens")
        loop = first_loop(len(self.nodes), [(edge.subject, edge.object) for edge in self.edges])
        if loop is not None:
            raise ValueError(f"{self.edges[loop]} closes a loop")

    def joined(self, edge: int) -> list[int]:
        """Return the edges that are one relation with this one: "between X and Y" has two objects, and the same words.

        Both join the subject, so they close no loop.
        """
        one = self.edges[edge]
        if one.relation.lower().rpartition(" ")[2] != "between":
            return [edge]
        same = [(other.subject, other.tokens) == (one.subject, one.tokens) for other in self.edges]
        return [index for index, is_same in enumerate(same) if is_same]

    def __str__(self) -> str:
        lines = []
        for index, node in enumerate(self.nodes):
            mark = "*" if index == self.referent else " "
            attributes = f"  ({', '.join(node.said)})" if node.attributes else ""
            lines.append(f"{mark} {index} {node.head}{attributes}")
        for edge in self.edges:
            lines.append(f"  {edge.subject} --{edge.said}--> {edge.object}")
        return "\n".join(lines)


def said(attributes: Sequence[str], negated: Sequence[bool]) -> tuple[str, ...]:
    return tuple(f"not {one}" if denied else one for one, denied in zip(attributes, negated, strict=True))


def said_relation(relation: str, negated: bool, tokens: int) -> str:
    """Return the words of a relation of so many tokens, with "not" unless the words deny by themselves."""
    return f"not {relation}" if negated and tokens > len(relation.split()) else relation


Backend = Callable[[Sequence[Sequence[str]]], list[SceneGraph]]
"""A loaded parser: it parses tokenised sentences, each independently of the others."""


def first_loop(node_count: int, edges: Sequence[tuple[int, int]]) -> int | None:
    """Return the index of the first edge that closes a loop, or None for a forest. Raise on an unknown node."""
    parent = list(range(node_count))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    for index, (subject, object_) in enumerate(edges):
        if not (0 <= subject < node_count and 0 <= object_ < node_count):
            raise ValueError(f"edge ({subject}, {object_}) names a node that is not among the {node_count}")
        if root(subject) == root(object_):
            return index
        parent[root(subject)] = root(object_)
    return None
