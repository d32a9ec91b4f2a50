"""Scene graphs on the command line: the stage that parses a dataset."""

from pathlib import Path

import click

from jvgn.cli.options import parser_options, threads_option
from jvgn.storage.stage_command import Given, Joining, Made, Stage, reads
from parsers.parser import named_parser

GRAPHS = ("nodes.parquet", "edges.parquet", "coverage.json")


@click.command(cls=Stage)
@click.option("--settings", type=Given(), help="The parser, as a settings file; instead of --backend and --option.")
@parser_options
@threads_option
@click.option("--shard", metavar="N/M", default="1/1", show_default=True, help="Only the Nth of M parts.")
@click.argument("expressions", type=Given())
@click.argument("nodes", type=Made())
@click.argument("edges", type=Made())
@click.argument("coverage", type=Made())
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
    """Parse the sentences of EXPRESSIONS into scene graphs: tables of NODES and EDGES, and their COVERAGE."""
    from jvgn.graphs.parser_file import read_parser
    from jvgn.graphs.parsing import GraphFiles, Shard, parse_expressions

    parser = read_parser(settings) if settings else named_parser(backend, options)
    if isinstance(parses := parser.options.get("parses"), str):
        reads(parses)
    parse_expressions(expressions, GraphFiles(nodes, edges, coverage), parser, threads, Shard.named(shard))


@click.command("merge-graphs", cls=Joining)
@click.option("--nodes", type=Made(), required=True)
@click.option("--edges", type=Made(), required=True)
@click.option("--coverage", type=Made(), required=True)
@click.argument("shards", type=Given(GRAPHS), nargs=-1, required=True)
def merge_graphs(nodes: Path, edges: Path, coverage: Path, shards: tuple[Path, ...]) -> None:
    """Put the graphs in the folders SHARDS into one dataset's, in the order given."""
    from jvgn.graphs.parsing import GraphFiles, merge_shards

    merge_shards(shards, GraphFiles(nodes, edges, coverage))


GRAPH_STAGES = [parse, merge_graphs]
