"""`jvgn explore`: ask in a browser."""

import os
from pathlib import Path

import click

from jvgn.cli.ground_commands import IMAGES, PARSER, image_folder, ready_parser
from jvgn.cli.log import say
from jvgn.cli.options import FILE, config_option, device_option, prepared_device, threads_option


@click.command()
@click.argument("run", type=FILE)
@IMAGES
@config_option
@PARSER
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 is any free one.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@threads_option
@device_option
def explore(
    run: Path,
    images: Path | None,
    config: tuple[Path, ...],
    parser_name: str | None,
    port: int,
    no_browser: bool,
    threads: int,
    device: str | None,
) -> None:
    """Open a page that grounds sentences in images with a trained RUN, such as results/shapes_det, step by step."""
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.grounding.stored_regions import StoredRegions
    from jvgn.views.explorer.server import ADDRESS, explorer, listening, serve

    found = RunFolder.find(run)
    folder = image_folder(found, images, config)
    detector = found.read_settings().detector
    if not StoredRegions.of(found, detector, folder).exist():
        found.check_detection(detector)
    parser = ready_parser(found, parser_name)
    with listening(port) as listener:
        from jvgn.grounding.grounder import Grounder
        from jvgn.views.explorer.image_list import ImageList

        grounder = Grounder.load(run, str(prepared_device(device, threads)), parser, folder)
        port = listener.getsockname()[1]
        app = explorer(f"{found.name}: explorer", grounder, ImageList(grounder, found.tables, folder), port)
        say(f"http://{ADDRESS}:{port}/ explores {run}; press Ctrl-C to stop")
        serve(app, listener, open_browser=not no_browser)
    os._exit(0)  # at once: the interpreter would abort if a thread is inside torch
