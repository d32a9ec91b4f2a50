"""Which image of a dataset a file is."""

import numpy as np
import pytest
from PIL import Image

from jvgn.datasets import tables
from jvgn.grounding.stored_regions import StoredRegions
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.storage.parquet import write_table

NAMES = {1: "a.png", 2: "new/b.png", 3: "old/b.png", 4: "c.png"}
SKIPPED = 4


@pytest.fixture
def dataset(tmp_path):
    """The tables, regions and files of a small dataset; the folder `copied` has the same files."""
    columns = {"image_id": list(NAMES), "file_name": list(NAMES.values()), "width": [48] * 4, "height": [40] * 4}
    write_table(tmp_path / "images.parquet", columns, tables.IMAGES)
    zeros = np.zeros((1, 4), np.float32)
    regions = Regions(zeros, zeros, zeros[:, 0], zeros[:, 0].astype(np.int32), np.array([-1]))
    with RegionWriter(tmp_path / "regions.h5", 4, "float32", {}) as writer:
        for image_id in NAMES.keys() - {SKIPPED}:
            writer.append(image_id, regions)
    for folder, name in [(folder, name) for folder in ("images", "copied") for name in [*NAMES.values(), "d.png"]]:
        (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (48, 40)).save(tmp_path / folder / name)
    return tmp_path


@pytest.mark.parametrize(
    ("folder", "file", "size", "expected"),
    [
        ("images", "images/a.png", (48, 40), 1),
        ("images", "images/new/../a.png", (48, 40), 1),
        ("images", "images/old/b.png", (48, 40), 3),
        ("images", "images/a.png", (40, 48), None),  # the file was replaced
        ("images", "images/d.png", (48, 40), None),
        ("images", "images/c.png", (48, 40), None),  # has no stored regions
        ("images", "copied/a.png", (48, 40), None),  # may be another picture of this name
        (None, "copied/a.png", (48, 40), 1),
        (None, "copied/a.png", (49, 40), None),
        (None, "copied/d.png", (48, 40), None),
        (None, "copied/old/b.png", (48, 40), None),  # two images have this name
    ],
)
def test_a_file_is_found_in_the_datasets_folder_or_by_name_and_size(dataset, folder, file, size, expected):
    known = folder and dataset / folder
    stored = StoredRegions(dataset / "regions.h5", dataset / "images.parquet", known)
    assert stored.image_id(dataset / file, size) == expected
    assert stored.may_have(dataset / file) or expected is None
