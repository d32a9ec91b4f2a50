"""How fast a parser is: the whole stage, from a table of expressions to tables of graphs, on one core and on more."""

import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from parsers.options import Parser
from parsers.stage import EXPRESSIONS, GraphFiles, parse_expressions
from parsers.table import write_table
from parsers.tools.sentences import Tokens


@dataclass(frozen=True)
class Timing:
    sentences: int
    wall: float
    own: float
    """Seconds of processor time of the process that reads and writes the tables, and parses beside the others."""
    total: float
    """Seconds of processor time of all processes."""

    @property
    def rate(self) -> float:
        return self.sentences / self.wall


def bench(parser: Parser, sentences: Sequence[Tokens], threads: int) -> Iterator[str]:
    """The lines of a report: expressions a second on one core and on `threads`, and the ratio."""
    parser.load()
    with tempfile.TemporaryDirectory() as name:
        expressions = Path(name) / "expressions.parquet"
        columns = {"expression_id": range(len(sentences)), "tokens": sentences}
        write_table(expressions, columns, EXPRESSIONS)
        yield f"{parser}: {len(sentences):,} distinct expressions"
        one = timed(parser, expressions, len(sentences), 1)
        yield described(one, 1)
        many = timed(parser, expressions, len(sentences), threads)
        yield described(many, threads)
        yield f"ratio {many.rate / one.rate:.2f} by the clock"
        # On a busy machine the clock tells of the others' work; processor time tells how well this work was shared.
        longest = max(many.own, (many.total - many.own) / max(threads - 1, 1), 1e-9)
        yield f"ratio {one.total / longest:.2f} by processor time: what {threads} free cores would give"


def timed(parser: Parser, expressions: Path, sentences: int, threads: int) -> Timing:
    own, all_of_them, clock = processor_seconds(), processor_seconds(children=True), time.perf_counter()
    parse_expressions(expressions, GraphFiles.within(expressions.parent / str(threads)), parser, threads)
    wall = time.perf_counter() - clock
    return Timing(sentences, wall, processor_seconds() - own, processor_seconds(children=True) - all_of_them)


def processor_seconds(children: bool = False) -> float:
    """Of this process, with or without those it started that have ended."""
    whose = [resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN] if children else [resource.RUSAGE_SELF]
    used = [resource.getrusage(which) for which in whose]
    return sum(one.ru_utime + one.ru_stime for one in used)


def described(timing: Timing, threads: int) -> str:
    cores = "one core" if threads == 1 else f"{threads} cores"
    return (
        f"{cores:9} {timing.rate:9,.0f} expressions a second"
        f"  ({timing.wall:.1f} s by the clock, {timing.total:.1f} s of processor time)"
    )
