"""How much of the sentences the graphs hold: `coverage.json`.

Counts: expressions; sentences_parsed (identical sentences are parsed once a shard); fallbacks (sentences in which no
phrase was found); nodes; edges; in_pieces (graphs that are not connected); referent_is_object (graphs whose referent is
the object of an edge, so that the syntactic head is not the node of in-degree zero); content_words; words_left_out
(content words in no node and no edge); words_left_out_percent; seconds (of all shards together).
"""

import json
from collections.abc import Iterable
from pathlib import Path

from jvgn.storage.files import reading, write_text
from jvgn.storage.text_formats import check_counts
from parsers.guarantees import left_out
from parsers.scene_graph import SceneGraph
from parsers.words.lexicon import is_content_word

COUNTED = ("fallbacks", "nodes", "edges", "in_pieces", "referent_is_object", "content_words", "words_left_out")
"""Counts of a single graph."""

SUMMED = ("expressions", "sentences_parsed", *COUNTED, "seconds")
"""Counts that are added over shards."""


def counts(graph: SceneGraph) -> tuple[int, ...]:
    """Return the numbers that `COUNTED` names."""
    return (
        graph.is_fallback,
        len(graph.nodes),
        len(graph.edges),
        len(graph.nodes) - len(graph.edges) > 1,  # a forest has as many trees as nodes minus edges
        any(edge.object == graph.referent for edge in graph.edges),
        sum(map(is_content_word, graph.tokens)),
        len(left_out(graph)),
    )


def write_coverage(path: Path, sums: dict[str, float]) -> None:
    percent = 100 * sums["words_left_out"] / max(sums["content_words"], 1)
    write_text(path, json.dumps({**sums, "words_left_out_percent": percent}, indent=2) + "\n")


def merge_coverage(paths: Iterable[Path], output: Path) -> None:
    """Write the sums of the shards' coverage."""
    sums = dict.fromkeys(SUMMED, 0.0)
    for path in paths:
        with reading(path, "coverage.json"):
            shard = json.loads(path.read_bytes())
            check_counts(shard, SUMMED)
        sums = {name: sums[name] + shard[name] for name in SUMMED}
    write_coverage(output, {name: value if name == "seconds" else int(value) for name, value in sums.items()})
