"""Files of regions that nobody vouches for: what they say is checked before it is believed."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest

from jvgn.regions.store import RegionStore
from jvgn.regions.trial import SECONDS, TRIALS, Helper, Trials
from parsers.errors import BrokenFile, UserError
from tests.jvgn.regions.test_store import make_regions, write

ROOT = Path(__file__).parents[3]
CORPUS = ROOT / "tests/long/fuzz/corpus/regions"


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "regions.h5", {3: make_regions(2, 0), 5: make_regions(1, 1)})


def changed(path, change):
    with h5py.File(path, "r+") as file:
        change(file)
    return path


def replaced(name, **options):
    """Another dataset in the place of one."""

    def change(file):
        del file[name]
        file.create_dataset(name, **options)

    return change


def linked(name, link):
    def change(file):
        del file[name]
        file[name] = link

    return change


def virtual(file):
    del file["box"]
    layout = h5py.VirtualLayout((3, 4), "f4")
    layout[:] = h5py.VirtualSource("/etc/hostname", "x", (3, 4))
    file.create_virtual_dataset("box", layout)


def left_out(**reasons):
    """One image was left out; `reasons` say how that is stored."""

    def change(file):
        file["skipped/image_id"], file["skipped/object_id"] = [7], [-1]
        file.create_dataset("skipped/reason", **reasons)

    return change


def attribute(name, value):
    return lambda file: file.attrs.__setitem__(name, value)


FLAWS = {
    "more rows than any file": (replaced("image_id", shape=(2**50,), dtype="i8", chunks=(64,)), "holds .* bytes, far"),
    "boxes that nobody stored": (replaced("box", shape=(2**40, 4), dtype="f4", chunks=(64, 4)), "holds .* bytes, far"),
    "a feature that nobody stored": (
        replaced("feature", shape=(3, 10**8), dtype="f4", chunks=(1, 100)),
        "holds .* bytes, far",
    ),
    "a chunk that is larger than any file": (
        replaced("feature", shape=(3, 6), maxshape=(None, 6), dtype="f4", chunks=(10**8, 6)),
        "holds .* bytes, far",
    ),
    "an image of features that nobody stored": (
        replaced("feature", shape=(3, 10**7), dtype="f4", chunks=(1, 100)),
        "holds .* bytes, far",
    ),
    "chunks of boxes that are nearly empty": (
        replaced("box", shape=(3, 4), maxshape=(None, None), dtype="f4", chunks=(1, 10**7)),
        "holds .* bytes, far",
    ),
    "a chunk of reasons that is larger than any file": (
        left_out(shape=(1,), maxshape=(None,), dtype="S1000", chunks=(3_000_000,), compression="gzip"),
        "holds 3,000,000,000 bytes, far",
    ),
    "reasons that are numbers": (left_out(data=[1]), "expected skipped/reason of 1 dimensions of type S"),
    "reasons of another file": (
        left_out(shape=(1,), dtype="S9", external=[("/etc/passwd", 0, 9)]),
        "holds no skipped/reason",
    ),
    "a list in the place of what was left out": (
        lambda file: file.create_dataset("skipped", data=[1]),
        "holds no skipped/image_id",
    ),
    "an offset below the last": (replaced("offset", data=[0, 5, 3]), "offsets do not ascend from 0"),
    "an offset below 0": (replaced("offset", data=[-1, 2, 3]), "offsets do not ascend from 0"),
    "an offset beyond the rows": (replaced("offset", data=[0, 2, 9]), "expected 9 rows of box, found 3"),
    "images out of order": (replaced("image_id", data=[5, 3]), "images are not in ascending order"),
    "an image twice": (replaced("image_id", data=[3, 3]), "images are not in ascending order"),
    "a box that is none": (replaced("box", data=np.full((3, 4), np.nan, np.float32)), "a box that is none"),
    "a label that would become another": (replaced("label", data=[1, 2, 2**40 + 7]), "a label beyond 32 bits"),
    "boxes of three sides": (replaced("box", data=np.zeros((3, 3), np.float32)), "a box that is none"),
    "boxes in a line": (replaced("box", data=np.zeros(12, np.float32)), "expected box of 2 dimensions"),
    "words for boxes": (replaced("box", data=np.full((3, 4), b"a")), "expected box of 2 dimensions"),
    "features of another kind": (replaced("feature", data=np.zeros((3, 6))), "expected features of float16 or float32"),
    "nothing": (replaced("score", data=h5py.Empty("f4")), "expected score of 1 dimensions"),
    "a link": (linked("box", h5py.SoftLink("/feature")), "holds no box"),
    "a link to itself": (linked("box", h5py.SoftLink("/box")), "holds no box"),
    "a link to another file": (linked("box", h5py.ExternalLink("/etc/passwd", "/x")), "holds no box"),
    "bytes of another file": (
        replaced("box", shape=(3, 4), dtype="f4", external=[("/etc/passwd", 0, 48)]),
        "holds no box",
    ),
    "parts of another file": (virtual, "holds no box"),
    "a version that is a list": (attribute("format", np.array([1, 2])), "expected regions of format version 1"),
    "a version that is empty": (attribute("format", h5py.Empty("f4")), "expected regions of format version 1"),
}


@pytest.mark.parametrize("flaw", FLAWS)
def test_a_flaw_is_named(path, flaw):
    change, problem = FLAWS[flaw]
    with pytest.raises(BrokenFile, match=problem) as error:
        RegionStore(changed(path, change)).read(3)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith("; if the workflow made it, delete it and run the workflow again")


@pytest.mark.parametrize("setting", [None, 3, "both"])
def test_the_setting_is_one_that_there_is(path, setting):
    changed(path, lambda file: file.attrs.pop("setting") if setting is None else attribute("setting", setting)(file))
    with pytest.raises(BrokenFile, match="holds no setting"):
        _ = RegionStore(path).setting


@pytest.mark.parametrize("change", [attribute("note", np.zeros(3)), attribute("note", b"\xff\xfe")])
def test_other_attributes_do_not_matter(path, change):
    assert len(RegionStore(changed(path, change)).read(3)) == 2


@pytest.mark.parametrize("name", ["box", "skipped"])
def test_no_link_out_of_the_file_is_followed(tmp_path, path, monkeypatch, name):
    """Where it leads to is a pipe that nobody writes to: whoever opens it waits for ever."""
    monkeypatch.setattr("jvgn.regions.trial.PATIENCE", 20)
    os.mkfifo(tmp_path / "pipe.h5")

    def change(file):
        file.pop(name, None)
        file[name] = h5py.ExternalLink(str(tmp_path / "pipe.h5"), "/")

    with pytest.raises(BrokenFile, match=f"holds no {name}"):
        RegionStore(changed(path, change)).read(3)


def test_what_was_left_out_is_not_taken_from_another_file(tmp_path, path):
    other = changed(write(tmp_path / "other.h5", {3: make_regions(2, 0)}), left_out(data=np.array([b"none of theirs"])))
    for link in (h5py.ExternalLink(str(other), "/skipped"), h5py.SoftLink("/theirs")):
        with h5py.File(path, "r+") as file:
            file.pop("skipped", None)
            file["skipped"] = link
        with pytest.raises(BrokenFile, match="holds no skipped/image_id"):
            _ = RegionStore(path).skipped


def test_a_file_that_keeps_the_library_busy_for_ever_is_refused(tmp_path):
    shutil.copy(CORPUS / "none.h5--a_heap_without_end.h5", tmp_path / "regions.h5")
    start = time.monotonic()
    with pytest.raises(BrokenFile, match="takes for ever, or ends the process"):
        RegionStore(tmp_path / "regions.h5").read(1)
    assert time.monotonic() - start < 20 * SECONDS  # a busy machine


def test_after_that_others_are_read_as_before(tmp_path, path):
    test_a_file_that_keeps_the_library_busy_for_ever_is_refused(tmp_path)
    assert len(RegionStore(write(path, {3: make_regions(2, 0)})).read(3)) == 2


def test_a_process_that_was_ended_from_outside_does_not_condemn_the_next_file(tmp_path, path):
    assert len(RegionStore(path).read(3)) == 2
    helper = TRIALS.helper.process
    helper.kill()
    helper.wait()
    assert len(RegionStore(write(tmp_path / "more.h5", {3: make_regions(2, 0)})).read(3)) == 2


def test_a_process_that_is_ended_at_work_does_not_condemn_its_file(tmp_path, monkeypatch):
    killed = []

    class Unlucky(Helper):
        def answer(self, path):
            if not killed:
                killed.append(path)
                self.process.kill()
            return super().answer(path)

    monkeypatch.setattr("jvgn.regions.trial.Helper", Unlucky)
    path = write(tmp_path / "regions.h5", {3: make_regions(2, 0)})
    Trials().check(path)
    assert killed == [path]


def test_a_file_that_is_not_opened_in_time_is_not_called_broken(tmp_path, monkeypatch):
    monkeypatch.setattr("jvgn.regions.trial.PATIENCE", 0.1)
    os.mkfifo(tmp_path / "regions.h5")
    with pytest.raises(UserError, match=r"was not opened within 0\.1 seconds; see to its disk"):
        Trials().check(tmp_path / "regions.h5")


def test_a_path_may_have_lines(tmp_path):
    path = write(tmp_path / "two\nlines.h5", {3: make_regions(2, 0)})
    trials = Trials()
    trials.check(path)
    time.sleep(0.5)
    answers = trials.helper.process.stdout
    os.set_blocking(answers.fileno(), False)
    assert answers.read() is None  # one that is left over would be taken for the next file's


def test_a_limit_of_the_processors_time_condemns_no_file(path):
    """As `ulimit -t` sets it, which no process can raise."""
    check = (
        "import sys; from pathlib import Path; from jvgn.regions.trial import TRIALS; TRIALS.check(Path(sys.argv[1]))"
    )
    command = ["bash", "-c", 'ulimit -t 3600 && exec "$@"', "bash", sys.executable, "-c", check, str(path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_compressed_features_are_read(path):
    def compress(file):
        values = file["feature"][:]
        replaced("feature", data=values, compression="gzip")(file)

    before = RegionStore(path).read(3).feature
    np.testing.assert_array_equal(RegionStore(changed(path, compress)).read(3).feature, before)
