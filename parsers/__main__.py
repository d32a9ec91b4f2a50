"""`python -m parsers`: the parsing stage on the command line, and what people ask of parsers."""

import logging
from pathlib import Path

import click

from parsers.command_log import say, start_log
from parsers.options import Commands, named_parser, parser_options, read_parser
from parsers.recording import Given, Joining, Made, Stage, reads
from parsers.stage import GraphFiles, Shard, merge_shards, parse_expressions

FILE = click.Path(path_type=Path)
GRAPHS = ("nodes.parquet", "edges.parquet", "coverage.json")
threads_option = click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Processes.")
conventions_option = click.option(
    "--conventions", default="factual", show_default=True, help="The form of the graphs that are compared."
)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Sentence -> scene graph. A PARSER is a backend's name, with options as in stanza:models=FOLDER."""
    start_log()


@main.command(cls=Stage)
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
    """Read the sentences of EXPRESSIONS; NODES and EDGES hold their graphs, COVERAGE says how much was read."""
    parser = read_parser(settings) if settings else named_parser(backend, options)
    if isinstance(parses := parser.options.get("parses"), str):
        reads(parses)
    parse_expressions(expressions, GraphFiles(nodes, edges, coverage), parser, threads, Shard.named(shard))


@main.command(cls=Joining)
@click.option("--nodes", type=Made(), required=True)
@click.option("--edges", type=Made(), required=True)
@click.option("--coverage", type=Made(), required=True)
@click.argument("shards", type=Given(GRAPHS), nargs=-1, required=True)
def merge(nodes: Path, edges: Path, coverage: Path, shards: tuple[Path, ...]) -> None:
    """Put the graphs in the folders SHARDS into one dataset's, in the order given."""
    merge_shards(shards, GraphFiles(nodes, edges, coverage))


@main.command()
@parser_options
@conventions_option
@click.argument("gold", type=FILE)
def score(backend: str, options: tuple[str, ...], conventions: str, gold: Path) -> None:
    """Say how close a parser's graphs are to those that people wrote in GOLD, a CSV: caption, scene_graph."""
    from parsers.tools.scoring import read_gold, score_parser, score_report

    say(*score_report(score_parser(read_gold(gold), named_parser(backend, options), conventions)))


@main.command()
@click.option("--backend", "parsers", metavar="PARSER", multiple=True, required=True, help="Once for each parser.")
@click.option("--rows", default=":", metavar="A:B:C", help="Some captions only: 7::10 is the eighth, then every tenth.")
@click.option("--into", type=FILE, help="A Markdown file in which the table takes the place of the one it has.")
@conventions_option
@click.argument("gold", type=FILE)
def figures(parsers: tuple[str, ...], rows: str, into: Path | None, conventions: str, gold: Path) -> None:
    """Print what each parser scores on GOLD, by the captions' length, and how fast it is, as a Markdown table."""
    from parsers.tools.figures import around_table, chosen_rows, put_into
    from parsers.tools.figures import figures as table
    from parsers.tools.scoring import read_gold

    captions = chosen_rows(read_gold(gold), rows)
    if into is not None:
        around_table(into)  # a file that has no place for the table says so before the parsers run
    lines = list(table(captions, [named_parser(name) for name in parsers], conventions))
    say(*lines)
    if into is not None:
        put_into(into, lines)


@main.command()
@click.option("--examples", type=click.IntRange(min=0), default=3, show_default=True, help="Of each difference.")
@click.argument("one", metavar="PARSER")
@click.argument("other", metavar="PARSER")
@click.argument("dataset", type=FILE)
def compare(one: str, other: str, dataset: Path, examples: int) -> None:
    """Show where two parsers disagree on DATASET: an expressions.parquet, a CSV of captions, or a sentence a line."""
    from parsers.tools.comparison import compare as report
    from parsers.tools.sentences import read_sentences

    say(*report((named_parser(one), named_parser(other)), read_sentences(dataset), examples))


@main.command()
@parser_options
@click.option("--threads", type=click.IntRange(min=2), default=2, show_default=True, help="Cores to compare with one.")
@click.argument("dataset", type=FILE)
def bench(backend: str, options: tuple[str, ...], threads: int, dataset: Path) -> None:
    """Time the parsing stage on the sentences of DATASET: on one core, on several, and the ratio."""
    from parsers.tools.sentences import read_sentences
    from parsers.tools.timing import bench as report

    logging.disable()
    try:
        for line in report(named_parser(backend, options), read_sentences(dataset), threads):
            say(line)
    finally:
        logging.disable(logging.NOTSET)


if __name__ == "__main__":
    main(prog_name="python -m parsers")
