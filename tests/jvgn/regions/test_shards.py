"""An extraction in shards, or interrupted, gives the same file as one without either."""

import multiprocessing
import time
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest

from jvgn.regions.hdf5_store import RegionStore, RegionWriter, Skipped
from jvgn.regions.shards import RegionShard, merge_regions, write_skipped
from jvgn.settings.detector import RegionSettings
from parsers.errors import BrokenFile, UserError
from tests.jvgn.drawing import draw
from tests.jvgn.regions.test_hdf5_store import FEATURE_SIZE, make_regions

IMAGES = 70
WINDOW = 16
"""With batches of one image, the images make five windows."""
CHOSEN = RegionSettings(proposals=20, batch_size=1)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    return draw(tmp_path_factory.mktemp("many"), IMAGES)


def extract(data, weights: Path, folder: Path, setting: str, count: int) -> bytes:
    """The merged file of an extraction in `count` shards."""
    parts = [folder / f"{number}-of-{count}.h5" for number in range(1, count + 1)]
    for number, part in enumerate(parts, start=1):
        data.extract(weights, setting, part, settings=CHOSEN, shard=RegionShard(number, count))
    merge_regions(parts, folder / "regions.h5", folder / "skipped.csv")
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        ["regions.h5", "skipped.csv", *(path.name for path in parts)]
    )
    return (folder / "regions.h5").read_bytes()


@pytest.mark.parametrize("setting", ["gt", "det"])
def test_the_number_of_shards_changes_no_byte(trained, many, tmp_path, setting):
    whole = extract(many, trained[1], tmp_path / "1", setting, 1)
    assert len(RegionStore(tmp_path / "1" / "regions.h5").image_ids) == IMAGES
    assert extract(many, trained[1], tmp_path / "3", setting, 3) == whole
    # More shards than windows: some are empty.
    assert extract(many, trained[1], tmp_path / "7", setting, 7) == whole


@pytest.mark.parametrize(("images", "count"), [(0, 1), (1, 1), (100, 1), (100, 3), (100, 20), (96, 2)])
def test_shards_are_cut_between_windows_and_cover_every_image_once(images, count):
    windows = [window for number in range(1, count + 1) for window in RegionShard(number, count).windows(images, 16)]
    assert [row for window in windows for row in window] == list(range(images))
    assert all(window.start % 16 == 0 for window in windows)
    sizes = [len(RegionShard(number, count).windows(images, 16)) for number in range(1, count + 1)]
    assert max(sizes) - min(sizes) <= 1


def kill_after_two_windows(process, folder: Path) -> None:
    """Kill a process some milliseconds after two windows are done."""
    while len(list(folder.glob("[0-9]*.h5"))) < 2:
        assert process.is_alive(), "the extraction ended before it could be killed"
        time.sleep(0.001)
    time.sleep(np.random.default_rng().uniform(0, 0.02))
    process.kill()
    process.join()


def test_a_killed_shard_resumes_to_the_same_bytes(trained, many, tmp_path, caplog):
    caplog.set_level("INFO")
    uninterrupted = many.extract(trained[1], "det", tmp_path / "uninterrupted.h5", settings=CHOSEN)
    killed, arguments = tmp_path / "killed.h5", (trained[1], "det", tmp_path / "killed.h5")
    process = multiprocessing.get_context("fork").Process(
        target=many.extract, args=arguments, kwargs={"settings": CHOSEN}
    )
    process.start()
    kill_after_two_windows(process, killed.with_suffix(".parts"))
    assert not killed.exists(), "the extraction was faster than the signal"
    many.extract(*arguments, settings=CHOSEN)
    assert "resuming" in caplog.text
    assert killed.read_bytes() == uninterrupted.read_bytes()
    assert sorted(path.name for path in tmp_path.glob("[!.]*")) == ["killed.h5", "uninterrupted.h5"]


def leave_part(data, weights: Path, output: Path, **changes) -> Path:
    """Interrupt an extraction by a missing image in its last window; return the first window."""
    missing = data.folder / f"{10 * IMAGES}.png"
    missing.rename(missing.with_suffix(".hidden"))
    try:
        with pytest.raises(UserError, match="no such image"):
            data.extract(weights, "gt", output, settings=CHOSEN.model_copy(update=changes))
    finally:
        missing.with_suffix(".hidden").rename(missing)
    assert not output.exists()
    return output.with_suffix(".parts") / "0.h5"


@pytest.mark.parametrize("case", ["cut", "one bit", "other settings"])
def test_damaged_or_outdated_windows_are_extracted_again(trained, many, tmp_path, case):
    data, weights = many, trained[1]
    expected = data.extract(weights, "gt", tmp_path / "expected.h5", settings=CHOSEN).read_bytes()
    output = tmp_path / "regions.h5"
    if case == "cut":
        part = leave_part(data, weights, output)
        part.write_bytes(part.read_bytes()[:3000])
    elif case == "one bit":
        part = leave_part(data, weights, output)
        with h5py.File(part, "a") as file:
            file["feature"][0, 0] = -file["feature"][0, 0]
    else:
        leave_part(data, weights, output, precision="float32")
    assert data.extract(weights, "gt", output, settings=CHOSEN).read_bytes() == expected


def write_shard(path: Path, shard: str, first: int, **attributes) -> Path:
    made_by = {"detector": "tiny", "detector_sha256": "abc", "shard": shard} | attributes
    with RegionWriter(path, FEATURE_SIZE, "float32", made_by) as writer:
        for image_id in (first, first + 1):
            writer.append(image_id, make_regions(3, image_id))
    return path


FOREIGN = {
    "another detector": ({"detector_sha256": "def"}, "expected a shard with detector_sha256 abc, found def"),
    "another cut": ({"shard": "2-of-3"}, "expected a shard with shard 2-of-2, found 2-of-3"),
}


@pytest.mark.parametrize("case", FOREIGN)
def test_a_shard_of_another_extraction_is_named_and_nothing_is_merged(tmp_path, case):
    attributes, message = FOREIGN[case]
    parts = [write_shard(tmp_path / "1.h5", "1-of-2", 1)]
    parts.append(write_shard(tmp_path / "2.h5", **{"shard": "2-of-2", "first": 5} | attributes))
    with pytest.raises(BrokenFile, match=message) as error:
        merge_regions(parts, tmp_path / "regions.h5", tmp_path / "skipped.csv")
    assert str(parts[1]) in str(error.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.h5", "2.h5"]


def test_what_was_skipped_survives_merging_and_is_listed(tmp_path):
    listed = [Skipped(7, -1, "7.jpg: it is “broken”, alas"), Skipped(8, 801, "no area")]
    with RegionWriter(tmp_path / "1.h5", FEATURE_SIZE, "float32", {"shard": "1-of-1"}) as writer:
        writer.append(3, make_regions(2, 0))
        for one in listed:
            writer.skip(one)
    merge_regions([tmp_path / "1.h5"], tmp_path / "regions.h5", tmp_path / "skipped.csv")
    assert RegionStore(tmp_path / "regions.h5").skipped == listed
    table = pd.read_csv(tmp_path / "skipped.csv")
    assert table.to_dict("records") == [vars(one) for one in listed]
    write_skipped(tmp_path / "none.csv", [])
    assert pd.read_csv(tmp_path / "none.csv").empty
