"""Guarantees of every graph, for any sentence: at least one node, no parallel edges, no loop.

A loop is cut by dropping the edge whose last word is furthest right.
"""

from collections.abc import Iterable, Sequence

from parsers.scene_graph import Edge, Node, SceneGraph, first_loop
from parsers.words.lexicon import Tag, is_content_word, tag_of


def guaranteed(tokens: Sequence[str], nodes: Sequence[Node], edges: Iterable[Edge], referent: int) -> SceneGraph:
    """Return the graph of the nodes, in the order of their heads, and of the edges that close no loop."""
    tokens = tuple(tokens) or ("",)
    if not nodes:
        return SceneGraph(tokens, (fallback(tokens),), (), 0, is_fallback=True)
    order = sorted(range(len(nodes)), key=lambda index: (nodes[index].head_token, nodes[index].tokens))
    place = {old: new for new, old in enumerate(order)}
    moved = [Edge(place[edge.subject], edge.relation, place[edge.object], edge.tokens) for edge in edges]
    kept = cut_loops(len(nodes), merge_parallel(moved))
    return SceneGraph(tokens, tuple(nodes[index] for index in order), tuple(kept), place[referent])


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
            merged[ends] = Edge(first.subject, relation, first.object, united)
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
