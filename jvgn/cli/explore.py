"""`jvgn explore`."""

import os
from pathlib import Path

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, device_option, images_of, prepared_device, threads_option
from jvgn.views.explorer.address import ADDRESS, listening
from parsers.errors import UserError


@click.command()
@click.argument("run", type=FILE)
@click.option("--images", type=FILE, help="The folder of the dataset's images, where it is not that of config.yaml.")
@click.option("--config", type=FILE, help="Another config.yaml than the one beside the results.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any free one.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")
@threads_option
@device_option
def explore(
    run: Path, images: Path | None, config: Path | None, port: int, no_browser: bool, threads: int, device: str | None
) -> None:
    """Open a page that grounds sentences in pictures with a trained RUN, such as results/shapes_det, step by step."""
    from jvgn.grounding.run_folder import RunFolder

    found = RunFolder.find(run)
    folder = images or images_of(found, config)
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder of images; name it: --images FOLDER")
    with listening(port) as listener:
        from jvgn.grounding.grounder import Grounder
        from jvgn.views.explorer.pictures import Pictures
        from jvgn.views.explorer.server import explorer, serve

        grounder = Grounder.load(run, str(prepared_device(device, threads)))
        pictures = Pictures(grounder, found.tables, folder)
        port = listener.getsockname()[1]
        app = explorer(f"{found.folder.relative_to(found.results)}: explorer", grounder, pictures, port)
        say(f"http://{ADDRESS}:{port}/ explores {run}; Ctrl-C ends it")
        serve(app, listener, open_browser=not no_browser)
    os._exit(0)  # at once: the interpreter would abort if it ended while the thread of a connection is inside torch
