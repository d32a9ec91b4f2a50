"""Commands that download: by the name of a source, for people, and file by file, for the workflow."""

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, config_option, json_value
from parsers.errors import UserError

if TYPE_CHECKING:
    from pydantic import BaseModel

Model = TypeVar("Model", bound="BaseModel")

SOURCE = click.option("--source", required=True, help="The source's settings, as JSON.")


@click.command()
@click.argument("names", nargs=-1, required=True)
@config_option
def fetch(names: tuple[str, ...], config: tuple[Path, ...]) -> None:
    """Download, verify and unpack the sources NAMES (refcoco, glove, …), unless their files exist."""
    from jvgn.downloads.download import fetch as run
    from jvgn.settings.configuration import configuration_files, read_configuration

    chosen = read_configuration(*configuration_files(config))
    known = chosen.all_sources
    for name in names:
        if name not in known:
            raise UserError(f"{name}: no such source; choose among: {', '.join(known)}")
    for name in names:
        run(known[name], chosen.downloads)
        for target in known[name].provides:
            say(target)


@click.command()
@SOURCE
@click.option("--downloads", required=True, help="How to download, as JSON.")
def download(source: str, downloads: str) -> None:
    """Download a source's file, or verify the existing one."""
    from jvgn.downloads.download import obtain
    from jvgn.settings.source import DownloadSettings, SourceSettings

    obtain(from_json(SourceSettings, source), from_json(DownloadSettings, downloads))


@click.command()
@SOURCE
@click.argument("target")
def provide(source: str, target: str) -> None:
    """Verify a source's file and unpack TARGET from it."""
    from jvgn.downloads.download import provide as run
    from jvgn.settings.source import SourceSettings

    run(from_json(SourceSettings, source), target)


def from_json(model: type[Model], values: str) -> Model:
    from jvgn.settings.base import validated

    return validated(model, json_value(values, "settings of the source"), "settings of the source")


@click.command()
@click.argument("folder", type=FILE)
def fetch_corenlp(folder: Path) -> None:
    """Download CoreNLP's jars, 484 MB, into FOLDER with Maven."""
    from jvgn.downloads.corenlp_jars import fetch as run

    run(folder)
