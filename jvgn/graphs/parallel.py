"""Sentences parsed by several processes. A process hands graphs back as tables: those travel as they lie in memory,
where graphs would be taken apart and put together again by the one process that gathers all."""

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from jvgn.graphs.coverage import COUNTED, counts
from jvgn.graphs.tables import graph_rows
from jvgn.storage.processes import workers
from parsers.parser import Parser

CHUNK = 500
"""Sentences handed to a process at a time."""

QUEUED = 3
"""Chunks that each other process has before it, so that it never waits for this one to finish its own."""


@dataclass(frozen=True)
class Parsed:
    """Graphs as tables, in which `expression_id` is the graph's place; and what was counted in each."""

    nodes: pa.Table
    edges: pa.Table
    counts: np.ndarray
    """A row a graph, a column for each name of `COUNTED`."""


def parse_chunks(sentences: pa.ListArray, parser: Parser, threads: int) -> Iterator[Parsed]:
    """The graphs in the order of the sentences, chunk by chunk, whatever the number of processes."""
    chunks = [sentences[start : start + CHUNK] for start in range(0, len(sentences), CHUNK)]
    helpers = other_processes(len(sentences), threads)
    if not helpers:
        yield from (parse_chunk(parser, chunk) for chunk in chunks)
        return
    with workers(helpers, use_one_core) as pool:
        # This process parses as well: others take a second to start, and short work is done by then.
        pending: deque[Future[Parsed]] = deque()
        for chunk in chunks:
            unfinished = sum(not future.done() for future in pending)
            # A slice would take the whole array along to the other process.
            task = (parser, pa.concat_arrays([chunk]))
            pending.append(pool.submit(parse_chunk, *task) if unfinished < QUEUED * helpers else done_here(*task))
            while pending and pending[0].done():
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def other_processes(sentences: int, threads: int) -> int:
    """How many share the work: each has a thread, and a chunk to begin with."""
    return max(min(threads, -(-sentences // CHUNK)) - 1, 0)


def done_here(parser: Parser, sentences: pa.ListArray) -> Future[Parsed]:
    future: Future[Parsed] = Future()
    future.set_result(parse_chunk(parser, sentences))
    return future


def use_one_core() -> None:
    """Each process has a core of its own: a backend's library shall not take the others'."""
    os.environ["OMP_NUM_THREADS"] = "1"  # read when such a library is loaded, which is later


def parse_chunk(parser: Parser, sentences: pa.ListArray) -> Parsed:
    graphs = parser.load()([tuple(tokens) for tokens in sentences.to_pylist()])
    nodes, edges = graph_rows(range(len(graphs)), graphs)
    counted = np.array([counts(graph) for graph in graphs], dtype=np.int64).reshape(len(graphs), len(COUNTED))
    return Parsed(nodes, edges, counted)
