"""Bad images and boxes stop the extraction, and nothing is written, or they are skipped and listed."""

import pytest
from PIL import Image

from jvgn.datasets.tables import OBJECTS
from jvgn.detector.faster_rcnn import Detector
from jvgn.regions.hdf5_store import RegionStore
from jvgn.settings.detector import RegionSettings
from jvgn.storage.parquet import read_table, write_table
from parsers.errors import UserError

SETTINGS = RegionSettings(proposals=20, batch_size=2)


def lose(drawn):
    (drawn.folder / "30.png").unlink()


def corrupt(drawn):
    """A JPEG whose second half is missing."""
    Image.open(drawn.folder / "30.png").save(drawn.folder / "30.jpg", quality=95)
    content = (drawn.folder / "30.jpg").read_bytes()
    (drawn.folder / "30.png").write_bytes(content[: len(content) // 2])


def scribble(drawn):
    (drawn.folder / "30.png").write_text("not an image")


def resize(drawn):
    Image.new("RGB", (20, 20)).save(drawn.folder / "30.png")


def move_box(**sides):
    """The first object of image 30 gets these sides."""

    def spoil(drawn):
        objects = read_table(drawn.tables["objects"], OBJECTS).to_pydict()
        row = objects["image_id"].index(30)
        for side, value in sides.items():
            objects[side][row] = value
        write_table(drawn.tables["objects"], objects, OBJECTS)

    spoil.__name__ = "box " + " ".join(sides)
    return spoil


IMAGES = {
    lose: r"30\.png: no such image",
    corrupt: r"30\.png: .*truncated",
    scribble: r"30\.png: cannot be read",
    resize: r"30\.png: expected \(48, 64\) pixels, found \(20, 20\)",
}
BOXES = {
    move_box(x2=52): r"object 106 of image 30 \(30\.png\): its box .* is not inside the image, which has 48 x 64",
    move_box(x1=10, x2=10): r"object 106 of image 30 \(30\.png\): its box .* has no area",
    move_box(y2=float("nan")): r"object 106 of image 30 \(30\.png\): its box ",
}


def refused(drawn, weights, setting, output, message):
    with pytest.raises(UserError, match=message) as error:
        drawn.extract(weights, setting, output, settings=SETTINGS)
    assert "\n" not in str(error.value) and "on_bad_input: skip" in str(error.value)
    assert not output.exists()


@pytest.mark.parametrize("setting", ["gt", "det"])
@pytest.mark.parametrize("spoil", IMAGES, ids=lambda spoil: spoil.__name__)
def test_a_bad_image_stops_or_is_skipped(trained, drawn, tmp_path, spoil, setting):
    spoil(drawn)
    refused(drawn, trained[1], setting, tmp_path / "regions.h5", IMAGES[spoil])
    skipping = SETTINGS.model_copy(update={"on_bad_input": "skip"})
    store = RegionStore(drawn.extract(trained[1], setting, tmp_path / "regions.h5", settings=skipping))
    assert store.image_ids.tolist() == [10, 20, 40, 50]
    (skipped,) = store.skipped
    assert (skipped.image_id, skipped.object_id) == (30, -1) and "30.png" in skipped.reason


@pytest.mark.parametrize("setting", ["gt", "det"])
def test_a_feature_too_large_for_its_precision_stops_or_skips_its_image(trained, drawn, tmp_path, monkeypatch, setting):
    """Image 30 is made all white, and the features of an image of one colour are made large."""
    Image.new("RGB", (48, 64), "white").save(drawn.folder / "30.png")
    features_in = Detector.features_in

    def large_where_plain(self, view, boxes):
        is_plain = [bool((image.flatten(1).std(dim=1) < 1e-3).all()) for image in view.inputs.tensors]
        found = features_in(self, view, boxes)
        return [feature + 1e6 * plain for feature, plain in zip(found, is_plain, strict=True)]

    monkeypatch.setattr(Detector, "features_in", large_where_plain)
    refused(drawn, trained[1], setting, tmp_path / "regions.h5", "image 30 has a feature that is too large for float16")
    skipping = SETTINGS.model_copy(update={"on_bad_input": "skip"})
    store = RegionStore(drawn.extract(trained[1], setting, tmp_path / "regions.h5", settings=skipping))
    assert store.image_ids.tolist() == [10, 20, 40, 50]
    (skipped,) = store.skipped
    assert (skipped.image_id, skipped.object_id) == (30, -1) and "too large for float16" in skipped.reason
    whole = SETTINGS.model_copy(update={"precision": "float32"})
    store = RegionStore(drawn.extract(trained[1], setting, tmp_path / "whole.h5", settings=whole))
    assert store.image_ids.tolist() == [10, 20, 30, 40, 50]


@pytest.mark.parametrize("spoil", BOXES, ids=lambda spoil: spoil.__name__)
def test_a_bad_annotation_stops_or_is_skipped(trained, drawn, tmp_path, spoil):
    spoil(drawn)
    refused(drawn, trained[1], "gt", tmp_path / "regions.h5", BOXES[spoil])
    skipping = SETTINGS.model_copy(update={"on_bad_input": "skip"})
    store = RegionStore(drawn.extract(trained[1], "gt", tmp_path / "regions.h5", settings=skipping))
    assert store.image_ids.tolist() == [10, 20, 30, 40, 50]
    assert store.read(30).object_id.tolist() == [107, 108]
    assert [(one.image_id, one.object_id) for one in store.skipped] == [(30, 106)]
