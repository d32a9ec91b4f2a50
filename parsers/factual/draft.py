"""A scene graph that is being rewritten: nodes and edges in lists, which `finished` makes a graph again."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from parsers.guarantees import guaranteed
from parsers.scene_graph import Edge, Node, SceneGraph
from parsers.words.lexicon import is_listed
from parsers.words.tokens import quotations_in

LONG = 14
"""So many words make a caption that FACTUAL's annotators write out: they put "have" for "with", and keep places."""


@dataclass
class Draft:
    tokens: tuple[str, ...]
    nodes: list[Node]
    edges: list[Edge]
    referent: int
    is_fallback: bool
    lowered: list[str]
    """The words in lower case, as they are looked up."""
    dropped: set[int] = field(default_factory=set)
    """Nodes that are left out when the draft is finished, with their edges."""
    cut: set[int] = field(default_factory=set)
    """Edges that are left out when the draft is finished."""

    @classmethod
    def of(cls, graph: SceneGraph) -> "Draft":
        """What conjuncts share may be said of one node many times; a set of tuples has it once."""
        lowered = [token.lower() for token in graph.tokens]
        nodes = [replace(node, attributes=tuple(dict.fromkeys(node.attributes))) for node in graph.nodes]
        return cls(graph.tokens, nodes, list(graph.edges), graph.referent, graph.is_fallback, lowered)

    def finished(self) -> SceneGraph:
        kept = [index for index in range(len(self.nodes)) if index not in self.dropped or index == self.referent]
        place = {old: new for new, old in enumerate(kept)}
        edges = [
            replace(edge, subject=place[edge.subject], object=place[edge.object])
            for index, edge in enumerate(self.edges)
            if index not in self.cut and edge.subject in place and edge.object in place
        ]
        graph = guaranteed(self.tokens, [self.nodes[index] for index in kept], edges, place[self.referent])
        return replace(graph, is_fallback=self.is_fallback)

    def lower(self, index: int) -> str:
        """The word at a place in the sentence; beyond its ends, nothing."""
        return self.lowered[index] if 0 <= index < len(self.lowered) else ""

    def is_quoted(self, first: int, text: str) -> bool:
        """Whether the text that opens at this place is what the sentence quotes."""
        places = tuple(range(first, first + len(text.split())))
        return any(quotation.inside == places for quotation in quotations_in(self.lowered))

    def is_a(self, index: int, name: str) -> bool:
        """Whether the last word of a node's head is in the list `name`."""
        return is_listed(self.nodes[index].head.rpartition(" ")[2], name)

    def head_start(self, node: Node) -> int:
        return node.head_token - len(node.head.split()) + 1

    def place_of(self, node: Node, word: str) -> int:
        """Where an attribute's last word stands; the head's place if it is not found."""
        last = word.lower().rpartition(" ")[2]
        return next((index for index in node.tokens if self.lower(index) == last), node.head_token)

    def main_subject(self, index: int) -> int:
        """The node at the start of the chain of relations that leads to this one."""
        heads = [node.head_token for node in self.nodes]
        before = {edge.object: edge.subject for edge in self.edges if heads[edge.subject] < heads[edge.object]}
        while index in before:
            index = before[index]
        return index

    def change_node(self, index: int, **changes: object) -> None:
        self.nodes[index] = replace(self.nodes[index], **changes)  # type: ignore[arg-type]

    def say(self, index: int, attribute: str) -> None:
        self.change_node(index, attributes=(*self.nodes[index].attributes, attribute))

    def without(self, index: int, attribute: str) -> None:
        attributes = self.nodes[index].attributes
        self.change_node(index, attributes=tuple(other for other in attributes if other != attribute))

    def merge(self, index: int, other: int) -> None:
        """All that is said of one node is said of another; the first is left out."""
        said = tuple(dict.fromkeys((*self.nodes[other].attributes, *self.nodes[index].attributes)))
        self.change_node(other, attributes=said)
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
        """Every attribute with its node, as they are at the start."""
        return iter([(index, node, word) for index, node in enumerate(self.nodes) for word in node.attributes])
