"""`jvgn explore`: ask a trained run or the rules in a browser."""

import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jvgn.cli.ground_commands import (
    DETECTOR,
    IMAGES,
    OF_SHAPES,
    PARSER,
    check_regions,
    image_folder,
    ready_parser,
    rule_grounder,
)
from jvgn.cli.log import say
from jvgn.cli.options import FILE, config_option, device_option, prepared_device, threads_option
from parsers.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from parsers.parser import Parser


@click.command()
@click.argument("run", type=FILE, required=False)
@click.option("--annotations", type=FILE, help="The regions for the rules: a file in COCO's format; with --images.")
@click.option("--detections", type=FILE, help="Results of a detector on the annotated images, instead of their boxes.")
@DETECTOR
@IMAGES
@config_option
@PARSER
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0 is any free one.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@threads_option
@device_option
def explore(
    run: Path | None,
    annotations: Path | None,
    detections: Path | None,
    detector: str | None,
    images: Path | None,
    config: tuple[Path, ...],
    parser_name: str | None,
    port: int,
    no_browser: bool,
    threads: int,
    device: str | None,
) -> None:
    """Open a page that grounds sentences in images, step by step, with a trained RUN such as results/shapes_det.

    Without RUN, the rules of `jvgn rules` answer: about the pictures of --images with the regions of --annotations, or
    about those and your uploads with a pretrained --detector. Without any option, about three photographs that come
    with jvgn, and about your uploads with the best detector that is available.
    """
    from jvgn.views.explorer.server import ADDRESS, listening, serve

    check_regions(run, annotations, detections, detector)
    if annotations is not None and images is None:
        raise UserError("--annotations: needs the folder of its images; give --images FOLDER")
    if run is not None:
        make = by_run(run, images, config, parser_name, threads, device)
    else:
        parser = ready_parser(None, parser_name)
        make = functools.partial(by_rules, annotations, detections, detector, images, parser, threads, device)
    with listening(port) as listener:
        port = listener.getsockname()[1]
        app = make(port)
        explored = run or annotations or images or detector or "example photographs"
        say(f"http://{ADDRESS}:{port}/ explores {explored}; press Ctrl-C to stop")
        serve(app, listener, open_browser=not no_browser)
    os._exit(0)  # at once: the interpreter would abort if a thread is inside torch


def by_run(
    run: Path, images: Path | None, config: tuple[Path, ...], parser_name: str | None, threads: int, device: str | None
) -> "Callable[[int], Flask]":
    """Check what a run needs, and return a function that loads it for a port."""
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.grounding.stored_regions import StoredRegions

    found = RunFolder.find(run)
    folder = image_folder(found, images, config)
    detector = found.read_settings().detector
    if not StoredRegions.of(found, detector, folder).exist():
        found.check_detection(detector)
    parser = ready_parser(found, parser_name)

    def make(port: int) -> "Flask":
        from jvgn.grounding.grounder import Grounder
        from jvgn.views.explorer.image_list import ImageList
        from jvgn.views.explorer.server import explorer

        grounder = Grounder.load(run, str(prepared_device(device, threads)), parser, folder)
        listed = ImageList.of_dataset(grounder, found.tables, folder)
        warning = OF_SHAPES if found.dataset == "shapes" else None
        return explorer(f"{found.name}: explorer", grounder, listed, port, of_uploads=warning)

    return make


def by_rules(
    annotations: Path | None,
    detections: Path | None,
    detector: str | None,
    images: Path | None,
    parser: "Parser",
    threads: int,
    device: str | None,
    port: int,
) -> "Flask":
    """Return the explorer of the rules: with given regions, with a detector, or with example photographs."""
    from jvgn.grounding.rule_grounder import RuleGrounder
    from jvgn.rules.given_regions import GivenRegions
    from jvgn.views.explorer.example_photographs import REGIONS, example_photographs
    from jvgn.views.explorer.image_list import ImageList
    from jvgn.views.explorer.server import explorer

    if annotations is None and detector is None and images is None:
        # The detector is loaded, and its weights are downloaded, only if somebody uploads a picture.
        detecting = functools.cache(lambda: rule_grounder(None, None, None, parser, threads, device))
        grounder = RuleGrounder(parser=parser, finder=GivenRegions.read(REGIONS))
        listed = ImageList(example_photographs(), lambda image: detecting().look(image), grounder.look)
        return explorer("Rules on example photographs: explorer", grounder, listed, port, opens=True)
    grounder = rule_grounder(annotations, detections, detector, parser, threads, device)
    assert grounder.finder is not None
    if annotations is not None:
        assert images is not None
        listed = ImageList.of_regions(grounder, images)
    else:
        listed = ImageList.of_folder(grounder, images)
    return explorer(f"Rules, {grounder.finder.name}: explorer", grounder, listed, port, opens=True)
