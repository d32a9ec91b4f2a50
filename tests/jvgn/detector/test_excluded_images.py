"""Images that no detector is trained on, and those of them that it is measured on."""

import pyarrow as pa
import pytest

from jvgn.datasets.tables import IMAGES
from jvgn.detector.provenance import EXCLUDED, exclude_images, held_out, without
from jvgn.storage.parquet import read_table, write_table
from tests.jvgn.drawing import write_expressions


@pytest.fixture
def excluded(tmp_path):
    files = [
        write_expressions(tmp_path / "refcoco" / "expressions.parquet", {1: "train", 2: "val", 3: "testA", 5: "val"}),
        write_expressions(tmp_path / "refcocog" / "expressions.parquet", {1: "train", 3: "train", 2: "test", 6: "val"}),
    ]
    exclude_images(files, tmp_path / "excluded.parquet")
    return tmp_path / "excluded.parquet"


@pytest.fixture
def images(tmp_path):
    ids = list(range(1, 9))
    columns = {"image_id": ids, "file_name": [f"{i}.jpg" for i in ids], "width": [4] * 8, "height": [3] * 8}
    write_table(tmp_path / "images.parquet", columns, IMAGES)
    return read_table(tmp_path / "images.parquet", IMAGES)


def test_the_list_says_which_dataset_evaluates_on_an_image_and_in_which_split(excluded):
    rows = [tuple(row.values()) for row in read_table(excluded, EXCLUDED).to_pylist()]
    assert rows == [
        (2, "refcoco", "val"),
        (2, "refcocog", "test"),
        (3, "refcoco", "testA"),
        (5, "refcoco", "val"),
        (6, "refcocog", "val"),
    ]


def test_the_remaining_images_are_in_no_evaluation_split(images, excluded):
    assert without(images, excluded)["image_id"].to_pylist() == [1, 4, 7, 8]


@pytest.mark.parametrize(("count", "expected"), [(9, [5, 6]), (2, [5, 6]), (1, [5])])
def test_held_out_images_are_of_val_and_of_no_test_split(images, excluded, count, expected):
    assert held_out(images, excluded, count)["image_id"].to_pylist() == expected


def test_as_many_images_are_held_out_as_asked_for_evenly_spread(tmp_path):
    ids = list(range(1, 8))
    own = write_expressions(tmp_path / "own" / "expressions.parquet", dict.fromkeys(ids, "val"))
    exclude_images([own], tmp_path / "excluded.parquet")
    columns = {"image_id": ids, "file_name": ["a.jpg"] * 7, "width": [4] * 7, "height": [3] * 7}
    table = pa.table(columns, schema=IMAGES)
    assert held_out(table, tmp_path / "excluded.parquet", 5)["image_id"].to_pylist() == [1, 2, 3, 5, 6]


def test_datasets_that_evaluate_on_nothing_exclude_nothing(images, tmp_path):
    own = write_expressions(tmp_path / "own" / "expressions.parquet", {1: "train"})
    exclude_images([own], tmp_path / "none.parquet")
    assert without(images, tmp_path / "none.parquet").equals(images)
