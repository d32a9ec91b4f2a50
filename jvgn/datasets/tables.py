"""The tables of a dataset, under `results/datasets/{dataset}/`. Boxes are xyxy, in pixels, float32.

`images.parquet`: image_id int64, file_name string, width int32, height int32; ascending image_id.
`objects.parquet`: object_id int64, image_id int64, category string, category_id int32, x1, y1, x2, y2 float32,
is_crowd bool and, if an object may have several boxes that count, boxes list<float32>: x1, y1, x2, y2 of each of them,
while x1 to y2 are around all; ascending image_id, in the order of the annotations within an image.
`expressions.parquet`: expression_id int64, ref_id int64, image_id int64, object_id int64, split string, text string,
tokens list<string>; ascending expression_id. Every token index in every file refers to these tokens.
`mentions.parquet`: expression_id int64, head_token int16, object_id int64, is_referent bool and, if the dataset has
types of phrases, type string (may be empty); one row for each object that an expression mentions, at most one per word;
empty if the dataset has no mentions.
Ids are unique; sizes are positive; a file_name is a path within the folder of images.
"""

import reprlib
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jvgn.storage.parquet import origin, read_table
from parsers.errors import BrokenFile

if TYPE_CHECKING:  # pandas loads slowly
    import pandas as pd

MISMATCH = "parse the expressions again"
SIDES = ["x1", "y1", "x2", "y2"]
"""The columns of a box."""
BOX = [(side, pa.float32()) for side in SIDES]

IMAGES = pa.schema(
    [("image_id", pa.int64()), ("file_name", pa.string()), ("width", pa.int32()), ("height", pa.int32())]
)
OBJECTS = pa.schema(
    [
        ("object_id", pa.int64()),
        ("image_id", pa.int64()),
        ("category", pa.string()),
        ("category_id", pa.int32()),
        *BOX,
        ("is_crowd", pa.bool_()),
    ]
)
EXPRESSIONS = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("ref_id", pa.int64()),
        ("image_id", pa.int64()),
        ("object_id", pa.int64()),
        ("split", pa.string()),
        ("text", pa.string()),
        ("tokens", pa.list_(pa.string())),
    ]
)
MENTIONS = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("head_token", pa.int16()),
        ("object_id", pa.int64()),
        ("is_referent", pa.bool_()),
    ]
)
BOXES = pa.field("boxes", pa.list_(pa.float32()))
"""The column of objects that a dataset may lack: all boxes of an object, end to end."""
TYPE = pa.field("type", pa.string())
"""The column of mentions that a dataset may lack: the type of the phrase, such as `people` or `clothing`."""


def read_images(path: Path | str) -> pa.Table:
    table = unique(path, read_table(path, IMAGES), "image_id")
    if len(table) and min(pc.min(table[side]).as_py() for side in ("width", "height")) < 1:
        raise BrokenFile(path, "column width or height is not positive")
    for name in table["file_name"].to_pylist():
        if not is_within(name):
            raise BrokenFile(path, f"file_name {reprlib.repr(name)} is not a path within the folder of images")
    return table


def left_out_images(path: Path) -> int:
    """Return how many annotated images are not in the table at `path`, because no expression describes them."""
    return int(origin(path, IMAGES).get("left_out", "0"))


def is_within(name: str) -> bool:
    """Return whether the path stays within its folder, so that no other file is opened."""
    path = PurePosixPath(name)
    return bool(path.parts) and not path.is_absolute() and ".." not in path.parts


def read_objects(path: Path | str) -> pa.Table:
    """Return the objects with their `boxes`, which are null if the dataset has one box for each."""
    table = read_table(path, OBJECTS.append(BOXES), may_lack=[BOXES.name])
    numbers = pc.list_value_length(table[BOXES.name]).drop_null().to_numpy()
    if ((numbers == 0) | (numbers % 4 > 0)).any():
        raise BrokenFile(path, "column boxes does not have four numbers for each box")
    return unique(path, table, "object_id")


def category_names(path: Path | str) -> dict[int, str]:
    """Return the names of the categories of the objects at `path`, by id."""
    objects = read_objects(path)
    return dict(zip(objects["category_id"].to_pylist(), objects["category"].to_pylist(), strict=True))


def boxes_of(objects: pa.Table) -> np.ndarray:
    """Return the boxes of all objects, (N, 4) float32."""
    return np.stack([objects[side].to_numpy() for side in SIDES], axis=1)


def gold_boxes(objects: pa.Table, object_ids: np.ndarray | None = None) -> np.ndarray:
    """Return (S, B, 4): the boxes that count as each of these objects, by default all; missing ones are empty."""
    gold_OB4 = boxes_of(objects)[:, None]
    if objects[BOXES.name].null_count < len(objects):
        own = [np.reshape(boxes, (-1, 4)) for boxes in objects[BOXES.name].to_pylist()]
        gold_OB4 = np.zeros((len(own), max(map(len, own)), 4), np.float32)
        for row, boxes in enumerate(own):
            gold_OB4[row, : len(boxes)] = boxes
    if object_ids is None:
        return gold_OB4
    row_of = {object_id: row for row, object_id in enumerate(objects["object_id"].to_pylist())}
    return gold_OB4[[row_of[object_id] for object_id in object_ids.tolist()]]


def read_expressions(path: Path | str) -> pa.Table:
    table = read_table(path, EXPRESSIONS)
    if (np.diff(table["expression_id"].to_numpy()) <= 0).any():
        raise BrokenFile(path, "its expressions are not in ascending order")
    return table


def evaluated(expressions: "pd.DataFrame") -> "pd.DataFrame":
    """Return the expressions of every split but train."""
    return expressions[expressions["split"] != "train"]


def read_mentions(path: Path | str) -> pa.Table:
    """Return the mentions with their `type`, which is empty where the dataset has none."""
    table = read_table(path, MENTIONS.append(TYPE), may_be_empty=[TYPE.name], may_lack=[TYPE.name])
    return unique(path, table, "expression_id", "head_token")


def unique(path: Path | str, table: pa.Table, *key: str) -> pa.Table:
    if len(table.group_by(list(key)).aggregate([])) < len(table):
        raise BrokenFile(path, f"two rows have the same {' and '.join(key)}")
    return table


def check_known(path: Path, table: pa.Table, known: pa.Table, key: str) -> None:
    """Check that all ids in column `key` of the table at `path` are in the other table."""
    unknown = pc.unique(table[key].filter(pc.invert(pc.is_in(table[key], known[key].combine_chunks()))))
    if len(unknown):
        raise BrokenFile(path, f"unknown {key} {unknown[0]}")


def check_rows(path: Path, table: pa.Table, id_S: np.ndarray) -> None:
    """Check that rows of graphs belong to these expressions, in ascending order."""
    id_R = table["expression_id"].to_numpy()
    unknown = np.setdiff1d(id_R, id_S)
    if len(unknown):
        raise BrokenFile(path, f"expression {unknown[0]} is not in the dataset", MISMATCH)
    if (np.diff(id_R) < 0).any():
        raise BrokenFile(path, "its expressions are not in ascending order", MISMATCH)


def check_referents(path: Path, nodes: pa.Table, id_S: np.ndarray) -> None:
    """Check that every expression has exactly one referent."""
    id_R = nodes["expression_id"].to_numpy()[nodes["is_referent"].to_numpy()]
    if not np.array_equal(id_R, id_S):
        ids, counts = np.unique(np.concatenate([id_S, id_R]), return_counts=True)
        problem = f"expression {ids[counts != 2][0]} does not have exactly one referent"
        raise BrokenFile(path, problem, MISMATCH)
