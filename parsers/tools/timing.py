"""The speed of a parser on one core and on several."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from parsers.parser import Parser
from parsers.tools.sentences import Tokens

CHUNK = 500
"""Sentences handed to a process at a time."""


def bench(parser: Parser, sentences: Sequence[Tokens], processes: int) -> Iterator[str]:
    """Yield the lines of a report: sentences a second on one core and on `processes`, and the ratio."""
    chunks = [sentences[start : start + CHUNK] for start in range(0, len(sentences), CHUNK)]
    parser.load()
    yield f"{parser}: {len(sentences):,} distinct sentences"
    start = time.perf_counter()
    for chunk in chunks:
        parse_chunk(parser, chunk)
    one = len(sentences) / (time.perf_counter() - start)
    yield f"one core  {one:9,.0f} sentences a second"
    with ProcessPoolExecutor(processes, get_context("spawn"), initializer=parser.load) as pool:
        list(pool.map(parse_chunk, [parser] * processes, chunks[:processes]))  # wait until the processes have started
        start = time.perf_counter()
        list(pool.map(parse_chunk, [parser] * len(chunks), chunks))
        many = len(sentences) / (time.perf_counter() - start)
    yield f"{processes} cores   {many:9,.0f} sentences a second"
    yield f"ratio {many / one:.2f}"


def parse_chunk(parser: Parser, sentences: Sequence[Tokens]) -> int:
    """Return the number of graphs; to send back the graphs would take longer than to make them."""
    return len(parser.load()(sentences))
