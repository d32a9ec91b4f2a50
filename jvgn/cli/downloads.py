"""Downloads on the command line: by hand, by the name of a source, and as the workflow's rules ask for them."""

from pathlib import Path
from typing import TypeVar

import click
from pydantic import BaseModel

from jvgn.cli.log import say
from jvgn.cli.options import FILE
from jvgn.storage.text_formats import parsed_json
from parsers.errors import UserError

Model = TypeVar("Model", bound=BaseModel)

SOURCE = click.option("--source", required=True, help="The source's settings, as JSON.")


@click.command()
@click.argument("names", nargs=-1, required=True)
@click.option("--config", type=FILE, multiple=True, help="config.yaml, if left out; later ones lie over earlier ones.")
def fetch(names: tuple[str, ...], config: tuple[Path, ...]) -> None:
    """Download the sources NAMES (refcoco, glove, …): verified and unpacked, unless what they provide is there."""
    from jvgn.downloads.provision import fetch as run
    from jvgn.settings.configuration import read_configurations

    chosen = read_configurations(config or (Path("config.yaml"),))
    known = chosen.all_sources
    for name in names:
        if name not in known:
            raise UserError(f"there is no source {name}; there are: {', '.join(known)}")
    for name in names:
        run(known[name], chosen.downloads)
        for target in known[name].provides:
            say(target)


@click.command()
@SOURCE
@click.option("--downloads", required=True, help="How to download, as JSON.")
def download(source: str, downloads: str) -> None:
    """Download a source's file, or verify the one that is there."""
    from jvgn.downloads.download import obtain
    from jvgn.settings.source import DownloadSettings, SourceSettings

    obtain(from_json(SourceSettings, source), from_json(DownloadSettings, downloads))


@click.command()
@SOURCE
@click.argument("target")
def provide(source: str, target: str) -> None:
    """Verify a source's file and take TARGET out of it."""
    from jvgn.downloads.provision import provide as run
    from jvgn.settings.source import SourceSettings

    run(from_json(SourceSettings, source), target)


def from_json(model: type[Model], values: str) -> Model:
    from jvgn.settings.base import validated

    try:
        chosen = parsed_json(values)
    except ValueError as error:
        raise UserError(f"settings of the source: not readable as JSON ({error})") from error
    return validated(model, chosen, "settings of the source")


@click.command()
@click.argument("folder", type=FILE)
def fetch_corenlp(folder: Path) -> None:
    """Fetch CoreNLP's jars, 484 MB, into FOLDER, with Maven."""
    from jvgn.downloads.corenlp_jars import fetch as run

    run(folder)


SOURCE_STAGES = [fetch, download, provide, fetch_corenlp]
