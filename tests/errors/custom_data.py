"""A user's own dataset without a flaw, for cases to put one into."""

import json
from collections.abc import Callable
from typing import Any

import yaml

from tests.errors.case import Bench

Arrange = Callable[[Bench], list[Any]]
Rows = list[dict[str, Any]]

ANNOTATIONS = {
    "images": [
        {"id": 5, "file_name": "five.jpg", "width": 40, "height": 30},
        {"id": 3, "file_name": "three.jpg", "width": 8, "height": 9},
    ],
    "annotations": [
        {"id": 21, "image_id": 5, "category_id": 2, "bbox": [1, 2, 10, 20]},
        {"id": 20, "image_id": 5, "category_id": 1, "bbox": [0.5, 0, 4, 4]},
        {"id": 10, "image_id": 3, "category_id": 1, "bbox": [0, 0, 8, 9]},
    ],
    "categories": [{"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}],
}
TRAIN = {"image_id": 5, "object_id": 21, "split": "train", "text": "dog near a cat"}
VAL = {"image_id": 3, "object_id": 10, "split": "val", "text": "the cat"}


def custom(
    rows: Rows | None = None,
    table: str | bytes | None = None,
    name: str = "expressions.jsonl",
    annotations: dict[str, Any] | str = ANNOTATIONS,
) -> Arrange:
    """Reads a dataset of these rows and annotations; `table` is the table's text, where no row could have the flaw."""

    def arrange(bench: Bench) -> list[Any]:
        text = "".join(f"{json.dumps(row)}\n" for row in rows or [TRAIN, VAL]) if table is None else table
        for picture in ("five.jpg", "three.jpg"):
            bench.write(f"pictures/{picture}", b"")
        settings = {
            "annotations": str(
                bench.write(
                    "annotations.json", annotations if isinstance(annotations, str) else json.dumps(annotations)
                )
            ),
            "expressions": str(bench.write(name, text)),
            "images": str(bench.folder / "pictures"),
        }
        frozen = bench.write("settings.yaml", yaml.safe_dump(settings))
        return ["read-custom", "--settings", frozen, "--output", bench.folder / "out"]

    return arrange


def with_row(leave_out: str = "", **cells: Any) -> Arrange:
    """The flaw is in the first row's cells."""
    row = {key: value for key, value in (TRAIN | cells).items() if key not in leave_out.split()}
    return custom([row, VAL])


def annotated(**lists: Any) -> Arrange:
    """The flaw is in what is added to a list of the annotations."""
    return custom(annotations=ANNOTATIONS | {key: [*ANNOTATIONS[key], extra] for key, extra in lists.items()})


def without(name: str) -> Arrange:
    """One of the files is not there."""

    def arrange(bench: Bench) -> list[Any]:
        arguments = custom()(bench)
        (bench.folder / name).unlink()
        return arguments

    return arrange
