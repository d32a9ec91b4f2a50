"""REFER's format into tables."""

import json
import pickle

import pandas as pd
import pytest

from jvgn.datasets.refer import read_dataset
from parsers.errors import BrokenFile
from tests.jvgn.datasets.conftest import annotations as instances
from tests.long.miniature import python2_pickle
from tests.long.miniature.python2_pickle import Str


def refs():
    mentions = [{"head_token": 0, "ann_id": 21}, {"head_token": 3, "ann_id": 20}]
    sentence = {"sent_id": 7, "sent": "dog near a cat", "raw": "Dog near a cat", "tokens": ["dog", "near", "a", "cat"]}
    return [
        {"ref_id": 1, "ann_id": 21, "image_id": 5, "split": "train", "sentences": [sentence | {"mentions": mentions}]},
        {
            "ref_id": 2,
            "ann_id": 10,
            "image_id": 3,
            "split": "val",
            "sentences": [{"sent_id": 6, "sent": "cat", "tokens": ["cat"]}],
        },
    ]


TABLES = ("images", "objects", "expressions", "mentions")


def read(folder, refs, instances, counts=None, dumps=pickle.dumps):
    (folder / "refs(x).p").write_bytes(dumps(refs))
    (folder / "instances.json").write_text(json.dumps(instances))
    read_dataset(folder / "refs(x).p", folder / "instances.json", folder / "out", counts or {})
    return {name: pd.read_parquet(folder / "out" / f"{name}.parquet") for name in TABLES}


def test_the_tables_hold_what_the_refs_describe(tmp_path):
    tables = read(tmp_path, refs(), instances())
    assert tables["images"].values.tolist() == [[3, "three.jpg", 8, 9], [5, "five.jpg", 40, 30]]
    assert tables["objects"].drop(columns="is_crowd").values.tolist() == [
        [10, 3, "cat", 1, 0, 0, 8, 9],
        [21, 5, "dog", 2, 1, 2, 11, 22],
        [20, 5, "cat", 1, 0.5, 0, 4.5, 4],
    ]
    assert tables["objects"]["is_crowd"].tolist() == [False, False, True]
    assert tables["expressions"]["expression_id"].tolist() == [6, 7]
    assert tables["expressions"]["tokens"].map(list).tolist() == [["cat"], ["dog", "near", "a", "cat"]]
    assert tables["mentions"].values.tolist() == [[7, 0, 21, True], [7, 3, 20, False]]


def test_annotations_without_area_are_dropped_and_counted_unless_referred_to(tmp_path, caplog):
    caplog.set_level("INFO")
    flat = instances()
    for note in flat["annotations"]:
        note["bbox"] = [300.0, 1, 1e-6, 4]  # in float32, as wide as nothing
    flat["annotations"].append({"id": 22, "image_id": 5, "category_id": 2, "bbox": [1, 2, 10, 0]})
    assert read(tmp_path, refs(), flat)["objects"]["object_id"].tolist() == [10, 21, 20]  # 20 is only mentioned
    assert "1 of 4 annotations are dropped: they have no area" in caplog.text


def test_refs_are_read_as_python_2_wrote_them(tmp_path):
    """In protocol 0, with both of its kinds of strings, in which no byte is ours."""
    chosen = edited(refs(), (1, "sentences", 0, "sent"), 'the "café"\\cat')
    written = [{Str(key) if key == "split" else key: value for key, value in ref.items()} for ref in chosen]
    for ref in written:
        ref["split"] = Str(ref["split"])
    (tmp_path / "new").mkdir()
    expected = read(tmp_path / "new", chosen, instances())
    found = read(tmp_path, written, instances(), dumps=python2_pickle.dumps)
    assert (tmp_path / "refs(x).p").read_bytes().startswith(b"(lp0\n(dp1\nVref_id\n")
    for name in TABLES:
        pd.testing.assert_frame_equal(found[name], expected[name])


def edited(value, path, new):
    """A copy of nested lists and dicts with one value replaced."""
    value = json.loads(json.dumps(value))
    inner = value
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = new
    return value


@pytest.mark.parametrize(
    ("path", "new", "message"),
    [
        ((0, "ann_id"), 10, "ref 1 describes object 10, which is not in image 5"),
        ((0, "image_id"), 77, "ref 1 describes image 77, which instances.json lacks"),
        ((0, "sentences", 0, "sent_id"), 6, "sentence 6 occurs twice"),
        ((0, "sentences", 0, "tokens"), "dog", r"0\.sentences\.0\.tokens"),
        ((0, "sentences", 0, "mentions", 1, "head_token"), 9, "the mentions of sentence 7"),
    ],
)
def test_a_flaw_in_the_refs_is_named(tmp_path, path, new, message):
    with pytest.raises(BrokenFile, match=message):
        read(tmp_path, edited(refs(), path, new), instances())


def test_a_flaw_in_the_instances_is_named(tmp_path):
    with pytest.raises(BrokenFile, match=r"instances\.json: annotations\.0\.bbox"):
        read(tmp_path, refs(), edited(instances(), ("annotations", 0, "bbox"), [1, 2]))
    with pytest.raises(BrokenFile, match="category 7"):
        read(tmp_path, refs(), edited(instances(), ("annotations", 0, "category_id"), 7))


COUNTS = {
    "as published": ({"train": 1, "val": 1}, None),
    "unknown": ({}, None),
    "another number": ({"train": 2, "val": 1}, r"1 of train \(expected 2\); get"),
    "a split that is not there": ({"train": 1, "val": 1, "testA": 5_657}, r"0 of testA \(expected 5,657\); get"),
    "a split too many": ({"train": 1}, r"1 of val \(expected 0\); get"),
}


@pytest.mark.parametrize("case", COUNTS)
def test_other_numbers_of_expressions_than_published_are_named(tmp_path, case):
    counts, message = COUNTS[case]
    if message is None:
        read(tmp_path, refs(), instances(), counts)
        return
    with pytest.raises(BrokenFile, match=r"refs\(x\)\.p: numbers of expressions differ .*: " + message):
        read(tmp_path, refs(), instances(), counts)
    assert not (tmp_path / "out").exists()
