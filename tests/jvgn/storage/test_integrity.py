"""`jvgn verify`: what is broken, missing, stale or of unknown origin is named, and nothing else."""

import errno
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.storage.files import sha256
from jvgn.storage.picture_hashes import write_hashes
from jvgn.storage.records import read_origin, record_of, write_origin

CODE = {"jvgn/boxes.py": sha256(Path(__file__).parents[3] / "jvgn/boxes.py")}


@pytest.fixture
def results(tmp_path):
    """Two files, of which the second was made from the first."""
    folder = tmp_path / "results"
    folder.mkdir()
    first, second = folder / "first.txt", folder / "second.txt"
    first.write_text("one")
    write_origin(first, "jvgn begin", {}, {}, {})
    second.write_text("two")
    write_origin(second, "jvgn go-on", {first: sha256(first)}, {"seed": "0"}, CODE)
    return folder


def verified(folder):
    """The exit code, what was found as (kind, name), and all that was said."""
    ran = CliRunner().invoke(main, ["verify", str(folder)])
    lines = [line.split() for line in ran.stdout.splitlines() if not line.startswith(str(folder))]
    return ran.exit_code, {(kind, Path(path.rstrip(":")).name) for kind, path, *_ in lines}, ran.output


def test_nothing_is_found_where_nothing_was_touched(results):
    code, found, said = verified(results)
    assert (code, found) == (0, set())
    assert said == f"{results}: every file is as it was written, from what is still the same\n"


def test_a_file_that_was_touched_alone_is_as_it_was_written(results):
    (results / "first.txt").touch()
    assert verified(results)[:2] == (0, set())


def test_a_picture_that_is_gone_is_named(results):
    (results / "images").mkdir()
    for name in ("1.jpg", "2.jpg"):
        (results / "images" / name).write_text(name)
    write_hashes(results / "images")
    assert verified(results)[:2] == (0, set())
    (results / "images/1.jpg").unlink()
    assert verified(results)[:2] == (1, {("missing", "1.jpg")})


def test_a_broken_file_is_named_and_not_what_was_made_from_it(results):
    (results / "first.txt").write_text("eno")
    assert verified(results)[:2] == (1, {("broken", "first.txt")})


@pytest.mark.parametrize("reader", [sha256, read_origin], ids=["the file", "its record"])
def test_a_file_that_may_not_be_read_is_named_and_not_what_was_made_from_it(results, monkeypatch, reader):
    def read(path):
        if path.name == "first.txt":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return reader(path)

    monkeypatch.setattr(f"jvgn.storage.verify.{reader.__name__}", read)
    code, found, said = verified(results)
    assert (code, found) == (1, {("broken", "first.txt")})
    assert "cannot be read (Permission denied)" in said


def test_a_folder_that_may_not_be_read_is_named(results, monkeypatch):
    def walk(folder, onerror, followlinks):
        onerror(PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder / "regions")))
        return iter([])

    monkeypatch.setattr("os.walk", walk)
    code, found, said = verified(results)
    assert (code, found) == (1, {("unknown", "regions")})
    assert "cannot be read (Permission denied)" in said


def test_files_in_a_folder_that_is_a_link_are_verified(results, tmp_path):
    """Their inputs are found from where the link is, not from where it leads."""
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (results / "more").symlink_to(tmp_path / "elsewhere" / "deep", target_is_directory=True)
    (results / "more" / "third.txt").write_text("three")
    first = results / "first.txt"
    write_origin(results / "more" / "third.txt", "jvgn end", {first: sha256(first)}, {}, {})
    assert verified(results)[:2] == (0, set())
    first.write_text("another one")
    write_origin(first, "jvgn begin", {}, {}, {})
    assert verified(results)[:2] == (1, {("stale", "second.txt"), ("stale", "third.txt")})
    (results / "more" / "third.txt").write_text("eerht")
    assert verified(results)[:2] == (1, {("stale", "second.txt"), ("broken", "third.txt")})


def test_what_a_user_links_to_is_not_called_unknown(results, tmp_path):
    """Nobody shall be advised to delete the photographs of a whole group."""
    (tmp_path / "train2014").mkdir()
    (tmp_path / "train2014" / "photograph.jpg").write_text("a picture")
    (results / "images").symlink_to(tmp_path / "train2014", target_is_directory=True)
    assert verified(results)[:2] == (0, set())


def test_a_folder_that_two_links_lead_to_is_verified_once(results, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    third = tmp_path / "elsewhere" / "third.txt"
    third.write_text("three")
    write_origin(third, "jvgn end", {}, {}, {})
    third.write_text("eerht")
    for name in ("more", "again"):
        (results / name).symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert verified(results)[2].count("third.txt") == 1


def test_links_that_lead_back_are_not_followed(results, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (results / "self").symlink_to(results, target_is_directory=True)
    (results / "more").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert verified(results)[:2] == (0, set())


@pytest.mark.parametrize("instead", ["nothing", "a folder", "a link to nothing"])
def test_a_file_that_is_gone_is_named(results, instead):
    path = results / "first.txt"
    path.unlink()
    if instead == "a folder":
        path.mkdir()
    if instead == "a link to nothing":
        path.symlink_to("nowhere")
    assert verified(results)[:2] == (1, {("missing", "first.txt")})


def test_a_file_whose_record_is_damaged_is_named(results):
    record = record_of(results / "second.txt")
    record.write_bytes(record.read_bytes()[:-3])
    assert verified(results)[:2] == (1, {("broken", "second.txt")})


def test_what_was_made_from_another_version_of_a_file_is_stale(results):
    (results / "first.txt").write_text("changed")
    write_origin(results / "first.txt", "jvgn begin", {}, {}, {})
    code, found, said = verified(results)
    assert (code, found) == (1, {("stale", "second.txt")})
    assert "made from another" in said and "first.txt" in said


def test_what_was_made_by_other_code_is_stale(results):
    second = results / "second.txt"
    write_origin(second, "jvgn go-on", {}, {}, CODE | {"jvgn/model.py": "0" * 64, "jvgn/gone.py": "0" * 64})
    code, found, said = verified(results)
    assert (code, found) == (1, {("stale", "second.txt")})
    assert "made by other code (jvgn/model.py, jvgn/gone.py)" in said


def test_an_input_that_was_removed_with_its_record_says_nothing(results):
    (results / "first.txt").unlink()
    record_of(results / "first.txt").unlink()
    assert verified(results)[:2] == (0, set())


def test_a_file_that_nothing_speaks_of_is_named(results):
    (results / "mine").mkdir()
    (results / "mine/notes.txt").write_text("mine")
    code, found, said = verified(results)
    assert (code, found) == (1, {("unknown", "notes.txt")})
    assert "files broken: 0, missing: 0, stale: 0, of unknown origin: 1;" in said


def test_what_an_unfinished_stage_keeps_is_its_own(results):
    (results / "training_state.pt").write_text("half")
    (results / "weights.state.pt").write_text("half")
    (results / "1-of-2.parts").mkdir()
    (results / "1-of-2.parts/0.h5").write_text("half")
    (results / ".first.txt.abc.txt").write_text("half")
    assert verified(results)[:2] == (0, set())


def test_records_hold_where_the_project_is_moved_to(results, tmp_path, monkeypatch):
    moved = results.rename(tmp_path / "moved")
    monkeypatch.chdir(moved)
    assert verified(Path())[:2] == (0, set())
    (moved / "first.txt").write_text("other")
    write_origin(moved / "first.txt", "jvgn begin", {}, {}, {})
    assert verified(Path())[:2] == (1, {("stale", "second.txt")})
