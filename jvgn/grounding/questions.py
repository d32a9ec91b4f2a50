"""The questions of `jvgn ground`: expressions about images, from a command line or a CSV file.

The CSV file has the columns `image`, a path relative to the file's own folder, and `expression`; others are ignored.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from jvgn.storage.files import check_may_be_file, reading
from parsers.errors import BrokenFile, UserError

COLUMNS = ("image", "expression")
Seen = TypeVar("Seen")
Found = TypeVar("Found")


@dataclass(frozen=True)
class ImageQuestion:
    """A sentence to ground in an image."""

    image: Path
    text: str
    place: str
    """Where the question is, for messages; empty if it is the only one."""

    def located(self, message: str) -> str:
        return f"{self.place}: {message}" if self.place else message

    @property
    def problem(self) -> str | None:
        """Why it cannot be answered, as far as this is known without opening the image."""
        if not self.text.strip():
            return "the sentence is empty; give some words"
        if self.image.is_dir():
            return f"{self.image}: is a folder, expected an image file; give the path of one"
        return None if self.image.exists() else f"{self.image}: no such image; check its path"


def asked_of(image: Path | None, expressions: Sequence[str], table: Path | None) -> list[ImageQuestion]:
    """Return the questions of a command line: an image with expressions, or a CSV file."""
    if table is not None:
        if image is not None:
            raise UserError(f"give an image with expressions, or --csv {table}; not both")
        return read_questions(table)
    if image is None or not expressions:
        raise UserError('no question; give an image and an expression: jvgn ground photo.jpg "the red car" …')
    places = [f"expression {number}" for number in range(1, len(expressions) + 1)] if len(expressions) > 1 else [""]
    return [ImageQuestion(image, text, place) for text, place in zip(expressions, places, strict=True)]


def read_questions(path: Path) -> list[ImageQuestion]:
    with reading(path, "CSV file", "save it as CSV in UTF-8"), path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, restval="")
        missing = [name for name in COLUMNS if name not in (rows.fieldnames or ())]
        if missing:
            raise BrokenFile(path, f"has no column {missing[0]}", f"name its columns in line 1: {','.join(COLUMNS)}")
        questions = [
            ImageQuestion(path.parent / row["image"], row["expression"], f"{path}, line {rows.line_num}")
            for row in rows
        ]
    if not questions:
        raise BrokenFile(path, "has no question", "write a row for each expression")
    return questions


def answered_in_order(
    asked: Sequence[tuple[Path | str, str]], look: Callable[[Path | str], Seen], answer: Callable[[Seen, str], Found]
) -> Iterator[Found | UserError]:
    """Yield the answer to each image and sentence, in their order. Each image is looked at once.

    A question that cannot be answered yields its error, so that the others are still answered.
    """
    waiting = Counter(image for image, _ in asked)
    seen: dict[Path | str, Seen | UserError] = {}
    for image, text in asked:
        try:
            if image not in seen:
                seen[image] = look(image)
        except UserError as error:
            seen[image] = error
        found = seen[image]
        try:
            yield found if isinstance(found, UserError) else answer(found, text)
        except UserError as error:
            yield error
        waiting[image] -= 1
        if not waiting[image]:
            del seen[image]


def check_output(path: Path, *endings: str) -> None:
    """Check that the file can be written: it has the right ending, and its folder exists."""
    if path.suffix not in endings:
        raise UserError(f"{path}: expected a name that ends in {' or '.join(endings)}")
    check_may_be_file(path)
    if not path.parent.is_dir():
        raise UserError(f"{path.parent}: no such folder; make it, or choose another one")


def check_drawing(path: Path, image: Path) -> None:
    """Check that a drawing of the image can be written and does not replace the image."""
    check_output(path, ".png", ".svg")
    if path.exists() and image.exists() and path.samefile(image):
        raise UserError(f"{path}: is the image itself; give the drawing another name")
