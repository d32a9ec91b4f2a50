"""The tables of a dataset and of predictions are checked when they are read."""

import pyarrow as pa
import pytest

from jvgn.datasets import tables
from jvgn.evaluation.predictions import PREDICTIONS, WAYS, read_phrases, read_predictions
from jvgn.graphs.tables import NODES
from jvgn.storage.parquet import read_table, write_table
from parsers.errors import BrokenFile


@pytest.fixture
def evaluated(world):
    """The ids of the expressions outside the training split."""
    return tables.evaluated(tables.read_expressions(world.table("expressions")).to_pandas())["expression_id"].tolist()


def change(path, schema, row, may_be_empty=(), **values):
    """A row of the table gets these values; a row of -1 is one more."""
    rows = read_table(path, schema, may_be_empty).to_pylist()
    if row == -1:
        rows.append(dict(rows[-1]))
    rows[row] |= values
    write_table(path, pa.Table.from_pylist(rows, schema=schema), schema)


@pytest.mark.parametrize(
    ("name", "row", "values", "problem"),
    [
        ("images", -1, {}, "two rows have the same image_id"),
        ("images", 0, {"width": 0}, "column width or height is not positive"),
        ("images", 0, {"file_name": "../../1.png"}, "file_name '../../1.png' is not a path"),
        ("objects", -1, {}, "two rows have the same object_id"),
        ("expressions", -1, {}, "its expressions are not in ascending order"),
        ("expressions", 0, {"expression_id": 10**6}, "its expressions are not in ascending order"),
        ("mentions", -1, {}, "two rows have the same expression_id and head_token"),
    ],
)
def test_an_invalid_table_is_named(world, name, row, values, problem):
    schema, read = getattr(tables, name.upper()), getattr(tables, f"read_{name}")
    assert len(read(world.table(name)))
    change(world.table(name), schema, row, **values)
    with pytest.raises(BrokenFile, match=f"{name}.parquet: {problem}.*; delete it"):
        read(world.table(name))


@pytest.mark.parametrize(
    ("name", "is_within"),
    [("train2014/a b..c.jpg", True), ("", False), ("/etc/passwd", False), ("..", False), ("a/../../b.jpg", False)],
)
def test_a_file_name_stays_within_its_folder(name, is_within):
    assert tables.is_within(name) is is_within


@pytest.mark.parametrize("key", ["image_id", "object_id"])
def test_an_unknown_id_is_named(world, run_settings, key):
    change(world.table("expressions"), tables.EXPRESSIONS, 0, **{key: 999})
    with pytest.raises(BrokenFile, match=f"unknown {key} 999"):
        world.inputs.examples(run_settings())


@pytest.mark.parametrize(
    ("row", "values"),
    [
        (-1, {}),
        (-1, {"node": 9, "is_referent": True}),
        (0, {"is_referent": None}),
        (-1, {"expression_id": 1, "is_referent": True}),
        (0, {"marginal": float("nan")}),
        (0, {"unary": 1.5}),
        (0, {"x2": float("inf")}),
        (0, {"region": -1}),
    ],
)
def test_invalid_predictions_are_named(world, evaluated, row, values):
    assert len(read_predictions(world.predictions, evaluated))
    change(world.predictions, PREDICTIONS, row, ["correct", *(f"{way}_correct" for way in WAYS)], **values)
    with pytest.raises(BrokenFile, match=r"predictions\.parquet: "):
        read_predictions(world.predictions, evaluated)


def test_predictions_are_about_existing_words(world, evaluated):
    tokens = {number: ["dog"] * 40 for number in evaluated}
    nodes = world.inputs.nodes
    phrases = read_phrases(world.predictions, evaluated, nodes, tokens)["phrase"]
    assert {word for phrase in phrases for word in phrase.split()} == {"dog"}
    with pytest.raises(BrokenFile, match=r"nodes\.parquet"):
        read_phrases(world.predictions, evaluated, nodes, {number: ["dog"] for number in evaluated})
    change(nodes, NODES, -2, node=7)
    with pytest.raises(BrokenFile, match=r"nodes\.parquet"):
        read_phrases(world.predictions, evaluated, nodes, tokens)
