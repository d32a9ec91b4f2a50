"""Commands that ask a trained run or the rules: `ground` for your own images, `show` for a dataset's."""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, config_option, device_option, prepared_device, threads_option
from jvgn.storage.shown_text import one_line
from parsers.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from jvgn.grounding.answer import Answer
    from jvgn.grounding.grounder import Grounder
    from jvgn.grounding.questions import ImageQuestion
    from jvgn.grounding.rule_grounder import RuleGrounder
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.rules.scene_finder import SceneFinder
    from parsers.parser import Parser

STDOUT = Path("-")
MOST_JOINT = 1000
"""Limit of joint groundings: the memory of their search grows with the square of their number."""
OF_SHAPES = "this run was trained on drawn shapes; it knows nothing about photographs"
PARSER = click.option("--parser", "parser_name", help="Another parser than the run's, such as stanza:models=FOLDER.")
DETECTOR = click.option("--detector", help="Finds regions for the rules: torchvision-coco, or a transformers model.")
IMAGES = click.option("--images", type=FILE, help="The folder of the dataset's images, if not the one in config.yaml.")


@click.command()
@click.argument("image", type=FILE, required=False)
@click.argument("expressions", nargs=-1)
@click.option("--run", type=FILE, help="The folder of a trained run, such as results/shapes_det; else, rules answer.")
@click.option("--annotations", type=FILE, help="The regions for the rules: a file in COCO's format.")
@click.option(
    "--detections", type=FILE, help="Results of a detector on the annotated images, as regions for the rules."
)
@DETECTOR
@click.option("--csv", "table", type=FILE, help="Read the questions from this file: columns image, expression.")
@click.option("--output", type=FILE, help="The PNG or SVG file to draw; a folder for several expressions.")
@click.option("--json", "answers_file", type=FILE, help="Also write the answers into this .json file; - prints them.")
@click.option("--best", type=click.IntRange(1, MOST_JOINT), metavar="K", help="Print the K best joint groundings.")
@PARSER
@threads_option
@device_option
def ground(
    image: Path | None,
    expressions: tuple[str, ...],
    run: Path | None,
    annotations: Path | None,
    detections: Path | None,
    detector: str | None,
    table: Path | None,
    output: Path | None,
    answers_file: Path | None,
    best: int | None,
    parser_name: str | None,
    threads: int,
    device: str | None,
) -> None:
    """Find every object that EXPRESSIONS mention in an IMAGE.

    An image of the run's dataset has the regions that the run used; in another one, its detector finds them.

    The answers are also drawn, into {image}.grounding.png or, for several expressions, {image}.1.grounding.png and so
    on. --output names another file, or a folder for several. With --csv or --json -, nothing is drawn without --output.

    Without --run, the rules of `jvgn rules` find the objects: among the regions of --annotations, or among those that a
    pretrained detector finds. Its weights are downloaded once. --detector takes torchvision-coco, or the name or folder
    of a model of transformers, such as PekingU/rtdetr_r50vd or IDEA-Research/grounding-dino-tiny.
    """
    from tqdm import tqdm

    from jvgn.grounding.answer import as_json, error_json, result_json
    from jvgn.grounding.questions import asked_of, check_output
    from jvgn.storage.files import write_text

    asked = asked_of(image, expressions, table)
    check_regions(run, annotations, detections, detector)
    found = None if run is None else ready_run(run, asked)
    parser = ready_parser(found, parser_name)
    is_silent = answers_file == STDOUT
    drawings = [] if output is None and (is_silent or table is not None) else drawing_files(asked, output)
    if answers_file is not None and not is_silent:
        check_output(answers_file, ".json")

    results, errors = [], []
    if run is None:
        load = partial(rule_grounder, annotations, detections, detector, parser, threads, device)
        answers = answered(asked, load, best or 0)
    else:
        warn_of_shapes(run, asked)
        answers = answered(asked, partial(trained_grounder, run, parser, threads, device), best or 0)
    # Printed answers show the progress by themselves.
    for number, answer in tqdm(answers, total=len(asked), unit=" expressions", disable=None if is_silent else True):
        question = asked[number]
        if isinstance(answer, str):
            say(f"Error: {one_line(question.located(answer))}", err=True)
            errors.append(error_json(number, question.image, question.text, answer))
            continue
        results.append(result_json(number, question.image, answer))
        report(question, answer, is_silent)
        if drawings and answer.pixels_HW3 is not None:
            draw(answer.pixels_HW3, answer, drawings[number], is_silent)
    text = as_json(run, results, errors)
    if is_silent:
        click.echo(text, nl=False)
    elif answers_file is not None:
        write_text(answers_file, text)
    if errors:
        sys.exit(1)


def check_regions(run: Path | None, annotations: Path | None, detections: Path | None, detector: str | None) -> None:
    """Check that the options name one way to find regions."""
    if run is not None and (annotations or detections or detector):
        raise UserError(
            "--run: finds regions by itself, but --annotations, --detections and --detector are for the rules; give one"
            " of them"
        )
    if detector is not None and (annotations or detections):
        raise UserError("--detector: finds regions, but --annotations and --detections give them; choose one")
    if detections is not None and annotations is None:
        raise UserError("--detections: needs --annotations FILE, which names the images and categories; give it too")


def rule_grounder(
    annotations: Path | None,
    detections: Path | None,
    detector: str | None,
    parser: "Parser",
    threads: int,
    device: str | None,
) -> "RuleGrounder":
    """Return the rules with given regions or a detector, and say which."""
    from jvgn.grounding.rule_grounder import RuleGrounder
    from jvgn.rules.given_regions import GivenRegions
    from jvgn.rules.pretrained_scenes import pretrained_finder

    finder: SceneFinder
    if annotations is not None:
        finder = GivenRegions.read(annotations, detections)
    else:
        finder = pretrained_finder(detector, str(prepared_device(device, threads)))
    say(f"model: rules, nothing is trained; regions: {finder.name}", err=True)
    return RuleGrounder(parser=parser, finder=finder)


def trained_grounder(run: Path, parser: "Parser", threads: int, device: str | None) -> "Grounder":
    from jvgn.grounding.grounder import Grounder

    return Grounder.load(run, str(prepared_device(device, threads)), parser)


def warn_of_shapes(run: Path, asked: Sequence["ImageQuestion"]) -> None:
    """Warn of a run that learned from drawn shapes, if a question is about another picture."""
    from jvgn.datasets.tables import read_images
    from jvgn.grounding.run_folder import RunFolder

    found = RunFolder.find(run)
    if found.dataset != "shapes":
        return
    drawn = set(read_images(found.table("images"))["file_name"].to_pylist())
    if any(question.problem is None and question.image.name not in drawn for question in asked):
        say(f"Warning: {OF_SHAPES}", err=True)


def ready_run(run: Path, asked: Sequence["ImageQuestion"]) -> "RunFolder":
    """Return the run's folder, after a check that it can detect regions if no image may have stored ones."""
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.grounding.stored_regions import StoredRegions

    found = RunFolder.find(run)
    detector = found.read_settings().detector
    stored = StoredRegions.of(found, detector)
    if not any(question.problem or stored.may_have(question.image) for question in asked):
        found.check_detection(detector)
    return found


def ready_parser(run: "RunFolder | None", name: str | None) -> "Parser":
    """Load the parser, so that a missing model is reported before torch is loaded: the named one, or the run's, or
    `lexical` for the rules.
    """
    from jvgn.graphs.parsing import read_parser
    from parsers.parser import named_parser

    if run is None or name:
        parser = named_parser(name or "lexical")
    else:
        parser = read_parser(run.graphs(run.read_settings().parser) / "settings.yaml")
    parser.load()
    return parser


def drawing_files(asked: Sequence["ImageQuestion"], output: Path | None) -> list[Path]:
    """Return the file to draw for each question."""
    from jvgn.grounding.questions import check_drawing

    if output is None and len(asked) > 1:
        return [Path(f"{one.image.stem}.{number}.grounding.png") for number, one in enumerate(asked, start=1)]
    output = output or Path(f"{asked[0].image.stem}.grounding.png")
    if len(asked) == 1 and not output.is_dir():
        check_drawing(output, asked[0].image)
        return [output]
    if not output.is_dir():
        raise UserError(f"{output}: no such folder; make it, because several drawings need one")
    digits = len(str(len(asked)))
    return [output / f"{number:0{digits}}_{one.image.stem}.png" for number, one in enumerate(asked, start=1)]


def answered(
    asked: Sequence["ImageQuestion"], load: "Callable[[], Grounder | RuleGrounder]", best: int
) -> Iterator[tuple[int, "Answer | str"]]:
    """Yield the answer to each question, or its problem. The model is loaded only if some question may have one."""
    problems = [question.problem for question in asked]
    usable = [question for question, problem in zip(asked, problems, strict=True) if problem is None]
    answers: Iterator[Answer | UserError] = iter(())
    if usable:
        answers = load().answers([(question.image, question.text) for question in usable], best)
    for number, problem in enumerate(problems):
        answer = problem or next(answers)
        yield number, str(answer) if isinstance(answer, UserError) else answer


def report(question: "ImageQuestion", answer: "Answer", is_silent: bool) -> None:
    """Print the table to standard output unless JSON goes there, and warnings to standard error."""
    from jvgn.grounding.answer import text_table

    if answer.unknown_words:
        words = ", ".join(answer.unknown_words)
        warning = f"not in the run's vocabulary, so read as <unk>: {words}"
        say(f"Warning: {question.located(warning)}", err=True)
    for doubt in answer.doubts:
        say(f"Warning: {question.located(doubt)}", err=True)
    if is_silent:
        return
    if question.place:
        say("", f"{question.image.name}: {answer.text}", *text_table(answer))
    else:
        say(*text_table(answer))


def draw(pixels_HW3: "np.ndarray", answer: "Answer", output: Path, is_silent: bool) -> None:
    from jvgn.views.answer_figure import draw_answer

    draw_answer(pixels_HW3, answer, [output])
    if not is_silent:
        say(f"drawn: {output}")


@click.command()
@click.argument("run", type=FILE)
@click.argument("expression_id", type=int, required=False)
@click.option("--output", "outputs", type=FILE, multiple=True, help="A PNG or SVG file to draw; may be repeated.")
@IMAGES
@config_option
@threads_option
@device_option
def show(
    run: Path,
    expression_id: int | None,
    outputs: tuple[Path, ...],
    images: Path | None,
    config: tuple[Path, ...],
    threads: int,
    device: str | None,
) -> None:
    """Draw an expression of a RUN's predictions: image, scene graph, and beliefs before and after message passing.

    Without EXPRESSION_ID, show the one that message passing helped most. The drawing is expression_{id}.png unless
    --output is given. Regions are counted from 1.
    """
    from jvgn.grounding.answer import text_table
    from jvgn.grounding.questions import check_drawing
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.grounding.stored_expression import read_expression

    found = RunFolder.find(run)
    folder = image_folder(found, images, config)
    stored = read_expression(found, expression_id)
    for output in outputs:
        check_drawing(output, folder / stored.image)

    from jvgn.detector.images import read_image
    from jvgn.grounding.answerer import answer_again
    from jvgn.views.answer_figure import Gold, draw_answer

    pixels_HW3 = read_image(folder / stored.image).permute(1, 2, 0).numpy()
    answer = answer_again(found, stored, pixels_HW3, prepared_device(device, threads))
    remark = f"expression {stored.expression_id}, {stored.split}, {found.name}"
    say(f"{remark}: {stored.text}", *text_table(answer))
    drawn = list(outputs) or [Path(f"expression_{stored.expression_id}.png")]
    gold = Gold(stored.gold, stored.is_found, remark, stored.context)
    draw_answer(pixels_HW3, answer, drawn, gold)
    say(f"drawn: {', '.join(map(str, drawn))}")


def image_folder(run: "RunFolder", images: Path | None, config: Sequence[Path]) -> Path:
    folder = images or run.images(config)
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder of images; give --images FOLDER")
    return folder
