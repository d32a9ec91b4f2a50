"""Pictures that were written many at a time are told from those that have changed since."""

import os
import shutil
import subprocess

import pytest

from jvgn.storage.files import sha256
from jvgn.storage.picture_hashes import NAME, check_picture, recorded_hash, write_hashes
from parsers.errors import BrokenFile


@pytest.fixture
def folder(tmp_path):
    for name in ("images/a.jpg", "images/deep/b.jpg"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    write_hashes(tmp_path / "images")
    return tmp_path / "images"


def test_a_changed_picture_is_refused_and_others_are_not(folder):
    for picture in (folder / "a.jpg", folder / "deep/b.jpg"):
        check_picture(picture)
        picture.write_text("changed")
        with pytest.raises(BrokenFile, match=f"^{picture}: not as it was written; delete {picture.parent} and run"):
            check_picture(picture)


def test_of_a_users_own_picture_and_of_one_that_is_gone_nothing_is_said(folder, tmp_path):
    (folder / "own.jpg").write_text("mine")
    (folder / "a.jpg").unlink()
    for picture in (folder / "own.jpg", folder / "a.jpg", tmp_path / "elsewhere.jpg"):
        check_picture(picture)
    assert recorded_hash(folder / "own.jpg") is None


def test_a_folder_that_is_made_anew_is_believed_anew(folder):
    check_picture(folder / "a.jpg")
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "a.jpg").write_text("another world")
    write_hashes(folder)
    check_picture(folder / "a.jpg")


def test_sha256sum_reads_them_too(folder):
    command = ["sha256sum", "--check", "--strict", NAME]
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0
    (folder / "a.jpg").write_text("changed")
    assert subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 1


@pytest.mark.parametrize("sign", ["\r", "\x0b", "\x1c", "\x85", "\u2028"])
def test_a_name_may_have_other_signs_that_end_a_line(tmp_path, sign):
    picture = tmp_path / f"a{sign}b.jpg"
    picture.write_text("a")
    write_hashes(tmp_path)
    assert recorded_hash(picture) == sha256(picture)


@pytest.mark.parametrize("sign", ["\n", "\r", "\r\n", "\x85"])
def test_a_name_cannot_tell_the_hash_of_another_file(tmp_path, sign):
    picture, forger = tmp_path / "ok.jpg", tmp_path / f"zz{sign}{'0' * 64}  ok.jpg"
    for path in (picture, forger):
        path.write_text("a")
    write_hashes(tmp_path)
    assert recorded_hash(picture) == sha256(picture)


def test_a_name_need_not_be_text(tmp_path):
    picture = tmp_path / os.fsdecode(b"\xff.jpg")
    picture.write_text("a")
    write_hashes(tmp_path)
    check_picture(picture)
    picture.write_text("changed")
    with pytest.raises(BrokenFile, match="not as it was written"):
        check_picture(picture)
