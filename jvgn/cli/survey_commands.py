"""Commands of the human evaluation: a form for raters, and a count of their answers."""

from pathlib import Path

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, config_option


@click.group()
def survey() -> None:
    """Ask people how clearly they understand a model's groundings, as the paper does. See docs/survey.md."""


@survey.command()
@click.argument("models", nargs=-1, required=True, metavar="NAME=RUN...")
@click.option("--examples", type=click.IntRange(min=1), default=30, show_default=True, help="Examples of each model.")
@click.option("--split", default="test", show_default=True, help="Split of the runs' dataset.")
@click.option("--seed", default=0, show_default=True, help="Chooses and shuffles the examples.")
@click.option("--images", type=FILE, help="The folder of the images, if not the one in config.yaml.")
@config_option
@click.option("--output", type=FILE, required=True, help="The form to write, an .html file for raters.")
@click.option("--key", type=FILE, required=True, help="The .json file to write, which says who made which example.")
def make(
    models: tuple[str, ...],
    examples: int,
    split: str,
    seed: int,
    images: Path | None,
    config: tuple[Path, ...],
    output: Path,
    key: Path,
) -> None:
    """Write a form that shows the same sentences as grounded by each model, shuffled.

    RUN is the folder of a finished run, or a .jsonl file of groundings from anywhere else.
    """
    from jvgn.views.survey.form import write_form
    from jvgn.views.survey.rated_models import read_models

    write_form(read_models(models, split, images, config), examples, seed, output, key)
    say(f"{output}  send this to raters: they open it in a browser and send back the file that it saves")
    say(f"{key}  keep this for yourself: it says which model made which example")


@survey.command()
@click.argument("answers", type=FILE, nargs=-1, required=True)
@click.option("--key", type=FILE, required=True, help="The key that was written with the form.")
@click.option("--output", type=FILE, help="The folder for shares.csv, agreement.csv, shares.svg and shares.png.")
def tally(answers: tuple[Path, ...], key: Path, output: Path | None) -> None:
    """Count the ANSWERS of all raters: the share of each answer for each model, and the raters' agreement."""
    from jvgn.views.survey.tally import tally as counted

    say(*counted(list(answers), key, output))
