"""Guarantees of every graph, for any sentence: at least one node, no parallel edges, no loop.

A loop is cut by dropping the edge whose last word is furthest right.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from parsers.scene_graph import Edge, Node, SceneGraph, first_loop
from parsers.words.lexicon import Tag, is_content_word, tag_of, words
from parsers.words.negation import NO, is_nobody
from parsers.words.spelling import respelled


def guaranteed(tokens: Sequence[str], nodes: Sequence[Node], edges: Iterable[Edge], referent: int) -> SceneGraph:
    """Return the graph of the nodes, in the order of their heads, and of the edges that close no loop."""
    tokens = tuple(tokens) or ("",)
    if not nodes:
        return SceneGraph(tokens, (fallback(tokens),), (), 0, is_fallback=True)
    order = sorted(range(len(nodes)), key=lambda index: (nodes[index].head_token, nodes[index].tokens))
    place = {old: new for new, old in enumerate(order)}
    moved = [Edge(place[edge.subject], edge.relation, place[edge.object], edge.tokens, edge.negated) for edge in edges]
    sorted_nodes = [nodes[index] for index in order]
    kept = cut_loops(len(nodes), merge_parallel(moved))
    if any(NO in map(str.lower, node.attributes) or is_nobody(node.head) for node in nodes):
        kept, sorted_nodes = denied(tokens, sorted_nodes, kept)
    found = tuple(with_noun(sorted_nodes, kept, index) for index in range(len(sorted_nodes)))
    return SceneGraph(tokens, found, tuple(kept), place[referent])


def denied(tokens: Sequence[str], nodes: Sequence[Node], edges: Sequence[Edge]) -> tuple[list[Edge], list[Node]]:
    """Return the edges and nodes, with "no" told by the edges of its node."""
    related = {end for edge in edges for end in (edge.subject, edge.object)}
    named = [without_no(tokens, node) if index in related else node for index, node in enumerate(nodes)]
    return [deny(tokens, nodes, edge) for edge in edges], named


def with_noun(nodes: Sequence[Node], edges: Sequence[Edge], index: int) -> Node:
    """Return the node with its noun, which is often its head."""
    node = nodes[index]
    noun = noun_of(nodes, edges, index)
    return node if noun == node.noun else replace(node, noun=noun)


def noun_of(nodes: Sequence[Node], edges: Sequence[Edge], index: int) -> str:
    """Return the noun of a node; "one" repeats that of the node it is related to, or of the one before it."""
    seen = {index}
    while (head := nodes[index].head.lower()) in words("placeholders"):
        ends = [(edge.subject, edge.object) for edge in edges if index in (edge.subject, edge.object)]
        linked = sorted(one + other - index for one, other in ends)
        following = next((node for node in (*linked, *range(index - 1, -1, -1)) if node not in seen), None)
        if following is None:
            break
        seen.add(following)
        index = following
    return " ".join(respelled(word) for word in head.split())


def deny(tokens: Sequence[str], nodes: Sequence[Node], edge: Edge) -> Edge:
    """Return the edge, denied if an end is "nobody" or "no hat"; "no" becomes a word of the edge."""
    ends = nodes[edge.subject], nodes[edge.object]
    said = [
        word
        for node in ends
        if NO in map(str.lower, node.attributes)
        for word in node.tokens
        if tokens[word].lower() == NO
    ]
    if not said and not any(is_nobody(node.head) for node in ends):
        return edge
    return replace(edge, tokens=tuple(sorted({*edge.tokens, *said})), negated=True)


def without_no(tokens: Sequence[str], node: Node) -> Node:
    """Return the node without the attribute "no", which is said by its edges."""
    if NO not in map(str.lower, node.attributes):
        return node
    kept = [one for one in zip(node.attributes, node.negated, strict=True) if one[0].lower() != NO]
    used = tuple(index for index in node.tokens if tokens[index].lower() != NO)
    return Node(node.head, node.head_token, tuple(one for one, _ in kept), used, tuple(denied for _, denied in kept))


def fallback(tokens: Sequence[str]) -> Node:
    """Return one node for a sentence without a phrase: its last noun, otherwise the whole sentence."""
    nouns = [index for index, token in enumerate(tokens) if tag_of(token.lower()) in (Tag.NOUN, Tag.PLURAL)]
    if nouns:
        return Node(tokens[nouns[-1]], nouns[-1], (), (nouns[-1],))
    return Node(" ".join(tokens), len(tokens) - 1, (), tuple(range(len(tokens))))


def merge_parallel(edges: Iterable[Edge]) -> list[Edge]:
    """Merge edges between the same nodes into the leftmost, with all their words; drop self-loops."""
    merged: dict[frozenset[int], Edge] = {}
    for edge in sorted(edges, key=sorting_key):
        ends = frozenset((edge.subject, edge.object))
        if len(ends) == 1:
            continue
        first = merged.get(ends)
        if first is None:
            merged[ends] = edge
        elif not set(edge.tokens) <= set(first.tokens):
            united = tuple(sorted({*first.tokens, *edge.tokens}))
            relation = f"{first.relation} {edge.relation}"
            merged[ends] = Edge(first.subject, relation, first.object, united, first.negated or edge.negated)
    return list(merged.values())


def cut_loops(node_count: int, edges: Iterable[Edge]) -> list[Edge]:
    ordered = sorted(edges, key=sorting_key)
    if first_loop(node_count, [(edge.subject, edge.object) for edge in ordered]) is None:
        return ordered  # nearly always
    kept: list[Edge] = []
    for edge in ordered:
        ends = [(other.subject, other.object) for other in (*kept, edge)]
        if first_loop(node_count, ends) is None:
            kept.append(edge)
    return kept


def sorting_key(edge: Edge) -> tuple[int, tuple[int, ...], int, int]:
    return edge.tokens[-1], edge.tokens, edge.subject, edge.object


def left_out(graph: SceneGraph) -> list[int]:
    """Return the indices of the content words in no node and no edge."""
    used = {index for node in graph.nodes for index in node.tokens}
    used |= {index for edge in graph.edges for index in edge.tokens}
    return [index for index, token in enumerate(graph.tokens) if index not in used and is_content_word(token)]
