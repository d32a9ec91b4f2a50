"""What is asked of `jvgn ground`: pictures, sentences, tables of them, and where the answer goes."""

from typing import Any

from tests.errors.case import Case
from tests.errors.mistakes import NOISE, Arrange, after, copied, folder_at, huge_features, picture, tensors, written
from tests.errors.project import DETECTOR, PICTURE, REGIONS, RUN

EMPTY = "an empty sentence mentions nothing; give some words"
NO_IMAGE = "…: there is no such image; check its path"
BAD_IMAGE = "…: not a readable image (…); give a whole JPEG or PNG file"


def asked(words: str) -> Arrange:
    """Asks the run so, where a picture of another kind lies."""
    return after(f"ground {words} --run {RUN}", written("photo.png", picture(60, 40)))


def asked_of(content: bytes) -> Arrange:
    """Asks about a picture of this content."""
    return after(f"ground photo.png star --run {RUN}", written("photo.png", content))


def table(content: str | bytes) -> Arrange:
    """Asks what a CSV file asks."""
    return after(f"ground --csv questions.csv --run {RUN}", written("questions.csv", content))


def boxes_far_away(held: dict[str, Any], about: dict[str, Any]) -> None:
    held["roi_heads.box_predictor.bbox_pred.bias"].fill_(1e9)


QUESTIONS = [
    Case(EMPTY, after('graph " "')),
    Case(EMPTY, asked('photo.png ""')),
    Case(
        'nothing is asked; give an image and an expression: jvgn ground photo.jpg "the red car" --run …',
        asked("photo.png"),
    ),
    Case("give an image with expressions, or --csv …; not both", asked("photo.png star --csv questions.csv")),
    Case("…: there is no such file; check its path", asked("--csv none.csv")),
    Case("…: not a readable CSV file (…); save it as CSV in UTF-8", table(NOISE)),
    Case("…: has no column …; name its columns in line 1: …", table("image,sentence\nphoto.png,star\n")),
    Case("…: asks nothing; write a row for each expression", table("image,expression\n")),
]
PICTURES = [
    Case(NO_IMAGE, asked("none.jpg star")),
    Case("…: is a folder, expected an image file; give the path of one", asked(f"{DETECTOR} star")),
    Case(BAD_IMAGE, asked_of(NOISE)),
    Case(BAD_IMAGE, asked_of(picture(60, 40)[:45])),
    Case("… has … x … pixels: too slim to find objects in; cut it to pieces", asked_of(picture(1, 200))),
    Case(
        "… has no region: nothing is annotated or detected in it; try another one",
        after(f"ground {PICTURE} star --run {RUN}", tensors(f"{DETECTOR}/weights.safetensors", boxes_far_away)),
    ),
    Case(
        "… has a region whose feature does not fit into … (precision float32 holds more); try another one",
        after(f"ground {PICTURE} star --run {RUN}", huge_features),
    ),
]
OUTPUTS = [
    Case("…: expected a name that ends in …", asked("photo.png star --output drawn.pdf")),
    Case("…: expected a name that ends in …", asked("photo.png star --json answers.txt")),
    Case("…: there is no such folder; make it, or write elsewhere", asked("photo.png star --output none/drawn.png")),
    Case(
        "…: is a folder, expected a file; give another name",
        after(f"ground {PICTURE} star --run {RUN} --json answers.json", folder_at("answers.json")),
    ),
    Case(
        "…: is the image itself, which the drawing would replace; give another name",
        asked("photo.png star --output photo.png"),
    ),
    Case(
        "…: is the image itself, which the drawing would replace; give another name",
        after(f"regions show {REGIONS} drawn.png --output drawn.png", copied(PICTURE, "drawn.png")),
    ),
    Case("…: there is no such folder; several pictures need one", asked("photo.png star ring --output drawn.png")),
]
CASES = QUESTIONS + PICTURES + OUTPUTS
