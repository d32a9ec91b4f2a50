"""`jvgn verify` names each broken, missing, stale or unknown file, and no other."""

import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.storage.files import record_of, sha256
from jvgn.storage.pictures import NAME, check_picture, write_hashes
from jvgn.storage.records import write_origin
from parsers.errors import BrokenFile

CODE = {"jvgn/boxes.py": sha256(Path(__file__).parents[3] / "jvgn/boxes.py")}


@pytest.fixture
def results(tmp_path):
    """Two files of which the second was made from the first, two pictures and a download."""
    folder = tmp_path / "results"
    (folder / "images").mkdir(parents=True)
    first, second = folder / "first.txt", folder / "second.txt"
    first.write_text("one" * 1000)
    write_origin(first, "jvgn begin", {}, {}, {})
    second.write_text("two" * 1000)
    write_origin(second, "jvgn go-on", {first: sha256(first)}, {"seed": "0"}, CODE)
    for name in ("1.jpg", "2.jpg"):
        (folder / "images" / name).write_text(name)
    write_hashes(folder / "images")
    (folder / "a.zip").write_text("archive")
    (folder / "a.zip.sha256").write_text(f"{sha256(folder / 'a.zip')}  a.zip\n")
    return folder


def findings(folder):
    """Return what was found, as pairs of a kind and a file name."""
    ran = CliRunner().invoke(main, ["verify", str(folder)])
    lines = [line.split() for line in ran.stdout.splitlines() if not line.startswith(f"{folder}:")]
    assert ran.exit_code == bool(lines), ran.output
    return {(kind, Path(path.rstrip(":")).name) for kind, path, *_ in lines}


def break_first(results):
    (results / "first.txt").write_text("eno")


def lose_first(results):
    (results / "first.txt").unlink()


def put_folder_for_first(results):
    (results / "first.txt").unlink()
    (results / "first.txt").mkdir()


def lose_picture(results):
    (results / "images/1.jpg").unlink()


def damage_record(results):
    record = record_of(results / "second.txt")
    record.write_bytes(record.read_bytes()[:-3])


def make_first_again(results):
    (results / "first.txt").write_text("changed")
    write_origin(results / "first.txt", "jvgn begin", {}, {}, {})


def change_code(results):
    write_origin(results / "second.txt", "jvgn go-on", {}, {}, CODE | {"jvgn/model.py": "0" * 64})


def add_notes(results):
    (results / "mine").mkdir()
    (results / "mine/notes.txt").write_text("mine")


def touch_first(results):
    (results / "first.txt").touch()


def remove_input_and_record(results):
    (results / "first.txt").unlink()
    record_of(results / "first.txt").unlink()


def leave_unfinished_state(results):
    (results / "1-of-2.parts").mkdir()
    for name in ("training_state.pt", "weights.state.pt", "1-of-2.parts/0.h5", "b.zip.part", ".first.txt.ab.txt"):
        (results / name).write_text("half")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda results: None, set()),
        (touch_first, set()),
        (remove_input_and_record, set()),
        (leave_unfinished_state, set()),
        (break_first, {("broken", "first.txt")}),  # and second.txt, made before it broke, is not stale
        (damage_record, {("broken", "second.txt")}),
        (lose_first, {("missing", "first.txt")}),
        (put_folder_for_first, {("missing", "first.txt")}),
        (lose_picture, {("missing", "1.jpg")}),
        (make_first_again, {("stale", "second.txt")}),
        (change_code, {("stale", "second.txt")}),
        (add_notes, {("unknown", "notes.txt")}),
    ],
)
def test_each_problem_is_named_and_nothing_else(results, change, expected):
    change(results)
    assert findings(results) == expected


def test_records_hold_after_the_project_is_moved(results, tmp_path, monkeypatch):
    monkeypatch.chdir(results.rename(tmp_path / "moved"))
    assert findings(Path()) == set()
    make_first_again(Path())
    assert findings(Path()) == {("stale", "second.txt")}


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="needs sha256sum")
def test_sha256sum_reads_the_checksums_of_pictures(results):
    subprocess.run(["sha256sum", "--check", "--strict", NAME], cwd=results / "images", check=True, capture_output=True)


def test_a_changed_picture_is_refused_and_the_users_own_is_not(results):
    check_picture(results / "images/1.jpg")
    (results / "images/1.jpg").write_text("other")
    with pytest.raises(BrokenFile, match=r"1\.jpg: changed"):
        check_picture(results / "images/1.jpg")
    (results / "images/mine.jpg").write_text("mine")
    check_picture(results / "images/mine.jpg")
