"""Captions, boxes and splits of Flickr30k Entities become a dataset."""

import zipfile

import numpy as np
import pandas as pd
import pytest

from jvgn.datasets import tables
from jvgn.datasets.flickr30k import read_entities
from jvgn.settings.entities import EntitiesSettings
from parsers.errors import UserError
from parsers.lexical import parse_tokens
from tests.jvgn.datasets.entities_files import annotation_xml

CAPTIONS = {
    7: """[/EN#18/people A child] in [/EN#19/clothing a pink dress] climbs [/EN#20/other a set of stairs] .
[/EN#21/scene A cabin] near [/EN#18/people a child] and [/EN#20/other/scene stairs] .
[/EN#0/notvisual It] is cold .
""",
    5: "[/EN#18/animals Two dogs] bite [/EN#18/animals each other]\n",
    12: "[/EN#40/vehicles A car]\n",
}
OBJECTS = {
    7: [
        (["18", "19"], (8, 152, 108, 340)),
        (["20"], (1, 319, 115, 480)),
        (["20"], (60, 300, 150, 400)),
        (["21"], None),
    ],
    5: [(["18"], (1, 1, 375, 500))],
    12: [(["40"], (2, 2, 3, 4)), (["41"], (5, 5, 9, 9))],
}
SPLITS = {"train": "7\n", "val": "5\n", "test": ""}


def write(folder, pictures=("7.jpg", "5.jpg", "12.jpg"), **settings):
    for name in ("Annotations", "Sentences", "pictures"):
        (folder / name).mkdir()
    for image_id, captions in CAPTIONS.items():
        (folder / f"Sentences/{image_id}.txt").write_text(captions)
        (folder / f"Annotations/{image_id}.xml").write_text(annotation_xml(375, 500, OBJECTS[image_id]))
    for split, listed in SPLITS.items():
        (folder / f"{split}.txt").write_text(listed)
    for name in pictures:
        (folder / "pictures" / name).touch()
    places = {"entities": str(folder), "split_lists": str(folder), "images": str(folder / "pictures")}
    return EntitiesSettings(**places | settings)


def read(settings, folder):
    read_entities(settings, folder / "out", parse_tokens)
    names = ("images", "objects", "expressions", "mentions")
    return {name: pd.read_parquet(folder / f"out/{name}.parquet") for name in names}


def test_the_tables_hold_captions_and_entities(tmp_path):
    found = read(write(tmp_path), tmp_path)
    assert found["images"].values.tolist() == [
        [5, "5.jpg", 375, 500],
        [7, "7.jpg", 375, 500],
        [12, "12.jpg", 375, 500],
    ]
    assert found["objects"].values.tolist() == [
        [5001, 5, "animals", 4, 0, 0, 375, 500, False],
        [7001, 7, "people", 1, 7, 151, 108, 340, False],
        [7002, 7, "clothing", 2, 7, 151, 108, 340, False],
        [7003, 7, "other", 8, 0, 299, 150, 480, False],  # around both of its boxes
        [12001, 12, "vehicles", 5, 1, 1, 3, 4, False],
        [12002, 12, "other", 8, 4, 4, 9, 9, False],  # in no caption
    ]
    assert found["expressions"].drop(columns=["tokens"]).values.tolist() == [
        [51, 5001, 5, 5001, "val", "Two dogs bite each other"],
        [71, 7001, 7, 7001, "train", "A child in a pink dress climbs a set of stairs ."],
        [72, 7001, 7, 7001, "train", "A cabin near a child and stairs ."],  # its head has no box
        [121, 12001, 12, 12001, "train", "A car"],  # in no list of a split
    ]
    assert found["mentions"].values.tolist() == [
        [51, 1, 5001, True, "animals"],
        [51, 4, 5001, True, "animals"],
        [71, 1, 7001, True, "people"],
        [71, 5, 7002, False, "clothing"],
        [71, 10, 7003, False, "other"],
        [72, 4, 7001, True, "people"],
        [72, 6, 7003, False, "other"],
        [121, 1, 12001, True, "vehicles"],
    ]
    assert found["expressions"]["tokens"].map(" ".join).tolist() == found["expressions"]["text"].tolist()


def test_with_any_box_each_box_of_an_entity_counts(tmp_path):
    settings = write(tmp_path, boxes="any")
    read(settings, tmp_path)
    objects = tables.read_objects(tmp_path / "out/objects.parquet")
    assert objects.column_names[-1] == "boxes"
    stairs = tables.gold_boxes(objects, np.array([7003, 7001]))
    assert stairs.tolist() == [[[0, 318, 115, 480], [59, 299, 150, 400]], [[7, 151, 108, 340], [0, 0, 0, 0]]]
    assert tables.boxes_of(objects)[3].tolist() == [0, 299, 150, 480]  # the annotated region is around both


def test_the_merged_box_is_the_only_one_by_default(tmp_path):
    read(write(tmp_path), tmp_path)
    objects = tables.read_objects(tmp_path / "out/objects.parquet")
    assert tables.gold_boxes(objects).tolist() == tables.boxes_of(objects)[:, None].tolist()


def test_the_published_archive_is_read_like_a_folder(tmp_path):
    settings = write(tmp_path)
    with zipfile.ZipFile(tmp_path / "annotations.zip", "w") as archive:
        for file in [*tmp_path.glob("Sentences/*"), *tmp_path.glob("Annotations/*")]:
            archive.write(file, file.relative_to(tmp_path))
    expected = read(settings, tmp_path)
    found = read(settings.model_copy(update={"entities": str(tmp_path / "annotations.zip")}), tmp_path)
    for name, table in expected.items():
        pd.testing.assert_frame_equal(found[name], table)


def test_a_subset_has_the_images_of_its_folder(tmp_path):
    pictures = ("7_693b08cb0e.jpg", "5_0a1b2c3d4e.jpg", "notes.txt")
    found = read(write(tmp_path, pictures, missing_images="skip"), tmp_path)
    assert found["images"]["file_name"].tolist() == ["5_0a1b2c3d4e.jpg", "7_693b08cb0e.jpg"]
    assert set(found["objects"]["image_id"]) == set(found["expressions"]["image_id"]) == {5, 7}


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("Sentences/7.txt", "[/EN#18people A child] runs", r"found \[/EN#18people"),
        ("Annotations/7.xml", "<annotation>", "not a readable XML file"),
        ("Sentences/7.txt", "[/EN#18/poeple A child] runs", "found poeple"),
        ("Annotations/7.xml", "<annotation><size/></annotation>", "a number in annotation/size/width, found ''"),
        ("val.txt", "seven", "not a readable list of image ids"),
    ],
)
def test_a_damaged_file_is_named(tmp_path, file, content, message):
    settings = write(tmp_path)
    (tmp_path / file).write_text(content)
    with pytest.raises(UserError, match=rf"{file}: .*{message}"):
        read(settings, tmp_path)
