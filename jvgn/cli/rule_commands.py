"""Commands of grounding by rules: `evaluate` measures them, or a run, on photographs; `rules` lists them."""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, device_option, prepared_device, threads_option
from parsers.errors import UserError

if TYPE_CHECKING:
    from jvgn.evaluation.expression_accuracy import AskedExpression, Grounded
    from jvgn.rules.given_regions import GivenRegions
    from jvgn.rules.scene import Scene
    from jvgn.rules.scene_finder import SeenPicture
    from jvgn.settings.run import RuleSettings

STDOUT = Path("-")


@click.command()
@click.option("--images", type=FILE, required=True, help="The folder of the images.")
@click.option("--annotations", type=FILE, required=True, help="Annotated boxes, in COCO's format.")
@click.option(
    "--expressions", type=FILE, required=True, help="Expressions with gold boxes, a JSON object in each line."
)
@click.option("--detections", type=FILE, help="Choose from these regions, in COCO's format of results.")
@click.option("--detector", help="Choose from the regions that it finds, as in `jvgn ground`.")
@click.option("--run", type=FILE, help="Evaluate a trained run instead of the rules.")
@click.option("--settings", type=FILE, help="A YAML file with weights of the rules.")
@click.option("--without", multiple=True, help="Leave out a group of rules: names, relations, …; may be repeated.")
@click.option("--absent", is_flag=True, help="Also ask each expression of all other images: is it rightly not found?")
@click.option("--json", "answers_file", type=FILE, help="Also write the result into this file; - prints it.")
@threads_option
@device_option
def evaluate(
    images: Path,
    annotations: Path,
    expressions: Path,
    detections: Path | None,
    detector: str | None,
    run: Path | None,
    settings: Path | None,
    without: tuple[str, ...],
    absent: bool,
    answers_file: Path | None,
    threads: int,
    device: str | None,
) -> None:
    """Measure how well expressions with gold boxes are grounded in photographs, by the rules or by a run."""
    from jvgn.evaluation.expression_accuracy import judged, read_expressions, result, table
    from jvgn.rules.given_regions import GivenRegions
    from jvgn.settings.base import validated
    from jvgn.settings.run import RuleSettings
    from jvgn.storage.files import write_text

    if detector and detections:
        raise UserError("--detector: finds regions, but --detections gives them; choose one")
    asked, given = read_expressions(expressions), GivenRegions.read(annotations, detections)
    for one in asked:
        named = [mention.annotation for mention in one.mentions if mention.annotation is not None]
        if unknown := [note for note in (one.referent, *named) if note not in given.objects]:
            raise UserError(f"{expressions}: annotation {unknown[0]} is not in {annotations}; fix the line")
        if one.image_id not in given.images:
            raise UserError(f"{expressions}: image {one.image_id} is not in {annotations}; fix the line")
    if run is not None:
        if settings or without or detector or absent:
            raise UserError(
                "--run: a trained run has no rules; leave out --settings, --without, --detector and --absent"
            )
        ground = by_run(given, images, run, str(prepared_device(device, threads)))
    else:
        chosen = RuleSettings() if settings is None else RuleSettings.read(settings)
        fewer = chosen.model_dump() | {"without": (*chosen.without, *without)}
        rules = validated(RuleSettings, fewer, "--without")
        if detector is None:
            ground = by_rules(given, images, rules)
        else:
            ground = by_detector(given, images, rules, detector, str(prepared_device(device, threads)))
    regions = str(given.path if detector is None else detector)
    found = result("rules" if run is None else str(run), regions, judged(asked, ground, given.box))
    if absent:
        found["absent"] = calibration_of(given, asked, ground)
    text = json.dumps(found, indent=1) + "\n"
    if answers_file == STDOUT:
        click.echo(text, nl=False)
        return
    say(*table(found))
    if absent:
        from jvgn.evaluation.absent_expressions import calibration_table

        say(*calibration_table(found["absent"]))
    if answers_file is not None:
        write_text(answers_file, text)


def by_rules(given: "GivenRegions", images: Path, settings: "RuleSettings") -> "Callable[[AskedExpression], Grounded]":
    from jvgn.evaluation.expression_accuracy import Grounded
    from jvgn.grounding.rule_grounder import RuleGrounder, boxes

    grounder = RuleGrounder(settings)

    @functools.lru_cache(maxsize=8)
    def scene(image_id: int) -> "Scene":
        image = given.images[image_id]
        return given.scene(image, images / image.file_name)

    def ground(asked: "AskedExpression") -> Grounded:
        answer = grounder.answer(scene(asked.image_id), asked.expression)
        unfound = answer.not_found(answer.graph.referent)
        return Grounded(answer.graph, boxes(answer), given.all_boxes(asked.image_id), unfound)

    return ground


def by_detector(
    given: "GivenRegions", images: Path, settings: "RuleSettings", detector: str, device: str
) -> "Callable[[AskedExpression], Grounded]":
    from jvgn.evaluation.expression_accuracy import Grounded
    from jvgn.grounding.rule_grounder import RuleGrounder, boxes
    from jvgn.rules.pretrained_scenes import pretrained_finder
    from jvgn.storage.pictures import read_picture

    finder = pretrained_finder(detector, device)
    grounder = RuleGrounder(settings, finder=finder)
    say(f"Warning: {finder.name} may have been trained on these images, so the numbers may be too high", err=True)

    @functools.lru_cache(maxsize=8)
    def seen(image_id: int) -> "SeenPicture":
        # As stored, because the gold boxes refer to stored pixels.
        return finder.look(read_picture(images / given.images[image_id].file_name))

    def ground(asked: "AskedExpression") -> Grounded:
        answer = grounder.answer(seen(asked.image_id), asked.expression)
        return Grounded(answer.graph, boxes(answer), answer.box_N4, answer.not_found(answer.graph.referent))

    return ground


def calibration_of(
    given: "GivenRegions", asked: "list[AskedExpression]", ground: "Callable[[AskedExpression], Grounded]"
) -> dict[str, Any]:
    """Ask every expression of every image, and return how well "not found" is calibrated."""
    from tqdm import tqdm

    from jvgn.evaluation.absent_expressions import calibration, doubted

    images: dict[int, set[int]] = {image_id: set() for image_id in given.images}
    for one in given.objects.values():
        images[one.image_id].add(one.category_id)
    rows = doubted(asked, images, lambda note: given.objects[note].category_id, given.box, ground)
    return calibration(list(tqdm(rows, total=len(images) * len(asked), unit=" questions", disable=None)))


def by_run(given: "GivenRegions", images: Path, run: Path, device: str) -> "Callable[[AskedExpression], Grounded]":
    from jvgn.evaluation.expression_accuracy import Grounded
    from jvgn.grounding.grounder import Grounder
    from jvgn.grounding.rule_grounder import boxes

    grounder = Grounder.load(run, device)

    def ground(asked: "AskedExpression") -> Grounded:
        image = given.images[asked.image_id]
        seen = grounder.look_at(images / image.file_name, given.scene(image, None).box_N4)
        answer = grounder.answer(seen, asked.expression)
        return Grounded(answer.graph, boxes(answer), given.all_boxes(asked.image_id))

    return ground


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as JSON, for programs.")
def rules(as_json: bool) -> None:
    """List the rules that ground sentences without training, each with an example."""
    from jvgn.rules.rule_list import RULES

    if as_json:
        listed = [{"name": one.name, "group": one.group, "says": one.says, "example": one.example} for one in RULES]
        click.echo(json.dumps(listed, indent=1))
        return
    say(*(f"{one.group:12}  {one.name:17}  {one.example:38}  {one.says}" for one in RULES))
