"""`jvgn regions info` and `jvgn regions show`: their output, and their errors."""

import pytest
from PIL import Image

from jvgn.datasets.tables import IMAGES, OBJECTS
from jvgn.regions.hdf5_store import RegionWriter
from jvgn.storage.parquet import write_table
from jvgn.views.regions_figure import RegionViewer
from parsers.errors import UserError
from tests.jvgn.regions.test_hdf5_store import FEATURE_SIZE, make_regions


@pytest.fixture
def file(tmp_path):
    """Three regions of image 7, with the tables of their dataset where the workflow has them."""
    file, tables = tmp_path / "regions/drawn_det/tiny.h5", tmp_path / "datasets/drawn"
    with RegionWriter(file, FEATURE_SIZE, "float32", {"dataset": "drawn"}) as writer:
        writer.append(7, make_regions(3, 7))
    image = {"image_id": [7], "file_name": ["7.png"], "width": [60], "height": [40]}
    write_table(tables / "images.parquet", image, IMAGES)
    write_table(tables / "objects.parquet", {name: [] for name in OBJECTS.names}, OBJECTS)
    return file


def test_an_image_is_drawn_with_all_its_regions(file, tmp_path):
    Image.new("L", (60, 40)).save(tmp_path / "7.png")
    viewer = RegionViewer(file)
    viewer.draw(tmp_path / "7.png", tmp_path / "drawn.svg")
    assert len(viewer.table(tmp_path / "7.png")) == 3
    assert (tmp_path / "drawn.svg").stat().st_size > 1000


def test_a_file_that_lies_elsewhere_asks_for_its_dataset(file):
    elsewhere = file.rename(file.parents[2] / "tiny.h5")
    with pytest.raises(UserError, match=r"datasets/drawn/images\.parquet: no such file"):
        RegionViewer(elsewhere)
