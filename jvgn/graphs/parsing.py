"""The parse stage: `expressions.parquet` -> `nodes.parquet`, `edges.parquet` and `coverage.json`.

A graph depends on its sentence alone: the tables are the same bytes for any number of shards and processes.

`coverage.json` counts what the graphs hold: expressions; sentences_parsed (identical sentences are parsed once a
shard); fallbacks (sentences in which no phrase was found); nodes; edges; in_pieces (graphs that are not connected);
referent_is_object (graphs whose referent is the object of an edge, so that the syntactic head is not the node of
in-degree zero); content_words; words_left_out (content words in no node and no edge); words_left_out_percent; seconds
(of all shards together).
"""

import json
import logging
import os
import re
import reprlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tqdm import tqdm

from jvgn.graphs.tables import EDGES, NODES, GraphFiles, graph_rows, merge_graphs, writing_graphs
from jvgn.settings.base import load_yaml
from jvgn.storage.files import check_counts, reading, sha256, write_text
from jvgn.storage.parquet import count_rows, read_rows
from jvgn.storage.processes import workers
from parsers.errors import BrokenFile, UserError
from parsers.guarantees import left_out
from parsers.parser import Option, Parser
from parsers.scene_graph import MOST_TOKENS, SceneGraph
from parsers.words.lexicon import is_content_word

EXPRESSIONS = pa.schema([("expression_id", pa.int64()), ("tokens", pa.list_(pa.string()))])
"""The columns of `expressions.parquet` that are read here."""

GIVEN = "graphs"
"""The backend whose graphs are the user's own files."""

CHUNK = 500
"""Sentences that a process parses at a time."""

SLICE = 20_000
"""Expressions whose rows are written at a time."""

COUNTED = ("fallbacks", "nodes", "edges", "in_pieces", "referent_is_object", "content_words", "words_left_out")
"""Counts of a single graph."""

SUMMED = ("expressions", "sentences_parsed", *COUNTED, "seconds")
"""Counts that are added over shards."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Shard:
    """The `number`th (from 1) of `count` parts of about the same size."""

    number: int = 1
    count: int = 1

    @classmethod
    def named(cls, text: str) -> "Shard":
        """Return the shard that a text names: `2/8` is the second of eight."""
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UserError(f"shard {text!r}: expected N/M with N from 1 to M, such as 2/8")
        return cls(int(found[1]), int(found[2]))

    def bounds(self, rows: int) -> tuple[int, int]:
        return (self.number - 1) * rows // self.count, self.number * rows // self.count


@dataclass(frozen=True)
class ParsedSentences:
    """Graphs as tables, in which `expression_id` is the index of the sentence.

    Tables cross from one process to another without being pickled node by node.
    """

    nodes: pa.Table
    edges: pa.Table
    counts: np.ndarray
    """One row a graph, one column for each name of `COUNTED`."""


def parse_expressions(
    expressions_path: Path, output: GraphFiles, parser: Parser, threads: int = 1, shard: Shard = Shard()
) -> None:
    """Write the graphs of the shard's expressions, in their order; parse identical sentences once."""
    start = time.perf_counter()
    parser.check()  # before the table is read, which may take long
    expressions = read_rows(expressions_path, EXPRESSIONS, *shard.bounds(count_rows(expressions_path, EXPRESSIONS)))
    sentences, sentence_of_expression = distinct(tokens_of(expressions, expressions_path))
    parser.load()  # a parser that cannot start reports it here, before processes are started
    parsed = parse_all(sentences, parser, threads)
    with writing_graphs(output, backend=str(parser), expressions=sha256(expressions_path)) as write:
        for first in range(0, len(expressions), SLICE):
            ids = expressions["expression_id"][first : first + SLICE].to_numpy()
            write(*rows_of(parsed, ids, sentence_of_expression[first : first + SLICE]))
    repeats = np.bincount(sentence_of_expression, minlength=len(sentences))
    totals = {"expressions": len(expressions), "sentences_parsed": len(sentences)}
    totals |= dict(zip(COUNTED, (repeats @ parsed.counts).tolist(), strict=True))
    write_coverage(output.coverage, totals | {"seconds": time.perf_counter() - start})
    log.info("%s", totals)


def tokens_of(expressions: pa.Table, path: Path) -> pa.ListArray:
    tokens = expressions["tokens"].combine_chunks()
    empty = pc.fill_null(pc.equal(pc.list_value_length(tokens), 0), True)
    if pc.any(empty).as_py():
        first = expressions["expression_id"].filter(empty)[0]
        raise BrokenFile(path, f"expression {first} has no tokens")
    too_long = pc.greater(pc.list_value_length(tokens), MOST_TOKENS)
    if pc.any(too_long).as_py():
        first = expressions["expression_id"].filter(too_long)[0]
        raise BrokenFile(path, f"expression {first} has more than {MOST_TOKENS:,} tokens", "leave it out")
    return tokens


def distinct(sentences: pa.ListArray) -> tuple[pa.ListArray, np.ndarray]:
    """Return the distinct sentences, in the order in which they first occur, and the index of each sentence's."""
    # Join each sentence into one text. Escape the separator, so that no two different sentences have the same text.
    words = pc.replace_substring(pc.replace_substring(sentences.flatten(), "\\", "\\\\"), "\n", "\\n")
    lengths = pc.list_value_length(sentences).to_numpy()
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    texts = pc.binary_join(pa.ListArray.from_arrays(offsets, words), "\n").dictionary_encode()
    index = texts.indices.to_numpy()
    _, first = np.unique(index, return_index=True)
    return sentences.take(pa.array(first)), index


def parse_all(sentences: pa.ListArray, parser: Parser, threads: int) -> ParsedSentences:
    parts = []
    with tqdm(total=len(sentences), unit="sentence", disable=None) as progress:
        for part in parse_chunks(sentences, parser, threads):
            parts.append(part)
            progress.update(len(part.counts))
    return ParsedSentences(
        pa.concat_tables([NODES.empty_table(), *(part.nodes for part in parts)]).combine_chunks(),
        pa.concat_tables([EDGES.empty_table(), *(part.edges for part in parts)]).combine_chunks(),
        np.concatenate([np.zeros((0, len(COUNTED)), dtype=np.int64), *(part.counts for part in parts)]),
    )


def parse_chunks(sentences: pa.ListArray, parser: Parser, threads: int) -> Iterator[ParsedSentences]:
    """Yield the graphs chunk by chunk, in the order of the sentences."""
    # `concat_arrays` copies a slice: pickled as it is, a slice takes the whole array along.
    chunks = [pa.concat_arrays([sentences[start : start + CHUNK]]) for start in range(0, len(sentences), CHUNK)]
    processes = min(threads, len(chunks))
    if processes < 2:
        yield from map(parse_chunk, repeat(parser), chunks)
    else:
        with workers(processes, use_one_core) as pool:
            yield from pool.map(parse_chunk, repeat(parser), chunks)


def use_one_core() -> None:
    """Keep a backend's library from starting a thread for every core in each process."""
    os.environ["OMP_NUM_THREADS"] = "1"  # the library reads it when it is loaded, which is later


def parse_chunk(parser: Parser, sentences: pa.ListArray) -> ParsedSentences:
    graphs = parser.load()([tuple(tokens) for tokens in sentences.to_pylist()])
    nodes, edges = graph_rows(range(len(graphs)), graphs)
    counted = np.array([counts(graph) for graph in graphs], dtype=np.int64).reshape(len(graphs), len(COUNTED))
    return ParsedSentences(nodes, edges, counted)


def rows_of(parsed: ParsedSentences, expression_ids: np.ndarray, sentence: np.ndarray) -> Iterator[pa.Table]:
    """Yield the nodes, then the edges, of expressions with these ids and these sentences."""
    for table, name in ((parsed.nodes, "nodes"), (parsed.edges, "edges")):
        size = parsed.counts[:, COUNTED.index(name)]
        start = np.cumsum(size) - size
        sizes = size[sentence]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = table.take(pa.array(np.repeat(start[sentence], sizes) + within))
        ids = pa.array(np.repeat(expression_ids, sizes), pa.int64())
        yield rows.set_column(0, "expression_id", ids)


def merge_shards(folders: Sequence[Path], output: GraphFiles) -> None:
    """Put the graphs and the coverage of the shards in `folders` together, in the order given."""
    shards = [GraphFiles.within(folder) for folder in folders]
    merge_graphs(shards, output)
    merge_coverage([shard.coverage for shard in shards], output.coverage)


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


def read_parser(path: Path | str) -> Parser:
    """Return the parser of a settings file; an option that is null is not set."""
    values = load_yaml(path)
    if not isinstance(values, dict) or not isinstance(values.get("backend"), str):
        raise BrokenFile(path, "expected the key backend", "write it as: backend: lexical")
    named = {key if isinstance(key, str) else reprlib.repr(key): value for key, value in values.items()}
    options = {key: value for key, value in named.items() if key != "backend" and value is not None}
    for key, value in options.items():
        if not isinstance(value, Option):
            raise BrokenFile(
                path, f"{key}: expected a text, true or false, found {reprlib.repr(value)}", "check the file"
            )
    if values["backend"] == GIVEN:
        raise UserError(
            f"{path}: its graphs are files of your own, so it parses no sentence; name a parser: --parser lexical"
        )
    return Parser(values["backend"], options)
