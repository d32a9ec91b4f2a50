"""Figures of parsers: the table of scores in `docs/parsers.md`, and their speed on one core and on several."""

import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from parsers.errors import BrokenFile, UserError
from parsers.factual.scorer import NOTHING, Scores, score_parser
from parsers.parser import Parser
from parsers.tools.sentences import Tokens

HEADER = (
    "| parser | words | captions | F1 | objects | attributes | relations | expressions a second |",
    "|---|---|---:|---:|---:|---:|---:|---:|",
)
Row = tuple[str, str]
"""A caption and its graph."""

START, END = "<!-- figures -->", "<!-- end of figures -->"
"""The lines of a Markdown file before and after the table."""

CHUNK = 500
"""Sentences that are given to a process at a time."""


def figures(gold: Sequence[Row], parsers: Sequence[Parser], conventions: str) -> Iterator[str]:
    """Yield the lines of the table; a parser that fails gets a line with the reason."""
    yield from HEADER
    for parser in parsers:
        try:
            scores = score_parser(gold, parser, conventions)
        except UserError as error:
            yield f"| {parser} | not run: {' '.join(str(error).split()).replace('|', ' ')} | | | | | | |"
        else:
            yield from lines_of(str(parser), scores)


def lines_of(name: str, scores: Scores) -> Iterator[str]:
    for words, score in scores.named():
        captions = len(score.of_captions)
        kinds = " | ".join(tally.text for tally in score.kinds)
        f1 = f"{score.f1:.2f}" if captions else NOTHING
        rate = f"{captions / scores.seconds:,.0f}" if words == "all" else ""
        yield f"| {name} | {words} | {captions} | {f1} | {kinds} | {rate} |"


def chosen_rows(gold: Sequence[Row], text: str) -> Sequence[Row]:
    """Return some captions, chosen by a Python slice: `7::10` is the eighth and every tenth after it."""
    if not re.fullmatch(r"\d*:\d*(:0*[1-9]\d*)?", text):
        raise UserError(f"rows {text!r}: expected start:stop or start:stop:step, such as 7::10")
    chosen = gold[slice(*(int(part) if part else None for part in text.split(":")))]
    if not chosen:
        raise UserError(f"rows {text!r}: no such row; there are {len(gold)}")
    return chosen


def put_into(path: Path, lines: Sequence[str]) -> None:
    """Replace the table in a Markdown file by these lines."""
    before, after = around_table(path)
    path.write_text("\n".join([before + START, *lines, END + after]), encoding="utf8")


def around_table(path: Path) -> tuple[str, str]:
    """Return the text before and after the table of a Markdown file."""
    try:
        text = path.read_text(encoding="utf8")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenFile(path, f"cannot be read ({error})", "give a Markdown file") from error
    before, start, rest = text.partition(f"{START}\n")
    _, end, after = rest.partition(END)
    if not (start and end):
        raise BrokenFile(path, "has no place for the table", f"write the lines {START} and {END} where it belongs")
    return before, after


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
