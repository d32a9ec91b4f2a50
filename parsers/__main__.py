"""`python -m parsers`: measure how good and how fast parsers are, and show where they differ."""

import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from parsers.errors import UserError
from parsers.parser import named_parser

FILE = click.Path(path_type=Path)
conventions_option = click.option(
    "--conventions", default="factual", show_default=True, help="The form of the graphs that are compared."
)


class Commands(click.Group):
    """Report a user's mistake in one line, with exit code 1."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"Error: {' '.join(str(error).split())}", err=True)
            sys.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Sentence -> scene graph. A PARSER is a backend's name, with options as in stanza:models=FOLDER."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")


def parser_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options `--backend` and `--option`, for `named_parser`."""
    pairs = click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the parser.")
    return click.option("--backend", default="lexical", show_default=True, help="The parser.")(pairs(command))


@main.command()
@parser_options
@conventions_option
@click.argument("gold", type=FILE)
def score(backend: str, options: tuple[str, ...], conventions: str, gold: Path) -> None:
    """Score a parser's graphs against those that people wrote in GOLD, a CSV with caption and scene_graph."""
    from parsers.factual.scorer import read_gold, score_parser, score_report

    click.echo("\n".join(score_report(score_parser(read_gold(gold), named_parser(backend, options), conventions))))


@main.command()
@click.option(
    "--backend", "parsers", metavar="PARSER", multiple=True, required=True, help="May be given several times."
)
@click.option("--rows", default=":", metavar="A:B:C", help="Some captions only: 7::10 is the eighth, then every tenth.")
@click.option("--into", type=FILE, help="A Markdown file whose table is replaced.")
@conventions_option
@click.argument("gold", type=FILE)
def figures(parsers: tuple[str, ...], rows: str, into: Path | None, conventions: str, gold: Path) -> None:
    """Print each parser's scores on GOLD, by caption length, and its speed, as a Markdown table."""
    from parsers.factual.scorer import read_gold
    from parsers.tools.figures import around_table, chosen_rows, put_into
    from parsers.tools.figures import figures as table

    captions = chosen_rows(read_gold(gold), rows)
    if into is not None:
        around_table(into)  # report a file without a place for the table before the parsers run
    lines = list(table(captions, [named_parser(name) for name in parsers], conventions))
    click.echo("\n".join(lines))
    if into is not None:
        put_into(into, lines)


@main.command()
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="For each kind of difference.",
)
@click.argument("one", metavar="PARSER")
@click.argument("other", metavar="PARSER")
@click.argument("dataset", type=FILE)
def compare(one: str, other: str, dataset: Path, examples: int) -> None:
    """Show where two parsers disagree on DATASET: an expressions.parquet, a CSV of captions, or a sentence a line."""
    from parsers.tools.differences import compare as report
    from parsers.tools.sentences import read_sentences

    click.echo("\n".join(report((named_parser(one), named_parser(other)), read_sentences(dataset), examples)))


@main.command()
@parser_options
@click.option("--threads", type=click.IntRange(min=2), default=2, show_default=True, help="Cores to compare with one.")
@click.argument("dataset", type=FILE)
def bench(backend: str, options: tuple[str, ...], threads: int, dataset: Path) -> None:
    """Time a parser on the sentences of DATASET: on one core, on several, and the ratio."""
    from parsers.tools.figures import bench as report
    from parsers.tools.sentences import read_sentences

    logging.disable()
    try:
        for line in report(named_parser(backend, options), read_sentences(dataset), threads):
            click.echo(line)
    finally:
        logging.disable(logging.NOTSET)


if __name__ == "__main__":
    main(prog_name="python -m parsers")
