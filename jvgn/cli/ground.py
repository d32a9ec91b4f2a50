"""The commands that people ask about pictures: `ground`, for their own, and `show`, for those of a dataset."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jvgn.cli.log import say
from jvgn.cli.options import FILE, device_option, images_of, prepared_device, threads_option
from jvgn.graphs.parser_file import read_parser
from jvgn.storage.shown_text import one_line
from parsers.errors import UserError
from parsers.parser import Parser, named_parser

if TYPE_CHECKING:  # every stage's process loads this module, and shall not depend on more of the code than its own
    from jvgn.grounding.answer import Answer
    from jvgn.grounding.questions import Question

STDOUT = Path("-")
MOST_JOINT = 1000
"""Joint groundings: their search takes memory with the square of their number."""


@click.command()
@click.argument("image", type=FILE, required=False)
@click.argument("expressions", nargs=-1)
@click.option("--run", type=FILE, required=True, help="The folder of a trained run, such as results/shapes_det.")
@click.option("--csv", "table", type=FILE, help="Ask what this file asks: columns image, expression.")
@click.option("--output", type=FILE, help="The PNG or SVG file to draw; for several expressions, a folder.")
@click.option("--json", "answers_file", type=FILE, help="Also write the answers into this .json file; - prints them.")
@click.option("--best", type=click.IntRange(1, MOST_JOINT), metavar="K", help="Print the K best joint groundings.")
@click.option("--parser", "parser_name", help="Another than the run's, such as stanza:models=FOLDER.")
@threads_option
@device_option
def ground(
    image: Path | None,
    expressions: tuple[str, ...],
    run: Path,
    table: Path | None,
    output: Path | None,
    answers_file: Path | None,
    best: int | None,
    parser_name: str | None,
    threads: int,
    device: str | None,
) -> None:
    """Find every object that EXPRESSIONS mention in an IMAGE.

    One expression is also drawn, into {image}.grounding.png unless --output says otherwise; several are drawn where
    --output names a folder. With --json -, JSON is all that is printed, and a picture is drawn only for --output.
    """
    from tqdm import tqdm

    from jvgn.grounding.answer_file import as_json, failure, result, write_json
    from jvgn.grounding.questions import asked_of, check_output

    asked = asked_of(image, expressions, table)
    parser = ready_parser(run, parser_name)
    is_silent = answers_file == STDOUT
    if output is None and len(asked) == 1 and not is_silent:
        output = Path(f"{asked[0].image.stem}.grounding.png")
    pictures = picture_files(asked, output)
    if answers_file is not None and not is_silent:
        check_output(answers_file, ".json")

    results, errors = [], []
    answers = answered(asked, run, parser, best or 0, threads, device)
    # Where answers are printed, they are progress enough.
    for number, answer in tqdm(answers, total=len(asked), unit=" expressions", disable=None if is_silent else True):
        question = asked[number]
        if isinstance(answer, str):
            say(f"Error: {one_line(question.complaint(answer))}", err=True)
            errors.append(failure(number, question.image, question.text, answer))
            continue
        results.append(result(number, question.image, answer))
        report(question, answer, is_silent)
        if pictures:
            draw(question, answer, pictures[number], is_silent)
    text = as_json(run, results, errors)
    if is_silent:
        click.echo(text, nl=False)
    elif answers_file is not None:
        write_json(answers_file, text)
    if errors:
        sys.exit(1)


def ready_parser(run: Path, name: str | None) -> Parser:
    """The run's parser or the one that is named, loaded: what it lacks is said before torch is."""
    from jvgn.grounding.run_folder import RunFolder

    found = RunFolder.find(run)
    found.check_detection()
    parser = named_parser(name) if name else read_parser(found.graphs(found.settings.parser) / "settings.yaml")
    parser.load()
    return parser


def picture_files(asked: Sequence["Question"], output: Path | None) -> list[Path]:
    """The picture of each question; none, where none was asked for."""
    from jvgn.grounding.questions import check_drawing

    if output is None:
        return []
    if len(asked) == 1 and not output.is_dir():
        check_drawing(output, asked[0].image)
        return [output]
    if not output.is_dir():
        raise UserError(f"{output}: there is no such folder; several pictures need one")
    digits = len(str(len(asked)))
    return [output / f"{number:0{digits}}_{one.image.stem}.png" for number, one in enumerate(asked, start=1)]


def answered(
    asked: Sequence["Question"], run: Path, parser: Parser, best: int, threads: int, device: str | None
) -> Iterator[tuple[int, "Answer | str"]]:
    """The answer to each question, or what is wrong with it. Nothing slow is loaded for questions without a chance."""
    from jvgn.grounding.questions import flaws_of

    flaws = flaws_of(asked)
    usable = [question for question, flaw in zip(asked, flaws, strict=True) if flaw is None]
    answers: Iterator[Answer | UserError] = iter(())
    if usable:
        from jvgn.grounding.grounder import Grounder

        grounder = Grounder.load(run, str(prepared_device(device, threads)), parser)
        answers = grounder.answers([(question.image, question.text) for question in usable], best)
    for number, flaw in enumerate(flaws):
        if flaw is not None:
            yield number, flaw
            continue
        answer = next(answers)
        yield number, str(answer) if isinstance(answer, UserError) else answer


def report(question: "Question", answer: "Answer", is_silent: bool) -> None:
    """The table on standard output, unless something else goes there; what to beware of on standard error."""
    from jvgn.grounding.answer_file import table

    if answer.unknown_words:
        words = ", ".join(answer.unknown_words)
        warning = f"not among the words that the run has learned, so read as <unk>: {words}"
        say(f"Warning: {question.complaint(warning)}", err=True)
    if is_silent:
        return
    if question.place:
        say(f"{question.image.name}: {answer.text}", *table(answer), "")
    else:
        say(*table(answer))


def draw(question: "Question", answer: "Answer", output: Path, is_silent: bool) -> None:
    from jvgn.detector.images import read_image
    from jvgn.views.answer_figure import draw_answer

    draw_answer(read_image(question.image, as_seen=True).permute(1, 2, 0).numpy(), answer, [output])
    if not is_silent:
        say(f"drawn: {output}")


@click.command()
@click.argument("run", type=FILE)
@click.argument("expression_id", type=int, required=False)
@click.option("--output", "outputs", type=FILE, multiple=True, help="A PNG or SVG file to draw; may be given again.")
@click.option("--images", type=FILE, help="The folder of the dataset's images, where it is not that of config.yaml.")
@threads_option
@device_option
def show(
    run: Path,
    expression_id: int | None,
    outputs: tuple[Path, ...],
    images: Path | None,
    threads: int,
    device: str | None,
) -> None:
    """Draw an expression of a RUN's predictions: image, scene graph, and beliefs before and after message passing.

    Without EXPRESSION_ID, the one that message passing helped most. Drawn into expression_{id}.png unless --output
    says otherwise. Regions are counted from 1.
    """
    from jvgn.grounding.answer_file import table
    from jvgn.grounding.questions import check_drawing
    from jvgn.grounding.run_folder import RunFolder
    from jvgn.grounding.stored_expression import read_expression

    found = RunFolder.find(run)
    folder = images or images_of(found)
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder of images; name it: --images FOLDER")

    stored = read_expression(found, expression_id)
    for output in outputs:
        check_drawing(output, folder / stored.image)

    from jvgn.detector.images import read_image
    from jvgn.grounding.answerer import answer_again
    from jvgn.views.answer_figure import Gold, draw_answer

    answer = answer_again(found, stored, prepared_device(device, threads))
    remark = f"expression {stored.expression_id}, {stored.split}, {found.folder.relative_to(found.results)}"
    say(f"{remark}: {stored.text}", *table(answer))
    drawn = list(outputs) or [Path(f"expression_{stored.expression_id}.png")]
    gold = Gold(stored.gold, stored.is_found, remark)
    draw_answer(read_image(folder / stored.image).permute(1, 2, 0).numpy(), answer, drawn, gold)
    say(f"drawn: {', '.join(map(str, drawn))}")
