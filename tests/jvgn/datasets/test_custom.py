"""A user's table of expressions and annotations become a dataset; errors name the line and column."""

import json
from pathlib import Path

import pandas as pd
import pytest
import yaml

from jvgn.datasets.custom import read_custom
from jvgn.datasets.tables import left_out_images
from jvgn.settings.configuration import configuration
from jvgn.settings.custom import CustomSettings
from jvgn.settings.presets import overlaid
from parsers.errors import UserError
from parsers.words.tokens import tokenise
from tests.jvgn.datasets.conftest import annotations

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs/examples/custom/config.yaml"
TABLES = ("images", "objects", "expressions", "mentions")


MENTIONS = [{"head_token": 0, "object_id": 21}, {"head_token": 3, "object_id": 20}]


def rows():
    return [
        {"image_id": 5, "object_id": 21, "split": "train", "text": "Dog near a cat", "mentions": MENTIONS},
        {"image_id": 3, "object_id": 10, "split": "val", "text": "the cat's tail, left"},
    ]


def write(folder, rows, suffix, annotated=None):
    (folder / "annotations.json").write_text(json.dumps(annotated or annotations()))
    (folder / "pictures").mkdir(exist_ok=True)
    for name in ("five.jpg", "three.jpg"):
        (folder / "pictures" / name).touch()
    path, frame = folder / f"table{suffix}", pd.DataFrame(rows)
    if suffix == ".csv":
        texts = frame.map(lambda cell: json.dumps(cell) if isinstance(cell, list) else cell)
        texts.to_csv(path, index=False, encoding="utf-8-sig")
    elif suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        frame.to_parquet(path)
    return settings(folder, path)


def settings(folder, path):
    return CustomSettings(
        annotations=str(folder / "annotations.json"), expressions=str(path), images=str(folder / "pictures")
    )


def read(folder, rows, suffix=".jsonl", annotated=None):
    read_custom(write(folder, rows, suffix, annotated), folder / "out", tokenise)
    return {name: pd.read_parquet(folder / "out" / f"{name}.parquet") for name in TABLES}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_the_tables_hold_what_the_rows_describe(tmp_path, suffix):
    found = read(tmp_path, rows(), suffix)
    assert left_out_images(tmp_path / "out/images.parquet") == 1
    assert found["images"].values.tolist() == [[3, "three.jpg", 8, 9], [5, "five.jpg", 40, 30]]
    assert found["objects"].values.tolist() == [
        [10, 3, "cat", 1, 0, 0, 8, 9, False],
        [21, 5, "dog", 2, 1, 2, 11, 22, False],
        [20, 5, "cat", 1, 0.5, 0, 4.5, 4, True],
    ]
    assert found["expressions"].drop(columns="tokens").values.tolist() == [
        [1, 21, 5, 21, "train", "Dog near a cat"],
        [2, 10, 3, 10, "val", "the cat's tail, left"],
    ]
    assert found["expressions"]["tokens"].map(list).tolist() == [
        ["Dog", "near", "a", "cat"],
        ["the", "cat", "'s", "tail", ",", "left"],
    ]
    assert found["mentions"].values.tolist() == [[1, 0, 21, True], [1, 3, 20, False]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_of_spreadsheets_are_read(tmp_path, end, mark):
    lines = ["image_id,object_id,split,text", '5,21,train,"dog, left"', "3,10,val,cat", ""]
    write(tmp_path, rows(), ".jsonl")
    (tmp_path / "table.csv").write_bytes((mark + end.join(lines)).encode())
    read_custom(settings(tmp_path, tmp_path / "table.csv"), tmp_path / "out", tokenise)
    assert pd.read_parquet(tmp_path / "out/expressions.parquet")["text"].tolist() == ["dog, left", "cat"]


def test_images_are_found_by_name_and_objects_by_box(tmp_path):
    by_box = {"file_name": "five.jpg", "x1": 1, "y1": 2, "x2": 11.4, "y2": 22, "split": "train", "text": "dog"}
    found = read(tmp_path, [by_box, {"file_name": "three.jpg", "object_id": 10, "split": "val", "text": "cat"}], ".csv")
    assert found["expressions"][["image_id", "object_id"]].values.tolist() == [[5, 21], [3, 10]]


def test_the_user_may_give_ids_and_tokens(tmp_path):
    words = ["x", "y", "z", "u"]
    given = [row | {"expression_id": number, "tokens": words} for number, row in zip((70, 60), rows(), strict=True)]
    for suffix in (".csv", ".parquet"):
        found = read(tmp_path, given, suffix)["expressions"]
        assert found["expression_id"].tolist() == [60, 70]
        assert found["tokens"].map(list).tolist() == [words, words]


def edited(number, **cells):
    """The rows, one of them with other cells; a cell of None is left out."""
    result = rows()
    result[number] = {key: value for key, value in (result[number] | cells).items() if value is not None}
    return result


BOX = {"object_id": None, "x1": 1, "y1": 2, "x2": 11, "y2": 22}


@pytest.mark.parametrize(
    ("number", "cells", "message"),
    [
        (1, {"split": "tset"}, "line 2, column split: expected one of train, val, test, found 'tset'; fix it"),
        (1, {"split": "train"}, "has no row of split val, only of train; training needs train and val"),
        (1, {"text": "  "}, "line 2, column text: String should have at least 1 character"),
        (0, {"image_id": 77}, "line 1, column image_id: .*annotations.json has no image 77"),
        (0, {"image_id": None, "file_name": "six.jpg"}, "line 1, column file_name: .* no image named six.jpg"),
        (0, {"object_id": 99}, "line 1, column object_id: .*annotations.json has no annotation 99"),
        (0, {"object_id": 10}, "line 1, column object_id: annotation 10 is in image 3, expected one in 5"),
        (0, BOX | {"y2": 12}, "line 1, column x1 to y2: no annotated object of image 5 .* overlaps by 0.50, expected"),
        (0, {"mentions": "[{"}, "line 1, column mentions: not readable as JSON"),
        (
            0,
            {"mentions": [{"head_token": 4, "object_id": 21}]},
            "column mentions: head_token 4: there are 4 words, Dog",
        ),
        (0, {"mentions": [{"head_token": 0, "object_id": 10}]}, "column mentions: annotation 10 is in image 3"),
        (0, {"mentions": [MENTIONS[0], MENTIONS[0]]}, "column mentions: two objects have head_token 0"),
    ],
)
def test_an_invalid_row_is_named_with_its_line_and_column(tmp_path, number, cells, message):
    with pytest.raises(UserError, match=rf"table\.jsonl: .*{message}") as caught:
        read(tmp_path, edited(number, **cells))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 500
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("table.csv", b"text,split\na,b,c\n", "line 2 has 3 cells, expected 2: text, split; put cells that contain a"),
        ("table.csv", b'text,split\n"a,b\n', "line 2 is not readable as CSV"),
        ("table.csv", b"text,split\n\xff\xfe,b\n", "in UTF-8"),
        ("table.jsonl", b'{"text": "a"}\n{"text"', "line 2 is not readable as JSON"),
        ("table.parquet", b"PAR1", "not a readable .parquet file"),
    ],
)
def test_a_broken_table_is_named_in_one_line(tmp_path, name, content, message):
    write(tmp_path, rows(), ".jsonl")
    (tmp_path / "table.jsonl").unlink()
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=rf"{name}: .*{message}|{name}: {message}") as caught:
        read_custom(settings(tmp_path, tmp_path / name), tmp_path / "out", tokenise)
    assert "\n" not in str(caught.value)


def test_a_missing_picture_is_named_with_the_first_row_that_needs_it(tmp_path):
    chosen = write(tmp_path, [*rows(), rows()[1]], ".csv")
    (tmp_path / "pictures/three.jpg").unlink()
    expected = r"pictures/three\.jpg: no such picture; .*table\.csv, line 3, describes it as image 3 of .*json"
    with pytest.raises(UserError, match=expected):
        read_custom(chosen, tmp_path / "out", tokenise)


def test_a_dataset_needs_no_pictures(tmp_path):
    chosen = write(tmp_path, rows(), ".csv").model_copy(update={"images": None})
    read_custom(chosen, tmp_path / "out", tokenise)
    found = pd.read_parquet(tmp_path / "out/images.parquet")
    assert found[["width", "height"]].values.tolist() == [[8, 9], [40, 30]]


def test_a_dataset_without_pictures_shares_no_images_with_others():
    config = overlaid(yaml.safe_load((ROOT / "config.yaml").read_text()), yaml.safe_load(EXAMPLE.read_text()))
    given = {"source": "precomputed", "format": "npz", "objects": "features"}
    mine = {"images": None, "run": {"detector": "given"}}
    config = overlaid(config, {"detectors": {"given": given}, "datasets": {"mine": mine}})
    config["datasets"]["other"] = config["datasets"]["mine"]
    assert configuration(config).withheld("mine") == ("mine",)
    assert configuration(config).withheld("refcoco+") == ("refcoco", "refcoco+", "refcocog", "refcocog-google")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"expressions": "a.xlsx"}, r"datasets\.mine\.expressions: String should match pattern .* found 'a\.xlsx'"),
        ({"splits": ["train", "test"]}, r"datasets\.mine\.splits: val is missing"),
        ({"folder": "refer"}, r"unknown key datasets\.mine\.folder"),
        (
            {"run": {"detector": "resnet101"}},
            r"datasets\.mine\.run: .* must withhold mine; add it to",
        ),
        ({"images": None}, r"datasets\.mine\.run: detector tiny needs images, and mine has none; name their folder"),
    ],
)
def test_a_mistake_in_the_configuration_names_its_key(values, message):
    config = overlaid(yaml.safe_load((ROOT / "config.yaml").read_text()), yaml.safe_load(EXAMPLE.read_text()))
    assert configuration(config).custom_datasets["mine"].splits == ("train", "val", "test")
    with pytest.raises(UserError, match=message):
        configuration(overlaid(config, {"datasets": {"mine": values}}))
