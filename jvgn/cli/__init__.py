"""The command line: what people ask for, and the stages that the workflow runs."""

import json
import os
from pathlib import Path

import click

from jvgn.cli.detector_stages import REGION_STAGES
from jvgn.cli.downloads import SOURCE_STAGES
from jvgn.cli.errors import Commands
from jvgn.cli.explore import explore
from jvgn.cli.graphs import GRAPH_STAGES
from jvgn.cli.ground import ground, show
from jvgn.cli.log import say, start_log
from jvgn.cli.options import FILE, TABLES, given, made_tables, parser_options
from jvgn.cli.paper import PAPER_COMMANDS
from jvgn.cli.report import figures
from jvgn.cli.stages import STAGES
from jvgn.cli.survey import survey
from jvgn.storage.stage_command import Stage, reads
from parsers.errors import UserError
from parsers.parser import named_parser


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="jvgn")
def main() -> None:
    """Joint visual grounding with language scene graphs. The workflow runs these commands; so can you."""
    # Read when torch is loaded. Threads that wait must not spin: beside another job they would take its core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it, CUDA's products differ from run to run
    start_log()


OWN_COMMANDS = [ground, show, explore, figures, survey]

for command in [*STAGES, *GRAPH_STAGES, *REGION_STAGES, *SOURCE_STAGES, *PAPER_COMMANDS, *OWN_COMMANDS]:
    main.add_command(command)


@main.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
def summary(runs: tuple[Path, ...]) -> None:
    """Print the results of RUNS as a table."""
    from jvgn.evaluation.summary import summary as table
    from jvgn.grounding.run_folder import RunFolder

    for run in runs:
        if not run.exists():
            RunFolder.find(run)  # says which runs there are
    say(*table(list(runs)))


@main.command()
@click.argument("folder", type=FILE, default=Path("results"))
def verify(folder: Path) -> None:
    """Check that the files below FOLDER are as they were written, from inputs and by code that are still the same."""
    from jvgn.storage.verify import verify as check

    counts = {"broken": 0, "missing": 0, "stale": 0, "unknown": 0}
    for finding in check(folder):
        counts[finding.kind] += 1
        say(f"{finding.kind:8} {finding.path}: {finding.reason}")
    if any(counts.values()):
        raise UserError(
            f"{folder}: files broken: {counts['broken']}, missing: {counts['missing']}, stale: {counts['stale']},"
            f" of unknown origin: {counts['unknown']}; delete those that are broken or unknown to you,"
            " and run the workflow again"
        )
    say(f"{folder}: every file is as it was written, from what is still the same")


@main.command(cls=Stage)
@given("settings")
@made_tables(*TABLES)
def read_custom(settings: Path, output: Path) -> None:
    """Read a dataset of your own into four tables."""
    from jvgn.datasets.custom import read_custom as read
    from jvgn.settings.custom import CustomSettings
    from parsers.words.tokens import tokenise  # that of `ground`, so that a model meets the words it has learned

    chosen = CustomSettings.read(settings)
    reads(chosen.annotations, chosen.expressions)
    read(chosen, output, tokenise)


@main.command()
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
    from parsers.tools import graph_drawing

    if not sentence.strip():
        raise UserError("an empty sentence mentions nothing; give some words")
    parser = named_parser(backend, options)
    parser.load()  # an option that it lacks is said to be none, whatever `parse` would take it for
    found = parse(sentence, backend=parser.backend, conventions=conventions, **parser.options)
    if as_json:
        click.echo(pictures.as_json(found), nl=False)
    else:
        say(*graph_drawing.drawn(found), *graph_drawing.remarks(found))
    if output is not None:
        pictures.write_picture(found, output)


@main.group()
def regions() -> None:
    """Look into a FILE of regions, such as results/regions/shapes_det/tiny.h5."""


@regions.command()
@click.argument("file", type=FILE)
def info(file: Path) -> None:
    """Print what made a FILE of regions, and what it holds."""
    from jvgn.views.regions import region_info

    say(*region_info(file))


@regions.command("show")
@click.argument("file", type=FILE)
@click.argument("image", type=FILE)
@click.option("--output", type=FILE, help="The PNG or SVG file to draw; {image}.regions.png if left out.")
@click.option("--dataset", type=FILE, help="The folder of the dataset's tables, where it is not beside the regions'.")
def show_regions(file: Path, image: Path, output: Path | None, dataset: Path | None) -> None:
    """Draw the regions of an IMAGE with their scores, and print them."""
    from jvgn.grounding.questions import check_drawing
    from jvgn.views.regions import RegionViewer

    drawn = output or Path(f"{image.stem}.regions.png")
    check_drawing(drawn, image)
    viewer = RegionViewer(file, dataset)
    for row in viewer.table(image).itertuples():
        say(f"{row.score:5.2f}  {row.name:20} [{row.x1:.0f}, {row.y1:.0f}, {row.x2:.0f}, {row.y2:.0f}]")
    viewer.draw(image, drawn)
    say(f"drawn: {drawn}")


@main.command()
@click.option("--dataset", required=True, help="One of config.yaml's.")
@click.option("--run", default="default", show_default=True, help="One of config.yaml's.")
@click.option("--preset", help="Instead of config.yaml's.")
@click.option("--words", type=click.IntRange(min=1), help="The vocabulary's size; the default is the paper's.")
@click.option("--feature-size", type=click.IntRange(min=1), default=2048, show_default=True, help="The detector's.")
@click.option("--config", type=FILE, default=Path("config.yaml"), show_default=True)
def describe(dataset: str, run: str, preset: str | None, words: int | None, feature_size: int, config: Path) -> None:
    """Print the layers of a run's model with their shapes and parameters; no data is needed."""
    from jvgn.paper.parameters import description, layers
    from jvgn.settings.configuration import read_configuration
    from jvgn.vocabulary.sweep import SIZES_IN_PAPER

    chosen = read_configuration(config, preset)
    chosen.check_run(dataset, run)
    words = words or SIZES_IN_PAPER.get(dataset)
    if words is None:
        raise UserError(f"the paper has no vocabulary of {dataset}; say how many words there are: --words 1000")
    settings = chosen.run(dataset, run)
    vector_size = chosen.vocabularies[settings.vocabulary].vector_size
    say(*description(layers(settings.model, words, vector_size, feature_size)))


@main.command()
@click.argument("output", type=FILE)
def schema(output: Path) -> None:
    """Write the JSON schema of config.yaml."""
    from jvgn.settings.configuration import configuration_schema
    from jvgn.storage.files import replacing

    with replacing(output) as temporary:
        temporary.write_text(json.dumps(configuration_schema(), indent=2) + "\n")
