"""Two graphs of one sentence -> one: the lexical parser's, but for what the tree speaks against.

Who wears or holds what, the lexical parser knows. What a thing is "with" or "of" it gets wrong more often than right
where the tree ties the two to something else, and so what it says of a word that is no noun of the tree: no edge is
better there. Its other edges, and all of its nodes, stay.
"""

from dataclasses import replace

from parsers.scene_graph import Edge, SceneGraph

HAVING = frozenset({"with", "of", "has", "have", "having", "'s", "’s", "whose"})
"""What relates a thing to what it has."""


def agreed(lexical: SceneGraph, tree: SceneGraph) -> SceneGraph:
    """The graph `lexical` without the edges that the graph `tree` speaks against: none, if nothing was found in it."""
    if tree.is_fallback:
        return lexical
    place = {node.head_token: index for index, node in enumerate(tree.nodes)}
    tied = {frozenset((edge.subject, edge.object)) for edge in tree.edges}

    def is_denied(edge: Edge) -> bool:
        ends = [place.get(lexical.nodes[index].head_token) for index in (edge.subject, edge.object)]
        is_having = edge.relation.lower().partition(" ")[0] in HAVING
        return None in ends or (is_having and frozenset(ends) not in tied)

    return replace(lexical, edges=tuple(edge for edge in lexical.edges if not is_denied(edge)))
