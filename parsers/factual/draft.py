"""A scene graph that conventions rewrite in place; `finished` makes it a scene graph again."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from parsers.guarantees import guaranteed
from parsers.scene_graph import Edge, Node, SceneGraph
from parsers.words.lexicon import is_listed

LONG = 14
"""From this many words, FACTUAL's graphs keep places, and relate people to all their clothes by "wear"."""


@dataclass
class Draft:
    tokens: tuple[str, ...]
    nodes: list[Node]
    edges: list[Edge]
    referent: int
    is_fallback: bool
    lowered: list[str]
    """The words in lower case, with their spelling corrected."""
    dropped: set[int] = field(default_factory=set)
    """Nodes that `finished` leaves out, with their edges."""

    @classmethod
    def of(cls, graph: SceneGraph) -> "Draft":
        """Return a draft of the graph, in which each attribute of a node occurs once; "not" is a word of it."""
        lowered = [token.lower() for token in graph.tokens]
        nodes = [Node(node.head, node.head_token, tuple(dict.fromkeys(node.said)), node.tokens) for node in graph.nodes]
        return cls(graph.tokens, nodes, list(graph.edges), graph.referent, graph.is_fallback, lowered)

    def finished(self) -> SceneGraph:
        kept = [index for index in range(len(self.nodes)) if index not in self.dropped or index == self.referent]
        place = {old: new for new, old in enumerate(kept)}
        edges = [
            replace(edge, subject=place[edge.subject], object=place[edge.object])
            for edge in self.edges
            if edge.subject in place and edge.object in place
        ]
        graph = guaranteed(self.tokens, [self.nodes[index] for index in kept], edges, place[self.referent])
        return replace(graph, is_fallback=self.is_fallback)

    def lower(self, index: int) -> str:
        """Return the word at a token index; outside the sentence, an empty string."""
        return self.lowered[index] if 0 <= index < len(self.lowered) else ""

    def is_a(self, index: int, name: str) -> bool:
        """Return whether the last word of a node's head is in the list `name`."""
        return is_listed(self.nodes[index].head.rpartition(" ")[2], name)

    def head_start(self, node: Node) -> int:
        return node.head_token - len(node.head.split()) + 1

    def place_of(self, node: Node, word: str) -> int:
        """Return the token index of an attribute's last word; the head's if it is not found."""
        last = word.lower().rpartition(" ")[2]
        return next((index for index in node.tokens if self.lower(index) == last), node.head_token)

    def main_subject(self, index: int) -> int:
        """Return the node at the start of the chain of relations that leads to this one."""
        heads = [node.head_token for node in self.nodes]
        before = {edge.object: edge.subject for edge in self.edges if heads[edge.subject] < heads[edge.object]}
        while index in before:
            index = before[index]
        return index

    def change_node(self, index: int, **changes: object) -> None:
        self.nodes[index] = replace(self.nodes[index], **changes, negated=())  # type: ignore[arg-type]

    def add_attribute(self, index: int, attribute: str) -> None:
        self.change_node(index, attributes=(*self.nodes[index].attributes, attribute))

    def remove_attribute(self, index: int, attribute: str) -> None:
        attributes = self.nodes[index].attributes
        self.change_node(index, attributes=tuple(other for other in attributes if other != attribute))

    def merge(self, index: int, other: int) -> None:
        """Move the attributes and edges of one node to another, and drop the first."""
        attributes = tuple(dict.fromkeys((*self.nodes[other].attributes, *self.nodes[index].attributes)))
        self.change_node(other, attributes=attributes)
        self.edges = [
            replace(
                edge,
                subject=other if edge.subject == index else edge.subject,
                object=other if edge.object == index else edge.object,
            )
            for edge in self.edges
        ]
        self.referent = other if self.referent == index else self.referent
        self.dropped.add(index)

    def add_node(self, head: str, token: int, attributes: tuple[str, ...] = ()) -> int:
        self.nodes.append(Node(head, token, attributes, (token,)))
        return len(self.nodes) - 1

    def add_edge(self, subject: int, relation: str, object_: int, token: int) -> None:
        self.edges.append(Edge(subject, relation, object_, (token,)))

    def attributes(self) -> Iterator[tuple[int, Node, str]]:
        """Return every attribute with its node, as they are before the caller changes any."""
        return iter([(index, node, word) for index, node in enumerate(self.nodes) for word in node.attributes])
