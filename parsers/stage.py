"""The stage that parses a dataset: `expressions.parquet` -> `nodes.parquet`, `edges.parquet`, `coverage.json`.

`coverage.json` counts expressions, distinct_sentences, fallbacks (sentences in which no phrase was found), nodes,
edges, referent_is_object (graphs whose referent is not the subject of all its edges, where the syntactic head and the
node of in-degree zero part ways), content_words, words_left_out (content words in no node and no edge),
words_left_out_percent, and the seconds it took.
"""

import json
import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa
from tqdm import tqdm

from parsers.files import BrokenFile, replacing, sha256
from parsers.lexicon import is_content_word
from parsers.options import Parser
from parsers.scene_graph import SceneGraph
from parsers.table import read_table, write_graphs

EXPRESSIONS = pa.schema([("expression_id", pa.int64()), ("tokens", pa.list_(pa.string()))])
"""The columns of `expressions.parquet` that are read here."""

CHUNK = 500
"""Sentences handed to a process at a time."""

log = logging.getLogger(__name__)

Tokens = tuple[str, ...]


def parse_expressions(
    expressions_path: Path, nodes_path: Path, edges_path: Path, coverage_path: Path, parser: Parser, threads: int
) -> None:
    start = time.perf_counter()
    parser.load()
    expression_ids, sentences = read_sentences(expressions_path)
    distinct = list(dict.fromkeys(sentences))
    parsed = dict(zip(distinct, parse_distinct(distinct, parser, threads), strict=True))
    graphs = [parsed[tokens] for tokens in sentences]
    made_by = {"backend": str(parser), "expressions": sha256(expressions_path)}
    write_graphs(nodes_path, edges_path, expression_ids, graphs, **made_by)
    counts = coverage(graphs) | {"distinct_sentences": len(distinct), "seconds": time.perf_counter() - start}
    with replacing(coverage_path) as temporary:
        temporary.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf8")
    log.info("%s", counts)


def read_sentences(path: Path) -> tuple[list[int], list[Tokens]]:
    table = read_table(path, EXPRESSIONS)
    expression_ids = table["expression_id"].to_pylist()
    sentences = [tuple(tokens or ()) for tokens in table["tokens"].to_pylist()]
    if () in sentences:
        raise BrokenFile(path, f"expression {expression_ids[sentences.index(())]} has no tokens")
    return expression_ids, sentences


def parse_distinct(sentences: Sequence[Tokens], parser: Parser, threads: int) -> Iterator[SceneGraph]:
    """The graphs in the order of the sentences, read by `threads` processes if there are enough sentences."""
    chunks = [(parser, sentences[start : start + CHUNK]) for start in range(0, len(sentences), CHUNK)]
    with tqdm(total=len(sentences), unit="sentence", disable=None) as progress:
        for graphs in parse_chunks(chunks, min(threads, len(chunks))):
            progress.update(len(graphs))
            yield from graphs


def parse_chunks(chunks: Sequence[tuple[Parser, Sequence[Tokens]]], processes: int) -> Iterator[list[SceneGraph]]:
    if processes > 1:
        with get_context("spawn").Pool(processes) as pool:  # Arrow's threads do not survive a fork
            yield from pool.imap(parse_chunk, chunks)
    else:
        yield from map(parse_chunk, chunks)


def parse_chunk(chunk: tuple[Parser, Sequence[Tokens]]) -> list[SceneGraph]:
    parser, sentences = chunk
    return parser.load()(sentences)


def coverage(graphs: Iterable[SceneGraph]) -> dict[str, float]:
    graphs = list(graphs)
    content = sum(sum(map(is_content_word, graph.tokens)) for graph in graphs)
    missing = sum(len(left_out(graph)) for graph in graphs)
    return {
        "expressions": len(graphs),
        "fallbacks": sum(graph.is_fallback for graph in graphs),
        "nodes": sum(len(graph.nodes) for graph in graphs),
        "edges": sum(len(graph.edges) for graph in graphs),
        "referent_is_object": sum(any(edge.object == graph.referent for edge in graph.edges) for graph in graphs),
        "content_words": content,
        "words_left_out": missing,
        "words_left_out_percent": 100 * missing / max(content, 1),
    }


def left_out(graph: SceneGraph) -> list[int]:
    """The indices of the content words in no node and no edge."""
    used = {index for node in graph.nodes for index in node.tokens}
    used |= {index for edge in graph.edges for index in edge.tokens}
    return [index for index, token in enumerate(graph.tokens) if index not in used and is_content_word(token)]
