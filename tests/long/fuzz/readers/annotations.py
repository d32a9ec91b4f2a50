"""Datasets as people bring them: REFER's pickle, COCO's JSON, tables of expressions, supporting objects."""

import csv
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.long.fuzz import world
from tests.long.fuzz.formats.cells import CSV
from tests.long.fuzz.formats.parquet import PARQUET
from tests.long.fuzz.formats.pickles import PICKLE
from tests.long.fuzz.formats.trees import JSON, JSON_LINES
from tests.long.fuzz.reader import Reader
from tests.long.fuzz.world import World, copied_world

ROWS: list[dict[str, Any]] = [
    {"image_id": 1, "object_id": 11, "split": "train", "text": "red dog left of the cat", "expression_id": 5},
    {"file_name": "2.png", "x1": 1, "y1": 2, "x2": 11, "y2": 14, "split": "val", "text": "dog", "expression_id": 6},
    {
        "image_id": 3,
        "object_id": 32,
        "split": "test",
        "text": "the cat",
        "expression_id": 7,
        "tokens": ["the", "cat"],
        "mentions": [{"head_token": 1, "object_id": 32}],
    },
]


def make_refer(folder: Path) -> World:
    made = World(folder)
    made.instances.write_text(json.dumps(world.instances()))
    made.refs.write_bytes(pickle.dumps(world.refs(), 2))
    return made


def make_refs(folder: Path) -> list[Path]:
    from tests.long.miniature.python2_pickle import dumps

    made = make_refer(folder)
    old = folder / "refs_of_python_2.p"
    old.write_bytes(dumps(world.refs()))
    return [made.refs, old]


def read_refs(path: Path) -> None:
    from jvgn.datasets.refer import read_dataset

    read_dataset(path, path.with_name("instances.json"), path.parent / "tables")


def read_instances(path: Path) -> None:
    from jvgn.datasets.coco import read_training_set
    from jvgn.datasets.refer import read_dataset

    read_dataset(path.with_name("refs.p"), path, path.parent / "tables")
    read_training_set(path, path.parent / "training")


def make_custom(write: Callable[[Path], Path]) -> Callable[[Path], list[Path]]:
    def make(folder: Path) -> list[Path]:
        copied = copied_world(folder)
        return [write(copied.root)]

    return make


def write_csv(folder: Path) -> Path:
    path = folder / "expressions.csv"
    columns = list(dict.fromkeys(key for row in ROWS for key in row))
    with path.open("w", newline="") as file:
        rows = csv.DictWriter(file, columns)
        rows.writeheader()
        for row in ROWS:
            rows.writerow({key: json.dumps(value) if isinstance(value, list) else value for key, value in row.items()})
    return path


def write_json_lines(folder: Path) -> Path:
    path = folder / "expressions.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    return path


def write_parquet(folder: Path) -> Path:
    path = folder / "expressions.parquet"
    pq.write_table(pa.Table.from_pylist([{**dict.fromkeys(ROWS[1] | ROWS[2]), **row} for row in ROWS]), path)
    return path


def write_annotations(folder: Path) -> Path:
    write_csv(folder)
    return folder / "instances.json"


def read_custom(path: Path) -> None:
    from jvgn.datasets.custom import read_custom as read
    from jvgn.settings.custom import CustomSettings
    from parsers.words.tokens import tokenise

    folder = path.parent
    table = folder / "expressions.csv" if path.name == "instances.json" else path
    annotations = str(folder / "instances.json")
    settings = CustomSettings(annotations=annotations, expressions=str(table), images=str(folder / "images"))
    read(settings, folder / "tables", tokenise)


def make_supporting(folder: Path) -> list[Path]:
    copied = copied_world(folder)
    path = copied.root / "supporting.csv"
    path.write_text("expression_id,object_id\n301,31\n302,32\n201,22\n")
    return [path]


def read_supporting(path: Path) -> None:
    from jvgn.evaluation.predictions import PREDICTIONS
    from jvgn.evaluation.supporting import SupportingObjects
    from jvgn.storage.parquet import read_table

    made = World(path.parent)
    objects = SupportingObjects(made.tables, made.regions, path, 0.5)
    predictions = read_table(made.predictions, PREDICTIONS).to_pandas()
    objects.shares(predictions, "region", predictions["expression_id"])


def make_weights(folder: Path) -> list[Path]:
    made = []
    for protocol in (2, 4):
        path = folder / f"weights_{protocol}.pkl"
        weights = {"conv1_w": np.arange(6.0, dtype=np.float32).reshape(2, 3), "n": np.float64(2)}
        path.write_bytes(pickle.dumps({"model": weights, "__author__": "somebody"}, protocol))
        made.append(path)
    return made


def read_array_pickle(path: Path) -> None:
    from jvgn.storage.pickles import load_array_pickle

    load_array_pickle(path)


READERS = [
    Reader("REFER's pickle", PICKLE, make_refs, read_refs, share=4),
    Reader("pickle of weights", PICKLE, make_weights, read_array_pickle, share=4),
    Reader("COCO's JSON", JSON, lambda folder: [make_refer(folder).instances], read_instances, share=3),
    Reader("table of expressions, CSV", CSV, make_custom(write_csv), read_custom, share=3),
    Reader("table of expressions, JSON", JSON_LINES, make_custom(write_json_lines), read_custom, share=3),
    Reader("table of expressions, Parquet", PARQUET, make_custom(write_parquet), read_custom, share=3),
    Reader("annotations of one's own", JSON, make_custom(write_annotations), read_custom, share=2),
    Reader("supporting objects", CSV, make_supporting, read_supporting, share=2),
]
