"""`python -m parsers`: the parsing stage on the command line."""

import logging
from pathlib import Path

import click

from parsers.files import UserError
from parsers.options import named_parser, parser_options, read_parser
from parsers.stage import GraphFiles, Shard, merge_shards, parse_expressions

FILE = click.Path(path_type=Path)


@click.group()
def main() -> None:
    """Sentence -> scene graph."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")


@main.command()
@click.option("--settings", type=FILE, help="The parser, as a settings file; instead of --backend and --option.")
@parser_options
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Processes to use.")
@click.option("--shard", metavar="N/M", default="1/1", show_default=True, help="Only the Nth of M parts.")
@click.argument("expressions", type=FILE)
@click.argument("nodes", type=FILE)
@click.argument("edges", type=FILE)
@click.argument("coverage", type=FILE)
def parse(
    settings: Path | None,
    backend: str,
    options: tuple[str, ...],
    threads: int,
    shard: str,
    expressions: Path,
    nodes: Path,
    edges: Path,
    coverage: Path,
) -> None:
    """Reads the sentences of EXPRESSIONS; NODES and EDGES hold their graphs, COVERAGE says how much was read."""
    try:
        parser = read_parser(settings) if settings else named_parser(backend, options)
        parse_expressions(expressions, GraphFiles(nodes, edges, coverage), parser, threads, Shard.named(shard))
    except UserError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@click.option("--nodes", type=FILE, required=True)
@click.option("--edges", type=FILE, required=True)
@click.option("--coverage", type=FILE, required=True)
@click.argument("shards", type=FILE, nargs=-1, required=True)
def merge(nodes: Path, edges: Path, coverage: Path, shards: tuple[Path, ...]) -> None:
    """Puts the graphs in the folders SHARDS into one dataset's, in the order given."""
    try:
        merge_shards(shards, GraphFiles(nodes, edges, coverage))
    except UserError as error:
        raise click.ClickException(str(error)) from error


@main.command()
@parser_options
@click.option("--conventions", default="factual", show_default=True, help="The form of the graphs that are compared.")
@click.argument("gold", type=FILE)
def score(backend: str, options: tuple[str, ...], conventions: str, gold: Path) -> None:
    """How close the parser's graphs are to those that people wrote in GOLD, a CSV: caption, scene_graph."""
    from parsers.tools.scoring import score_parser

    try:
        for line in score_parser(gold, named_parser(backend, options), conventions):
            click.echo(line)
    except UserError as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main(prog_name="python -m parsers")
