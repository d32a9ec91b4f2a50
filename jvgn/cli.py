"""The command line: what people ask for, and the stages that the workflow runs."""

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

import click

from jvgn.stage_commands import FILE, STAGES, device_option, prepared_device, threads_option
from parsers.files import UserError


class Commands(click.Group):
    """Shows a user's mistake as one line, exit code 1, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"Error: {' '.join(str(error).split())}", err=True)
            sys.exit(1)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="jvgn")
def main() -> None:
    """Joint visual grounding with language scene graphs. The workflow runs these commands; so can you."""
    # Read when torch is loaded. Threads that wait must not spin: beside another job they would take its core.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # without it, CUDA's products differ from run to run
    logging.basicConfig(level=logging.INFO, format="%(message)s")


for stage in STAGES:
    main.add_command(stage)


@main.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
def summary(runs: tuple[Path, ...]) -> None:
    """Print the results of RUNS as a table."""
    from jvgn.summary import summary as table

    click.echo(table(list(runs)))


@main.command()
@click.argument("sentence")
@click.option("--backend", default="lexical", show_default=True, help="The parser.")
def graph(sentence: str, backend: str) -> None:
    """Print the scene graph of a SENTENCE; a star marks the referent."""
    from parsers import parse

    if not sentence.strip():
        raise UserError("an empty sentence mentions nothing; give some words")
    click.echo(str(parse(sentence, backend=backend)))


@main.command()
@click.argument("image", type=FILE)
@click.argument("sentence")
@click.option("--run", type=FILE, required=True, help="The folder of a trained run, such as results/shapes_det.")
@click.option("--output", type=FILE, help="Also draw the groundings into this PNG or SVG file.")
@threads_option
@device_option
def ground(image: Path, sentence: str, run: Path, output: Path | None, threads: int, device: str | None) -> None:
    """Find every object that a SENTENCE mentions in an IMAGE."""
    from PIL import Image

    from jvgn.grounder import Grounder

    chosen = prepared_device(device, threads)
    groundings = Grounder.load(run, str(chosen)).ground(image, sentence)
    for found in groundings:
        mark = "*" if found.is_referent else " "
        box = ", ".join(f"{side:.0f}" for side in found.box)
        click.echo(f"{mark} {found.phrase:30} [{box}]  {found.unary:.2f} before, {found.marginal:.2f} after")
    if output is not None:
        from jvgn.figures import draw_grounding

        with Image.open(image) as picture:
            draw_grounding(picture.convert("RGB"), sentence, groundings, output)


@main.group()
def regions() -> None:
    """Look into a FILE of regions, such as results/regions/shapes_det/tiny.h5."""


@regions.command()
@click.argument("file", type=FILE)
def info(file: Path) -> None:
    """Print what made a FILE of regions, and what it holds."""
    from jvgn.region_views import region_info

    click.echo(region_info(file))


@regions.command()
@click.argument("file", type=FILE)
@click.argument("image", type=FILE)
@click.option("--output", type=FILE, help="The PNG or SVG file to draw; {image}.regions.png if left out.")
@click.option("--dataset", type=FILE, help="The folder of the dataset's tables, where it is not beside the regions'.")
def show(file: Path, image: Path, output: Path | None, dataset: Path | None) -> None:
    """Draw the regions of an IMAGE with their scores, and print them."""
    from jvgn.region_views import RegionViewer

    viewer = RegionViewer(file, dataset)
    for row in viewer.table(image).itertuples():
        click.echo(f"{row.score:5.2f}  {row.name:20} [{row.x1:.0f}, {row.y1:.0f}, {row.x2:.0f}, {row.y2:.0f}]")
    drawn = output or Path(f"{image.stem}.regions.png")
    viewer.draw(image, drawn)
    click.echo(f"drawn: {drawn}")


@main.command()
@click.argument("output", type=FILE)
def schema(output: Path) -> None:
    """Write the JSON schema of config.yaml."""
    from jvgn.settings.configuration import configuration_schema
    from parsers.files import replacing

    with replacing(output) as temporary:
        temporary.write_text(json.dumps(configuration_schema(), indent=2) + "\n")
