"""What is asked of a run: expressions about images, from a command line or a CSV file.

The CSV file has the columns `image`, a path from the file's own folder, and `expression`; others are left alone. All
that is wrong with a question is said before anything slow is loaded.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jvgn.storage.files import check_may_be_file
from jvgn.storage.pictures import checked_picture
from parsers.errors import BrokenFile, UserError

COLUMNS = ("image", "expression")


@dataclass(frozen=True)
class Question:
    image: Path
    text: str
    place: str
    """Where it stands, for messages; nowhere, if it is the only one."""

    def complaint(self, flaw: str) -> str:
        return f"{self.place}: {flaw}" if self.place else flaw


def asked_of(image: Path | None, expressions: Sequence[str], table: Path | None) -> list[Question]:
    """The questions of a command line: an image with expressions, or a CSV file."""
    if table is not None:
        if image is not None:
            raise UserError(f"give an image with expressions, or --csv {table}; not both")
        return read_questions(table)
    if image is None or not expressions:
        raise UserError(
            'nothing is asked; give an image and an expression: jvgn ground photo.jpg "the red car" --run …'
        )
    places = [f"expression {number}" for number in range(1, len(expressions) + 1)] if len(expressions) > 1 else [""]
    return [Question(image, text, place) for text, place in zip(expressions, places, strict=True)]


def read_questions(path: Path) -> list[Question]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, restval="")
            missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
            if missing:
                raise BrokenFile(
                    path, f"has no column {missing[0]}", f"name its columns in line 1: {','.join(COLUMNS)}"
                )
            questions = [
                Question(path.parent / row["image"], row["expression"], f"{path}, line {rows.line_num}") for row in rows
            ]
    except FileNotFoundError as error:
        raise UserError(f"{path}: there is no such file; check its path") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BrokenFile(path, f"not a readable CSV file ({error})", "save it as CSV in UTF-8") from error
    if not questions:
        raise BrokenFile(path, "asks nothing", "write a row for each expression")
    return questions


def flaws_of(asked: Sequence[Question]) -> list[str | None]:
    """Why each question cannot be answered, as far as a glance at it tells; an image is opened once."""
    images = {image: flaw_of_image(image) for image in {question.image for question in asked}}
    nothing = "an empty sentence mentions nothing; give some words"
    return [images[question.image] if question.text.strip() else nothing for question in asked]


def flaw_of_image(path: Path) -> str | None:
    try:
        checked_picture(path)
        return None
    except UserError as error:
        return str(error)


def check_output(path: Path, *endings: str) -> None:
    """The file can be written: it ends as it should, and its folder is there."""
    if path.suffix not in endings:
        raise UserError(f"{path}: expected a name that ends in {' or '.join(endings)}")
    check_may_be_file(path)
    if not path.parent.is_dir():
        raise UserError(f"{path.parent}: there is no such folder; make it, or write elsewhere")


def check_drawing(path: Path, image: Path) -> None:
    """A drawing of the image can be written, and does not replace it."""
    check_output(path, ".png", ".svg")
    if path.exists() and image.exists() and path.samefile(image):
        raise UserError(f"{path}: is the image itself, which the drawing would replace; give another name")
