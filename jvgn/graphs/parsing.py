"""The stage that parses a dataset, whole or in shards: `expressions.parquet` -> `nodes.parquet`, `edges.parquet`,
`coverage.json`. A graph depends on its sentence alone: any number of shards and processes makes the same tables.
"""

import logging
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tqdm import tqdm

from jvgn.graphs.coverage import COUNTED, merge_coverage, write_coverage
from jvgn.graphs.parallel import Parsed, other_processes, parse_chunks, use_one_core
from jvgn.graphs.tables import EDGES, NODES
from jvgn.storage.files import sha256
from jvgn.storage.parquet import count_rows, origin, read_rows, row_groups, writing
from parsers.errors import BrokenFile, UserError
from parsers.parser import Parser
from parsers.scene_graph import MOST_TOKENS

EXPRESSIONS = pa.schema([("expression_id", pa.int64()), ("tokens", pa.list_(pa.string()))])
"""The columns of `expressions.parquet` that are read here."""

SLICE = 20_000
"""Expressions whose graphs are put in order at a time."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class GraphFiles:
    nodes: Path
    edges: Path
    coverage: Path

    @classmethod
    def within(cls, folder: Path) -> "GraphFiles":
        return cls(folder / "nodes.parquet", folder / "edges.parquet", folder / "coverage.json")


@dataclass(frozen=True)
class Shard:
    """The `number`th (from 1) of `count` parts of about the same size."""

    number: int = 1
    count: int = 1

    @classmethod
    def named(cls, text: str) -> "Shard":
        """`2/8` is the second of eight."""
        found = re.fullmatch(r"(\d+)/(\d+)", text)
        if not found or not 1 <= int(found[1]) <= int(found[2]):
            raise UserError(f"shard {text!r}: expected N/M with N from 1 to M, such as 2/8")
        return cls(int(found[1]), int(found[2]))

    def bounds(self, rows: int) -> tuple[int, int]:
        return (self.number - 1) * rows // self.count, self.number * rows // self.count


def parse_expressions(
    expressions_path: Path, output: GraphFiles, parser: Parser, threads: int = 1, shard: Shard = Shard()
) -> None:
    """The files of `output` hold the graphs of the shard's expressions, in their order."""
    start = time.perf_counter()
    parser.check()  # before anything is read, which may take long
    expressions = read_rows(expressions_path, EXPRESSIONS, *shard.bounds(count_rows(expressions_path, EXPRESSIONS)))
    sentences, which = distinct(tokens_of(expressions, expressions_path))
    if other_processes(len(sentences), threads):
        use_one_core()
    parser.load()  # so that one that cannot start says so before others are started
    parsed = parse_all(sentences, parser, threads)
    made = {"backend": str(parser), "expressions": sha256(expressions_path)}
    with writing(output.nodes, NODES, **made) as write_nodes, writing(output.edges, EDGES, **made) as write_edges:
        for first in range(0, len(which), SLICE):
            ids = expressions["expression_id"][first : first + SLICE].to_numpy()
            nodes, edges = rows_of(parsed, ids, which[first : first + SLICE])
            write_nodes(nodes)
            write_edges(edges)
    sums = dict(zip(COUNTED, np.bincount(which, minlength=len(sentences)) @ parsed.counts, strict=True))
    totals = {"expressions": len(which), "sentences_parsed": len(sentences)} | {key: int(sums[key]) for key in sums}
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
    """The sentences that differ, in the order in which they first occur; and for every sentence, which it is."""
    # One text for each sentence, and no two sentences with the same: what separates tokens is in none of them.
    words = pc.replace_substring(pc.replace_substring(sentences.flatten(), "\\", "\\\\"), "\n", "\\n")
    lengths = pc.list_value_length(sentences).to_numpy()
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    texts = pc.binary_join(pa.ListArray.from_arrays(offsets, words), "\n").dictionary_encode()
    which = texts.indices.to_numpy()
    _, first = np.unique(which, return_index=True)
    return sentences.take(pa.array(first)), which


def parse_all(sentences: pa.ListArray, parser: Parser, threads: int) -> Parsed:
    """The graphs of all the sentences, held in memory once and as tables."""
    parts = []
    with tqdm(total=len(sentences), unit="sentence", disable=None) as progress:
        for part in parse_chunks(sentences, parser, threads):
            parts.append(part)
            progress.update(len(part.counts))
    return Parsed(
        pa.concat_tables([part.nodes for part in parts] or [NODES.empty_table()]).combine_chunks(),
        pa.concat_tables([part.edges for part in parts] or [EDGES.empty_table()]).combine_chunks(),
        np.concatenate([part.counts for part in parts] or [np.zeros((0, len(COUNTED)), dtype=np.int64)]),
    )


def rows_of(parsed: Parsed, expression_ids: np.ndarray, which: np.ndarray) -> Iterator[pa.Table]:
    """The nodes, then the edges, of expressions whose graphs are `which` of those parsed."""
    for table, name in ((parsed.nodes, "nodes"), (parsed.edges, "edges")):
        size = parsed.counts[:, COUNTED.index(name)]
        start = np.cumsum(size) - size
        sizes = size[which]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows = table.take(pa.array(np.repeat(start[which], sizes) + within))
        ids = pa.array(np.repeat(expression_ids, sizes), pa.int64())
        yield rows.set_column(0, "expression_id", ids)


def merge_shards(folders: Sequence[Path], output: GraphFiles) -> None:
    """`output` holds what the shards in the folders hold, one after the other."""
    shards = [GraphFiles.within(folder) for folder in folders]
    tables = (
        (NODES, [shard.nodes for shard in shards], output.nodes),
        (EDGES, [shard.edges for shard in shards], output.edges),
    )
    for schema, paths, path in tables:
        with writing(path, schema, **common_origin(paths, schema)) as write:
            for shard in paths:
                for rows in row_groups(shard, schema):
                    write(rows)
    merge_coverage([shard.coverage for shard in shards], output.coverage)


def common_origin(paths: Sequence[Path], schema: pa.Schema) -> dict[str, str]:
    """What made the tables at `paths`, which must be the same for all."""
    first, *others = paths
    expected = origin(first, schema)
    for path in others:
        if origin(path, schema) != expected:
            raise BrokenFile(path, f"made by {origin(path, schema)}, but {first} by {expected}")
    return expected
