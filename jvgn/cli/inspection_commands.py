"""Commands that look at files and print; they make nothing that the workflow needs."""

import json
from pathlib import Path

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, config_option, parser_options
from jvgn.paper.runs import RUNS_OF_TABLES
from parsers.errors import UserError


@click.command()
@click.argument("sentence")
@parser_options
@click.option("--conventions", default="written", show_default=True, help="The form of the graph.")
@click.option("--output", type=FILE, help="Also draw it into this .svg, .dot or .json file.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON, for programs.")
def graph(
    sentence: str, backend: str, options: tuple[str, ...], conventions: str, output: Path | None, as_json: bool
) -> None:
    """Draw the scene graph of a SENTENCE: a star marks the referent, arrows go from subject to object."""
    from jvgn.views import graph_picture as pictures
    from parsers import parse
    from parsers.parser import named_parser
    from parsers.tools import graph_drawing

    if not sentence.strip():
        raise UserError("the sentence is empty; give some words")
    parser = named_parser(backend, options)
    parser.load()  # reports an unknown option
    found = parse(sentence, backend=parser.backend, conventions=conventions, **parser.options)
    if as_json:
        click.echo(pictures.as_json(found), nl=False)
    else:
        say(*graph_drawing.drawn(found), *graph_drawing.remarks(found))
    if output is not None:
        pictures.write_picture(found, output)


@click.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
def summary(runs: tuple[Path, ...]) -> None:
    """Print the results of RUNS as a table."""
    from jvgn.evaluation.run_comparison import summary as table
    from jvgn.grounding.run_folder import RunFolder

    for run in runs:
        if not run.exists():
            RunFolder.find(run)  # its error names the runs that exist
    say(*table(list(runs)))


@click.command()
@click.argument("folder", type=FILE, default=Path("results"))
def verify(folder: Path) -> None:
    """Check that the files in FOLDER are unchanged, and so are the inputs and the code that made them."""
    from jvgn.storage.verify import verify as check

    counts = {"broken": 0, "missing": 0, "stale": 0, "unknown": 0}
    for finding in check(folder):
        counts[finding.kind] += 1
        say(f"{finding.kind:8} {finding.path}: {finding.reason}")
    if any(counts.values()):
        raise UserError(
            f"{folder}: {counts['broken']} files are broken, {counts['missing']} missing, {counts['stale']} stale,"
            f" {counts['unknown']} of unknown origin; delete the broken ones, move files of your own elsewhere, and"
            " run the workflow again"
        )
    say(f"{folder}: every file is unchanged and up to date")


@click.group()
def regions() -> None:
    """Look at a FILE of regions, such as results/regions/shapes_det/tiny.h5."""


@regions.command()
@click.argument("file", type=FILE)
def info(file: Path) -> None:
    """Print the origin and the contents of a FILE of regions."""
    from jvgn.views.regions_figure import region_info

    say(*region_info(file))


@regions.command("show")
@click.argument("file", type=FILE)
@click.argument("image", type=FILE)
@click.option("--output", type=FILE, help="The PNG or SVG file to draw; {image}.regions.png if left out.")
@click.option("--dataset", type=FILE, help="The folder of the dataset's tables, if not beside the regions.")
def show_regions(file: Path, image: Path, output: Path | None, dataset: Path | None) -> None:
    """Draw the regions of an IMAGE with their scores, and print them."""
    from jvgn.grounding.questions import check_drawing
    from jvgn.views.regions_figure import RegionViewer

    drawn = output or Path(f"{image.stem}.regions.png")
    check_drawing(drawn, image)
    viewer = RegionViewer(file, dataset)
    for row in viewer.table(image).itertuples():
        say(f"{row.score:5.2f}  {row.name:20} [{row.x1:.0f}, {row.y1:.0f}, {row.x2:.0f}, {row.y2:.0f}]")
    viewer.draw(image, drawn)
    say(f"drawn: {drawn}")


@click.command()
@click.option("--dataset", required=True, help="A name in config.yaml.")
@click.option("--run", default="default", show_default=True, help="A name in config.yaml.")
@click.option("--preset", help="Instead of the preset in config.yaml.")
@click.option("--words", type=click.IntRange(min=1), help="Size of the vocabulary; the paper's if left out.")
@click.option(
    "--feature-size",
    type=click.IntRange(min=1),
    default=2048,
    show_default=True,
    help="Of the detector.",
)
@config_option
def describe(
    dataset: str, run: str, preset: str | None, words: int | None, feature_size: int, config: tuple[Path, ...]
) -> None:
    """Print the layers of a run's model with their shapes and parameters, and the dataset's images if it was read."""
    from jvgn.paper.parameters import description, layers
    from jvgn.settings.configuration import configuration_files, read_configuration
    from jvgn.vocabulary.threshold_sweep import SIZES_IN_PAPER

    chosen = read_configuration(*configuration_files(config), preset=preset)
    chosen.check_run(dataset, run)
    words = words or SIZES_IN_PAPER.get(dataset)
    if words is None:
        raise UserError(f"the paper gives no vocabulary size of {dataset}; give it: --words 1000")
    settings = chosen.run(dataset, run)
    vector_size = chosen.vocabularies[settings.vocabulary].vector_size
    say(*description(layers(settings.model, words, vector_size, feature_size)))
    say(*images_of(dataset, settings.detector))


def images_of(dataset: str, detector: str) -> list[str]:
    """Return lines about the images of a dataset that are used, left out and skipped, as far as this is known."""
    from jvgn.datasets.tables import IMAGES, left_out_images
    from jvgn.layout import SETTINGS, RunPaths
    from jvgn.regions.shards import skipped_images
    from jvgn.storage.parquet import count_rows

    paths = [RunPaths(dataset, setting) for setting in SETTINGS]
    table = paths[0].table("images")
    if not table.exists():
        return []
    used, left_out = count_rows(table, IMAGES), left_out_images(table)
    lines = ["", f"images of {dataset}: {used:,}; {left_out:,} more have no expressions and are left out"]
    for one in paths:
        if (path := one.skipped(detector)).exists() and (count := skipped_images(path)):
            lines.append(f"images without regions in {one.setting}: {count:,}; {path} says why")
    return lines


@click.command()
@click.argument("output", type=FILE)
def schema(output: Path) -> None:
    """Write the JSON schema of config.yaml."""
    from jvgn.settings.configuration import configuration_schema
    from jvgn.storage.files import write_text

    write_text(output, json.dumps(configuration_schema(), indent=2) + "\n")


@click.command()
@click.argument("names", type=click.Choice(list(RUNS_OF_TABLES)), nargs=-1)
@click.option("--results", type=FILE, default=Path("results"), show_default=True, help="The folder of all results.")
@click.option("--output", type=FILE, help="Also write them into this folder, as CSV and as Markdown.")
def tables(names: tuple[str, ...], results: Path, output: Path | None) -> None:
    """Print the paper's tables (all, or NAMES) with our figures from the runs so far. Nothing is run."""
    from jvgn.paper.paper_tables import as_markdown, paper_table, write_tables
    from jvgn.paper.runs import existing_metrics

    for name in names or RUNS_OF_TABLES:
        metrics = existing_metrics(results, name)
        say(*as_markdown(name, paper_table(name, metrics)).split("\n"))
        if output is not None:
            write_tables(name, metrics, output / f"{name}.csv", output / f"{name}.md")


@click.command()
@click.argument("experiment")
@click.option("--run", default="default", show_default=True, help="A name in config.yaml.")
@click.option("--preset", help="Instead of the preset in config.yaml.")
@click.option(
    "--throughput",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="Of the GPU, in tera-operations a second, as reached in practice.",
)
@config_option
def plan(experiment: str, run: str, preset: str | None, throughput: float, config: tuple[Path, ...]) -> None:
    """Print the time, memory and disk that an EXPERIMENT such as refcocog_det needs, and what exists already."""
    from jvgn.planning.experiment import Experiment
    from jvgn.planning.plan import plan as lines
    from jvgn.settings.configuration import configuration_files, read_configuration

    dataset, _, setting = experiment.rpartition("_")
    if not dataset:
        raise UserError(f"{experiment}: expected a dataset and a setting, such as refcocog_det")
    chosen = read_configuration(*configuration_files(config), preset=preset)
    say(*lines(Experiment(chosen, dataset, setting, run), throughput))
