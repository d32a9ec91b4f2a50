"""Where a run's detector is found."""

import pytest

from jvgn.grounder import detector_folder
from parsers.files import UserError


@pytest.mark.parametrize(
    ("folders", "expected"),
    [(["shapes/tiny", "coco/tiny"], "shapes/tiny"), (["coco/tiny", "coco/resnet101"], "coco/tiny")],
)
def test_a_detector_is_the_datasets_own_or_a_training_sets(tmp_path, folders, expected):
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    assert detector_folder(tmp_path, "shapes", "tiny") == tmp_path / expected


def test_two_detectors_of_one_name_are_named(tmp_path):
    for folder in ("coco/tiny", "vg/tiny"):
        (tmp_path / folder).mkdir(parents=True)
    with pytest.raises(UserError, match="tiny was trained on each of coco, vg"):
        detector_folder(tmp_path, "shapes", "tiny")


def test_a_missing_detector_is_named(tmp_path):
    with pytest.raises(UserError, match=r"shapes/tiny: there is no such detector"):
        detector_folder(tmp_path, "shapes", "tiny")
