"""The tables that stages hand on: whatever rests on them is checked where they are read."""

import pyarrow as pa
import pytest

from jvgn.datasets import tables
from jvgn.evaluation.predicted_phrases import read_phrases
from jvgn.evaluation.predictions import PREDICTIONS, WAYS, read_predictions
from jvgn.graphs.tables import NODES
from jvgn.storage.parquet import read_table, write_table
from parsers.errors import BrokenFile
from tests.long.fuzz.world import copied_world

EVALUATED = [201, 202, 301, 302]


@pytest.fixture
def world(tmp_path):
    return copied_world(tmp_path)


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
        ("images", -1, {}, "two of its rows have the same image_id"),
        ("images", 0, {"width": 0}, "it has an image without width or height"),
        ("images", 0, {"height": -5}, "it has an image without width or height"),
        ("images", 0, {"file_name": "../../1.png"}, "it has an image '../../1.png', which is no file in a folder"),
        ("objects", -1, {}, "two of its rows have the same object_id"),
        ("expressions", -1, {}, "its expressions are not in ascending order"),
        ("expressions", 0, {"expression_id": 10**6}, "its expressions are not in ascending order"),
        ("mentions", -1, {}, "two of its rows have the same expression_id and head_token"),
    ],
)
def test_a_flaw_of_a_dataset_is_named(world, name, row, values, problem):
    schema, read = getattr(tables, name.upper()), getattr(tables, f"read_{name}")
    assert len(read(world.table(name)))
    change(world.table(name), schema, row, **values)
    with pytest.raises(BrokenFile, match=f"{name}.parquet: {problem}.*; delete it"):
        read(world.table(name))


@pytest.mark.parametrize(
    ("name", "is_within"),
    [
        ("COCO_train2014_000000000009.jpg", True),
        ("train2014/a b..c.jpg", True),
        ("./a//b.jpg", True),
        ("ü" * 127 + "/a.jpg", True),
        ("", False),
        (".", False),
        ("/", False),
        ("/etc/passwd", False),
        ("..", False),
        ("a/../../b.jpg", False),
        ("a\0.jpg", False),
        ("ü" * 128 + "/a.jpg", False),
        ("a/" * 2000 + "a.jpg", False),
    ],
)
def test_a_file_name_leads_nowhere_but_into_the_folder(name, is_within):
    assert tables.is_within(name) is is_within


def test_evaluated_is_what_no_model_is_trained_on(world):
    expressions = tables.read_expressions(world.table("expressions")).to_pandas()
    assert "train" in set(expressions["split"])
    assert tables.evaluated(expressions)["expression_id"].tolist() == EVALUATED


@pytest.mark.parametrize("key", ["image_id", "object_id"])
def test_what_no_other_table_has_is_named(world, key):
    path = world.table("expressions")
    change(path, tables.EXPRESSIONS, 0, **{key: 999})
    with pytest.raises(BrokenFile, match=f"it speaks of {key} 999, which no other table has"):
        world.inputs.examples(run_settings(world))


def run_settings(world):
    from jvgn.settings.run import RunSettings

    return RunSettings.read(world.settings)


@pytest.mark.parametrize(
    ("row", "values", "problem"),
    [
        (-1, {}, "two of its rows have the same expression_id and node"),
        (-1, {"node": 9, "is_referent": True}, "does not have exactly one referent"),
        (0, {"is_referent": None}, "a cell of its column is_referent is empty"),
        (-1, {"expression_id": 101, "is_referent": True}, "it has expression 101, which is none that"),
        (0, {"marginal": float("nan")}, "a probability in marginal that is none; train the run again"),
        (0, {"unary": 1.5}, "a probability in unary that is none"),
        (0, {"x2": float("inf")}, "a box that is none"),
        (0, {"x1": 1e9}, "a box that is none"),
        (0, {"region": -1}, "a region with a negative number"),
        (0, {"map_region": -1}, "a region with a negative number"),
    ],
)
def test_a_flaw_of_predictions_is_named(world, row, values, problem):
    assert len(read_predictions(world.predictions, EVALUATED))
    change(world.predictions, PREDICTIONS, row, ["correct", *(f"{way}_correct" for way in WAYS)], **values)
    with pytest.raises(BrokenFile, match=f"predictions.parquet: .*{problem}"):
        read_predictions(world.predictions, EVALUATED)


def test_predictions_are_about_words_that_there_are(world):
    tokens = {number: ["dog"] * 9 for number in EVALUATED}
    assert set(read_phrases(world.predictions, EVALUATED, world.nodes, tokens)["phrase"]) <= {"dog", "dog dog"}
    with pytest.raises(BrokenFile, match=r"nodes\.parquet: it points outside a sentence"):
        read_phrases(world.predictions, EVALUATED, world.nodes, {number: ["dog"] for number in EVALUATED})
    change(world.nodes, NODES, 3, node=7)
    with pytest.raises(BrokenFile, match=r"it grounds nodes that .*nodes\.parquet lacks"):
        read_phrases(world.predictions, EVALUATED, world.nodes, tokens)
