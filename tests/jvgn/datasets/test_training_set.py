"""Several files of annotations make one training set."""

import json

import pytest

from jvgn.datasets.coco import read_training_set
from jvgn.datasets.tables import read_images, read_objects
from parsers.errors import BrokenFile


def write(path, image_id, note_id, category="dog"):
    """Write annotations of one image with one object."""
    content = {
        "images": [{"id": image_id, "file_name": f"{image_id}.jpg", "width": 10, "height": 20}],
        "annotations": [{"id": note_id, "image_id": image_id, "category_id": 3, "bbox": [1, 2, 3, 4]}],
        "categories": [{"id": 3, "name": category}],
    }
    path.write_text(json.dumps(content))
    return path


def test_annotations_without_area_are_dropped(tmp_path):
    path = write(tmp_path / "a.json", 7, 1)
    path.write_text(path.read_text().replace("[1, 2, 3, 4]", "[1, 2, 0, 4]"))
    read_training_set([(".", path)], tmp_path)
    assert len(read_images(tmp_path / "images.parquet")) == 1 and len(read_objects(tmp_path / "objects.parquet")) == 0


def test_files_are_joined_and_images_keep_their_folders(tmp_path):
    parts = [(f"{name}2014", write(tmp_path / f"{name}.json", *ids)) for name, *ids in (("train", 7, 1), ("val", 5, 2))]
    read_training_set(parts, tmp_path)
    assert read_images(tmp_path / "images.parquet")["file_name"].to_pylist() == ["val2014/5.jpg", "train2014/7.jpg"]
    assert read_objects(tmp_path / "objects.parquet")["image_id"].to_pylist() == [5, 7]
    read_training_set([(".", parts[0][1])], tmp_path)
    assert read_images(tmp_path / "images.parquet")["file_name"].to_pylist() == ["7.jpg"]


@pytest.mark.parametrize(
    ("other", "problem"),
    [((7, 2), "id 7 is in another file"), ((5, 1), "id 1 is in"), ((5, 2, "cat"), "category 3 is cat, but dog in")],
)
def test_files_that_contradict_each_other_are_refused(tmp_path, other, problem):
    parts = [("a", write(tmp_path / "a.json", 7, 1)), ("b", write(tmp_path / "b.json", *other))]
    with pytest.raises(BrokenFile, match=problem):
        read_training_set(parts, tmp_path)
