"""`python -m parsers`: the parsing stage on the command line."""

import logging
from pathlib import Path

import click

from parsers.files import UserError
from parsers.options import named_parser, parser_options, read_parser
from parsers.stage import parse_expressions

FILE = click.Path(path_type=Path)


@click.group()
def main() -> None:
    """Sentence -> scene graph."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")


@main.command()
@click.option("--settings", type=FILE, help="The parser, as a settings file; instead of --backend and --option.")
@parser_options
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Processes to use.")
@click.argument("expressions", type=FILE)
@click.argument("nodes", type=FILE)
@click.argument("edges", type=FILE)
@click.argument("coverage", type=FILE)
def parse(
    settings: Path | None,
    backend: str,
    options: tuple[str, ...],
    threads: int,
    expressions: Path,
    nodes: Path,
    edges: Path,
    coverage: Path,
) -> None:
    """Reads the sentences of EXPRESSIONS; NODES and EDGES hold their graphs, COVERAGE says how much was read."""
    try:
        parser = read_parser(settings) if settings else named_parser(backend, options)
        parse_expressions(expressions, nodes, edges, coverage, parser, threads)
    except UserError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@parser_options
@click.option("--conventions", default="factual", show_default=True, help="The form of the graphs that are compared.")
@click.argument("gold", type=FILE)
def score(backend: str, options: tuple[str, ...], conventions: str, gold: Path) -> None:
    """How close the parser's graphs are to those that people wrote in GOLD, a CSV: caption, scene_graph."""
    from parsers.scoring import score_parser

    try:
        for line in score_parser(gold, named_parser(backend, options), conventions):
            click.echo(line)
    except UserError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main(prog_name="python -m parsers")
