"""Commands that prepare data for the model: settings, datasets, scene graphs and vocabularies.

Each command hands files to one stage, which is imported when the command runs.
"""

from collections.abc import Callable
from pathlib import Path

import click

from jvgn.cli.options import given, json_value, made, made_tables, parser_options, paths, threads_option
from jvgn.layout import TABLES
from jvgn.storage.stage_command import Given, Joining, Made, Stage, reads, runs
from parsers.errors import UserError

SETTINGS = {
    "world": "world.WorldSettings",
    "custom": "custom.CustomSettings",
    "entities": "entities.EntitiesSettings",
    "detector": "detector.DetectorFile",
    "regions": "detector.RegionSettings",
    "parser": "parser.ParserSettings",
    "vocabulary": "run.VocabularySettings",
    "run": "run.RunSettings",
    "evaluation": "evaluation.EvaluationSettings",
}
"""The module of `jvgn.settings` and the model that each stage reads."""
GRAPHS = ("nodes.parquet", "edges.parquet", "coverage.json")


@click.command(cls=Stage)
@click.argument("kind", type=click.Choice(list(SETTINGS)))
@click.argument("values")
@click.argument("output", type=Made())
def freeze(kind: str, values: str, output: Path) -> None:
    """Write settings with all their defaults; VALUES is JSON."""
    from importlib import import_module

    from jvgn.settings.base import validated

    module_name, model = SETTINGS[kind].split(".")
    module = import_module(f"jvgn.settings.{module_name}")
    runs(module.__name__)
    where = f"settings of the {kind}"
    validated(getattr(module, model), json_value(values, where), where).write(output)


@click.command(cls=Stage)
@given("settings")
@paths("folder", kind=Made(["refs(jvgn).p", "instances.json"]))
@threads_option
def world(settings: Path, folder: Path, threads: int) -> None:
    """Draw the world `shapes` in REFER's format."""
    from jvgn.settings.world import WorldSettings
    from jvgn.shapes.world import make_world

    make_world(WorldSettings.read(settings), folder, threads)


@click.command(cls=Stage)
@given("refs", "instances")
@made_tables(*TABLES)
@click.option("--counts", default="{}", help="The expected number of expressions of each split, as JSON.")
def read_dataset(refs: Path, instances: Path, output: Path, counts: str) -> None:
    """Read a dataset in REFER's format into four tables."""
    from jvgn.datasets.refer import read_dataset as read

    expected = json_value(counts, "--counts")
    if not (isinstance(expected, dict) and all(type(count) is int for count in expected.values())):
        raise UserError(f'--counts: expected a number for each split, found {counts}; write it as: {{"val": 10}}')
    read(refs, instances, output, expected)


@click.command(cls=Stage)
@given("settings")
@made_tables(*TABLES)
def read_custom(settings: Path, output: Path) -> None:
    """Read your own dataset into four tables."""
    from jvgn.datasets.custom import read_custom as read
    from jvgn.settings.custom import CustomSettings
    from parsers.words.tokens import tokenise  # the same as for `ground`

    chosen = CustomSettings.read(settings)
    reads(chosen.annotations, chosen.expressions)
    read(chosen, output, tokenise)


@click.command(cls=Stage)
@given("settings")
@made_tables(*TABLES)
def read_entities(settings: Path, output: Path) -> None:
    """Read a dataset in the format of Flickr30k Entities into four tables."""
    from jvgn.datasets.flickr30k import read_entities as read
    from jvgn.datasets.flickr30k import split_lists
    from jvgn.settings.entities import EntitiesSettings
    from parsers.lexical import parse_tokens

    chosen = EntitiesSettings.read(settings)
    reads(chosen.entities, *split_lists(chosen).values())
    read(chosen, output, parse_tokens)


def graph_arguments(command: Callable) -> Callable:
    """Add the arguments of a command that makes graphs: the expressions, and the three files of their graphs."""
    for name in ("coverage", "edges", "nodes"):
        command = click.argument(name, type=Made())(command)
    return click.argument("expressions", type=Given())(command)


@click.command(cls=Stage)
@click.option("--settings", type=Given(), help="A settings file of the parser, instead of --backend and --option.")
@parser_options
@threads_option
@click.option("--shard", metavar="N/M", default="1/1", show_default=True, help="Only the Nth of M parts.")
@graph_arguments
def parse(
    settings: Path | None,
    backend: str,
    options: tuple[str, ...],
    threads: int,
    shard: str,
    expressions: Path,
    **graphs: Path,
) -> None:
    """Parse the sentences of EXPRESSIONS into scene graphs: tables of NODES and EDGES, and their COVERAGE."""
    from jvgn.graphs.parsing import GraphFiles, Shard, parse_expressions, read_parser
    from parsers.parser import named_parser

    parser = read_parser(settings) if settings else named_parser(backend, options)
    if isinstance(parses := parser.options.get("parses"), str):
        reads(parses)
    parse_expressions(expressions, GraphFiles(**graphs), parser, threads, Shard.named(shard))


@click.command(cls=Stage)
@given("settings")
@graph_arguments
def adopt_graphs(settings: Path, expressions: Path, **graphs: Path) -> None:
    """Check your own scene graphs of EXPRESSIONS, and write them as tables of NODES and EDGES with their COVERAGE."""
    from jvgn.graphs.given_graphs import adopt_graphs as run
    from jvgn.graphs.tables import GraphFiles
    from jvgn.settings.parser import GraphsSettings

    chosen = GraphsSettings.read(settings)
    reads(chosen.nodes, chosen.edges)
    run(expressions, Path(chosen.nodes), Path(chosen.edges), GraphFiles(**graphs))


@click.command("merge-graphs", cls=Joining)
@made("nodes", "edges", "coverage")
@click.argument("shards", type=Given(GRAPHS), nargs=-1, required=True)
def merge_graphs(shards: tuple[Path, ...], **graphs: Path) -> None:
    """Join the graphs in the folders SHARDS, in the given order."""
    from jvgn.graphs.parsing import GraphFiles, merge_shards

    merge_shards(shards, GraphFiles(**graphs))


@click.command(cls=Stage)
@given("settings", "expressions")
@made("words", "vectors", "missing")
def build_vocabulary(settings: Path, expressions: Path, words: Path, vectors: Path, missing: Path) -> None:
    """Count the words, write an initial vector for each, and list the words without one."""
    from jvgn.settings.run import VocabularySettings
    from jvgn.vocabulary.words import build_vectors, list_missing
    from jvgn.vocabulary.words import build_vocabulary as build
    from parsers.words.spelling import respelled

    chosen = VocabularySettings.read(settings)
    reads(chosen.glove)
    vocabulary = build(expressions, words, chosen.more_often_than, chosen.splits, respelled)
    in_glove = build_vectors(vocabulary, vectors, chosen.vector_size, chosen.glove, chosen.seed)
    list_missing(expressions, vocabulary, in_glove if chosen.glove else None, missing)


@click.command(cls=Stage)
@given("expressions")
@made("output")
@click.option("--dataset", required=True, help="Its name, to look up the paper's size of the vocabulary.")
def sweep_vocabulary(expressions: Path, output: Path, dataset: str) -> None:
    """Write the size of the vocabulary for every threshold, beside the paper's."""
    from jvgn.vocabulary.threshold_sweep import sweep

    sweep(expressions, output, dataset)
