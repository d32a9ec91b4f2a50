"""Differences between two parsers: how often they disagree and on what, with examples side by side."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tqdm import tqdm

from parsers.parser import Parser
from parsers.scene_graph import SceneGraph
from parsers.tools.graph_drawing import drawn
from parsers.tools.sentences import Tokens

CHUNK = 500
"""Sentences that are parsed at a time."""

KINDS = ("the same graph", "another referent", "other nodes", "other edges")


def differences(one: SceneGraph, other: SceneGraph) -> tuple[str, ...]:
    """Return the `KINDS` of differences; nodes and edges are equal if their words are, in any order."""
    found = []
    if referent_of(one) != referent_of(other):
        found.append(KINDS[1])
    if nodes_of(one) != nodes_of(other):
        found.append(KINDS[2])
    if edges_of(one) != edges_of(other):
        found.append(KINDS[3])
    return tuple(found) or KINDS[:1]


def referent_of(graph: SceneGraph) -> int:
    return graph.nodes[graph.referent].head_token


def nodes_of(graph: SceneGraph) -> Counter[tuple[object, ...]]:
    return Counter((node.head_token, node.head, frozenset(node.attributes)) for node in graph.nodes)


def edges_of(graph: SceneGraph) -> Counter[tuple[object, ...]]:
    heads = [node.head_token for node in graph.nodes]
    return Counter((heads[edge.subject], edge.relation, heads[edge.object]) for edge in graph.edges)


def compare(parsers: tuple[Parser, Parser], sentences: Sequence[Tokens], examples: int) -> Iterator[str]:
    """Yield the lines of a report: counts, then up to `examples` of each kind of difference."""
    counts: Counter[str] = Counter()
    shown: dict[str, list[tuple[SceneGraph, SceneGraph]]] = {kind: [] for kind in KINDS[1:]}
    for pair in graph_pairs(parsers, sentences):
        found = differences(*pair)
        counts.update(found)
        # Show an example once, under the first kind that needs one.
        room = next((kind for kind in found if len(shown.get(kind, ())) < examples and kind in shown), None)
        if room is not None:
            shown[room].append(pair)
    yield f"{len(sentences):,} distinct sentences, read by {parsers[0]} and {parsers[1]}"
    for kind in KINDS:
        yield f"  {kind:17} {counts[kind]:8,}  {100 * counts[kind] / len(sentences):5.1f}%"
    for kind, pairs in shown.items():
        for one, other in pairs:
            yield ""
            yield f"{kind}: {' '.join(one.tokens)}"
            yield from side_by_side(titled(str(parsers[0]), one), titled(str(parsers[1]), other))


def graph_pairs(parsers: tuple[Parser, Parser], sentences: Sequence[Tokens]) -> Iterator[tuple[SceneGraph, SceneGraph]]:
    one, other = (parser.load() for parser in parsers)
    with tqdm(total=len(sentences), unit="sentence", disable=None) as progress:
        for start in range(0, len(sentences), CHUNK):
            chunk = sentences[start : start + CHUNK]
            yield from zip(one(chunk), other(chunk), strict=True)
            progress.update(len(chunk))


def titled(name: str, graph: SceneGraph) -> list[str]:
    return [name, "─" * len(name), *drawn(graph)]


def side_by_side(left: Sequence[str], right: Sequence[str]) -> Iterator[str]:
    width = max(map(len, left), default=0)
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"  {one:{width}}    {other}".rstrip()
