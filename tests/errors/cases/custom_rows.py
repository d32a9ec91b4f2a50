"""Mistakes in the rows of a user's own table of expressions: each is named by its place and its column."""

from tests.errors.case import Case
from tests.errors.custom_data import ANNOTATIONS, TRAIN, VAL, custom, with_row

ROW = "…: …, column"
EMPTY = f"{ROW} …: is empty"
UNFIT = f"{ROW} …: Input should be …, found …"
ONE_WORD = [{"head_token": 0, "object_id": 21}]
ALIKE = ANNOTATIONS | {"annotations": [*ANNOTATIONS["annotations"], ANNOTATIONS["annotations"][0] | {"id": 22}]}
BOX = {"x1": 1, "y1": 2, "x2": 11, "y2": 22}


def boxed(**cells: object) -> dict:
    return {key: value for key, value in TRAIN.items() if key != "object_id"} | BOX | cells


CELLS = [
    Case(EMPTY, with_row(text="")),
    Case(EMPTY, with_row("split")),
    Case(UNFIT, with_row(image_id="five")),
    Case(UNFIT, with_row(x1="left")),
    Case(UNFIT, with_row(mentions=[{"head_token": -1, "object_id": 21}])),
    Case(f"{ROW} …: String should have at least 1 character, found …", with_row(text="  ")),
    Case(f"{ROW} …: String should have at most … characters, found …", with_row(text="dog " * 3000)),
    Case(f"{ROW} …: String should match pattern …, found …", with_row(tokens=["the dog"])),
    Case(f"{ROW} …: Value should have at least 1 item after validation, not 0, found …", with_row(tokens=[])),
    Case(f"{ROW} …: Value error, expected a number, found …", with_row(image_id=True)),
    Case(f"{ROW} …: Value error, not readable as JSON (…)", with_row(mentions="[{head_token: 0}]")),
    Case(f"{ROW} …: Field required", with_row(mentions=[{"head_token": 0}])),
    Case(f"{ROW} unknown key …", with_row(mentions=[ONE_WORD[0] | {"name": "dog"}])),
]
REFERENCES = [
    Case(f"{ROW} image_id or file_name: is empty", with_row(image_id="")),
    Case(f"{ROW} file_name: … has no image of the name …", with_row("image_id", file_name="six.jpg")),
    Case(f"{ROW} image_id: … has no image …", with_row(image_id=6)),
    Case(f"{ROW} file_name: image … is …, found …", with_row(file_name="three.jpg")),
    Case(f"{ROW} …: … has no annotation …", with_row(object_id=99)),
    Case(f"{ROW} …: … has no annotation …", with_row(mentions=[{"head_token": 0, "object_id": 99}])),
    Case(f"{ROW} …: annotation … is in image …, expected one in …", with_row(object_id=10)),
    Case(
        f"{ROW} …: is empty, and so is object_id; one of the two must say what is described",
        custom([boxed(x2=""), VAL | {"x2": 9}]),
    ),
    Case(
        f"{ROW} x1 to y2: no annotated object of image … has this box (the nearest overlaps by …, expected at least …)",
        custom([boxed(x2=9), VAL]),
    ),
    Case(
        f"{ROW} x1 to y2: annotations … have this box alike; say which in a column object_id",
        custom([boxed(), VAL], annotations=ALIKE),
    ),
    Case(
        f"{ROW} mentions: head_token …: there are … words, …", with_row(mentions=[{"head_token": 9, "object_id": 21}])
    ),
    Case(f"{ROW} mentions: head_token … stands for two objects", with_row(mentions=ONE_WORD * 2)),
    Case(
        f"{ROW} expression_id: is empty; give every row one, or leave the column out",
        custom([TRAIN | {"expression_id": 1}, VAL]),
    ),
    Case(
        f"{ROW} expression_id: … is the id of … too; expected another for every row",
        custom([TRAIN | {"expression_id": 1}, VAL | {"expression_id": 1}]),
    ),
    Case(f"{ROW} split: expected one of …, found …; others must be in the dataset's `splits`", with_row(split="tset")),
]
CASES = CELLS + REFERENCES
