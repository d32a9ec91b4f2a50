"""Sentences parsed by several processes. A process hands graphs back as tables: those travel as they lie in memory,
where graphs would be taken apart and put together again by the one process that waits for all."""

import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import pyarrow as pa

from parsers.coverage import COUNTED, counts
from parsers.options import Parser
from parsers.table import graph_rows

CHUNK = 500
"""Sentences handed to a process at a time."""


@dataclass(frozen=True)
class Parsed:
    """Graphs as tables, in which `expression_id` is the graph's place; and what was counted in each."""

    nodes: pa.Table
    edges: pa.Table
    counts: np.ndarray
    """A row a graph, a column for each name of `COUNTED`."""


def parse_chunks(sentences: pa.ListArray, parser: Parser, threads: int) -> Iterator[Parsed]:
    """The graphs in the order of the sentences, chunk by chunk, whatever the number of processes."""
    chunks = (sentences[start : start + CHUNK] for start in range(0, len(sentences), CHUNK))
    processes = min(threads, -(-len(sentences) // CHUNK))
    if processes <= 1:
        for chunk in chunks:
            yield parse_chunk(parser, chunk)
        return
    with pool(processes) as workers:
        pending: deque[Future[Parsed]] = deque()
        for chunk in chunks:
            # A slice would take the whole array along to the other process.
            pending.append(workers.submit(parse_chunk, parser, pa.concat_arrays([chunk])))
            if len(pending) > 4 * processes:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


@contextmanager
def pool(processes: int) -> Iterator[ProcessPoolExecutor]:
    # Arrow's threads do not survive a fork.
    workers = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=use_one_core)
    try:
        yield workers
    finally:
        workers.shutdown(cancel_futures=True)


def use_one_core() -> None:
    """Each process has a core of its own: a backend's library shall not take the others'."""
    os.environ["OMP_NUM_THREADS"] = "1"  # read when such a library is loaded, which is later


def parse_chunk(parser: Parser, sentences: pa.ListArray) -> Parsed:
    graphs = parser.load()([tuple(tokens) for tokens in sentences.to_pylist()])
    nodes, edges = graph_rows(range(len(graphs)), graphs)
    counted = np.array([counts(graph) for graph in graphs], dtype=np.int64).reshape(len(graphs), len(COUNTED))
    return Parsed(nodes, edges, counted)
