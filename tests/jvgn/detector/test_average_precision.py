"""COCO's average precision: equal to a calculation by hand, and measured on excluded images only."""

import json

import pyarrow as pa
import pytest

from jvgn.datasets.tables import IMAGES, OBJECTS
from jvgn.detector.average_precision import average_precision, measure_detector
from jvgn.detector.provenance import exclude_images
from jvgn.storage.files import sha256
from parsers.errors import UserError
from tests.jvgn.drawing import SETTINGS, write_expressions

CATEGORIES = [(3, "square"), (7, "disc")]
IMAGE_TABLE = pa.table(
    {"image_id": [1, 2], "file_name": ["a", "b"], "width": [100, 100], "height": [100, 100]}, schema=IMAGES
)
OBJECT_ROWS = [
    (0, 1, "square", 3, 0.0, 0.0, 20.0, 20.0, False),
    (1, 1, "disc", 7, 50.0, 50.0, 90.0, 90.0, False),
    (2, 2, "square", 3, 10.0, 10.0, 40.0, 30.0, False),
]
OBJECT_TABLE = pa.table(dict(zip(OBJECTS.names, zip(*OBJECT_ROWS, strict=True), strict=True)), schema=OBJECTS)


def detection(row, score=0.9, wider=1.0):
    _, image_id, _, category_id, x1, y1, x2, y2, _ = row
    return {
        "image_id": image_id,
        "category_id": category_id,
        "bbox": [x1, y1, (x2 - x1) * wider, y2 - y1],
        "score": score,
    }


CASES = {
    "every object": ([detection(row) for row in OBJECT_ROWS], 100, 100, 100),
    "every object, at an IoU of 0.625": ([detection(row, wider=1.6) for row in OBJECT_ROWS], 30, 100, 0),
    "the disc alone": ([detection(OBJECT_ROWS[1])], 50, 50, 50),
    "nothing": ([], 0, 0, 0),
}


@pytest.mark.parametrize("case", CASES)
def test_it_equals_a_calculation_by_hand(case):
    found, ap, ap50, ap75 = CASES[case]
    measured = average_precision(IMAGE_TABLE, OBJECT_TABLE, CATEGORIES, found)
    assert (measured["ap"], measured["ap50"], measured["ap75"]) == pytest.approx((ap, ap50, ap75))
    assert (measured["images"], measured["objects"]) == (2, 3)


def test_a_false_alarm_before_a_hit_halves_the_precision():
    found = [detection(OBJECT_ROWS[1], 0.8), detection((9, 2, "disc", 7, 0.0, 0.0, 5.0, 5.0, False), 0.9)]
    assert average_precision(IMAGE_TABLE, OBJECT_TABLE, CATEGORIES, found)["categories"] == {"square": 0, "disc": 50}


def measure(trained, excluded, output):
    data, weights = trained
    measure_detector(
        SETTINGS,
        **data.tables,
        excluded=excluded,
        folder=data.folder,
        weights=weights,
        output=output,
        held_out_images=5,
    )
    return json.loads(output.read_text())


def test_it_is_measured_on_excluded_images_only(trained, tmp_path):
    measured = measure(trained, trained[0].excluded, tmp_path / "ap.json")
    assert (measured["images"], measured["objects"]) == (1, 3)
    assert measured["detector_sha256"] == sha256(trained[1])
    assert 0 <= measured["ap"] <= measured["ap50"] <= 100


def test_without_a_val_image_there_is_nothing_to_measure_on(trained, tmp_path):
    own = write_expressions(tmp_path / "own" / "expressions.parquet", {10: "train", 50: "test"})
    exclude_images([own], tmp_path / "excluded.parquet")
    with pytest.raises(UserError, match="no image of a val split"):
        measure(trained, tmp_path / "excluded.parquet", tmp_path / "ap.json")
