"""Mistakes in what is asked of `jvgn plan` and `jvgn describe`, and of the commands that look up a run's images."""

import pyarrow as pa

from jvgn.datasets import tables
from jvgn.storage.parquet import write_table
from tests.errors.case import Bench, Case
from tests.errors.configurations import DATASET, FLAWLESS, configured, write_configuration

UNKNOWN_SIZE = "the size of … is not known; read it first, then plan: snakemake --cores 1 …"
MINE = {"datasets": {"mine": DATASET | {"folder": "resources/mine"}}}
LEARNING = {
    "datasets": {"shapes": {"run": {"detector": "learner"}}},
    "detectors": {"learner": {"backbone": "tiny", "trained_on": "own"}},
    "training_sets": {"own": {"annotations": "own.json", "images": "own", "withhold": ["shapes"]}},
}


def broken_recall(bench: Bench) -> list:
    bench.write("results/regions/shapes_gt/tiny.recall.json", '{"splits": {}}')
    return configured({}, "plan", "shapes_gt")(bench)


def write_split(bench: Bench, split: str) -> None:
    """The tables of a dataset of one expression."""
    folder = bench.folder / "results/datasets/shapes"
    expression = (1, 1, 1, 1, split, "the cat", ["the", "cat"])
    described = (1, 1, "cat", 1, 0.0, 0.0, 9.0, 9.0, False)
    for name, row, schema in (("expressions", expression, tables.EXPRESSIONS), ("objects", described, tables.OBJECTS)):
        columns = {column: [cell] for column, cell in zip(schema.names, row, strict=True)}
        write_table(folder / f"{name}.parquet", pa.table(columns, schema=schema), schema)


def broken_coverage(bench: Bench) -> list:
    write_split(bench, "train")
    bench.write("results/graphs/shapes/lexical/coverage.json", '{"expressions": 0, "nodes": 0, "edges": 0}')
    return configured({}, "plan", "shapes_gt")(bench)


def nothing_to_train_on(bench: Bench) -> list:
    write_split(bench, "val")
    return configured({}, "plan", "shapes_gt")(bench)


def run_without_configuration(bench: Bench) -> list:
    return ["show", bench.write("results/shapes_gt/model.safetensors", "").parent]


def run_of_another_configuration(bench: Bench) -> list:
    write_configuration(bench, {})
    assert "photos" not in FLAWLESS["datasets"]
    return ["explore", bench.write("results/photos_det/model.safetensors", "").parent]


CASES = [
    Case(
        "the paper has no vocabulary of …; say how many words there are: --words 1000",
        configured({}, "describe", "--dataset", "shapes"),
    ),
    Case("…: expected a dataset and a setting, such as refcocog_det", lambda bench: ["plan", "refcocog"]),
    Case("there is no setting …; there are: gt, det", configured({}, "plan", "shapes_train")),
    Case(UNKNOWN_SIZE, configured(MINE, "plan", "mine_gt")),
    Case(UNKNOWN_SIZE, configured(LEARNING, "plan", "shapes_det")),
    Case("…: no expression is in split train; check the splits", nothing_to_train_on),
    Case("…: not the recall of regions (…); delete it and run the workflow again", broken_recall),
    Case("…: not the coverage of graphs (…); delete it and run the workflow again", broken_coverage),
    Case("…: there is no such file to say where the images are; name it: --images FOLDER", run_without_configuration),
    Case("…: has no dataset …; say where its images are: --images FOLDER", run_of_another_configuration),
]
