"""What all files have in common: they appear whole or not at all, and mistakes are named."""

import errno
import os
import pickle
import shutil
import signal

import pytest

from jvgn.storage.files import (
    FULL,
    leftovers,
    naming_together,
    on_success,
    replacing,
    replacing_folder,
    temporary_beside,
)
from jvgn.storage.shown_text import LONGEST_MESSAGE, one_line, printable
from jvgn.storage.text_formats import check_counts, parsed_json
from parsers.errors import BrokenFile, Killed, UserError


@pytest.mark.parametrize("error", [UserError("no such thing"), BrokenFile("a.jar", "not a readable jar"), Killed()])
def test_a_users_mistake_crosses_from_one_process_to_another(error):
    found = pickle.loads(pickle.dumps(error))
    assert isinstance(found, UserError) and str(found) == str(error)


def test_a_place_where_no_file_can_be_is_named(tmp_path):
    (tmp_path / "file").write_text("whole")
    for path, problem in ((tmp_path, "is a folder"), (tmp_path / "file" / "a.json", "cannot be written")):
        with pytest.raises(UserError, match=f"^{path}: {problem}"), replacing(path):
            pass
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


def folder_of_two(path):
    return {file.name: file.read_text() for file in path.iterdir()}


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep/folder"
    for content in ("first", "second"):
        with replacing_folder(path) as new:
            (new / "a").write_text(content)
            (new / "b").write_text(content)
        assert folder_of_two(path) == {"a": content, "b": content}
    with pytest.raises(KeyError), replacing_folder(path) as new:
        (new / "a").write_text("half")
        raise KeyError
    assert folder_of_two(path) == {"a": "second", "b": "second"}
    assert [*path.parent.iterdir()] == [path]


def test_a_folder_stays_where_the_new_one_cannot_get_its_name(tmp_path, monkeypatch):
    with replacing_folder(tmp_path / "folder") as new:
        (new / "a").write_text("old")

    def refuse(temporary, path):
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(type(tmp_path), "replace", refuse)
    message = r"/folder: cannot be written \(Device or resource busy\); give a folder"
    with pytest.raises(UserError, match=message), replacing_folder(tmp_path / "folder") as new:
        (new / "a").write_text("new")
    assert folder_of_two(tmp_path / "folder") == {"a": "old"} and [*tmp_path.iterdir()] == [tmp_path / "folder"]


def write_both(folder, content):
    for name in ("a", "b"):
        with replacing(folder / name) as temporary:
            temporary.write_text(content)


def test_files_get_their_names_together_or_not_at_all(tmp_path):
    write_both(tmp_path, "old")
    acts = []
    with pytest.raises(KeyError), naming_together([tmp_path / "a", tmp_path / "b"]):
        write_both(tmp_path, "half")
        on_success(lambda: acts.append("too early"))
        raise KeyError
    assert folder_of_two(tmp_path) == {"a": "old", "b": "old"} and acts == []
    write_both(tmp_path, "at once")
    assert folder_of_two(tmp_path) == {"a": "at once", "b": "at once"}
    with naming_together([tmp_path / "a", tmp_path / "b"]) as whole:
        write_both(tmp_path, "first")
        write_both(tmp_path, "new")
        on_success(lambda: acts.append(folder_of_two(tmp_path)))
        assert (tmp_path / "a").read_text() == "at once" and whole[tmp_path / "a"].read_text() == "new"
    assert acts == [folder_of_two(tmp_path)] == [{"a": "new", "b": "new"}]


@pytest.mark.parametrize(
    ("number", "cure"), [(errno.EROFS, "see to the disk"), (errno.EPERM, "give a folder you may write to")]
)
def test_a_name_that_cannot_be_given_is_told_by_itself(tmp_path, monkeypatch, number, cure):
    def refuse(temporary, path):
        raise OSError(number, os.strerror(number), str(temporary))

    message = rf"/b: cannot be written \({os.strerror(number)}\); {cure}"
    with pytest.raises(UserError, match=message), naming_together([tmp_path / "a", tmp_path / "b"]):
        write_both(tmp_path, "new")
        monkeypatch.setattr(type(tmp_path), "replace", refuse)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("has_links", [True, False])
def test_where_one_cannot_have_its_name_all_is_as_it_was_before(tmp_path, monkeypatch, has_links):
    """The folder has its name by then, and one of the files."""
    write_both(tmp_path, "old")
    with replacing_folder(tmp_path / "folder") as new:
        (new / "c").write_text("old")
    before = {path: path.stat().st_ino for path in tmp_path.rglob("*")}
    replace = type(tmp_path).replace

    def refuse_a(temporary, path):
        if path.name == "a":
            raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))
        replace(temporary, path)

    def refuse_links(*_, **__):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(type(tmp_path), "replace", refuse_a)
    if not has_links:
        monkeypatch.setattr(os, "link", refuse_links)
    with pytest.raises(UserError, match="/a: cannot be written"), naming_together([tmp_path / "a", tmp_path / "b"]):
        write_both(tmp_path, "new")
        with replacing_folder(tmp_path / "folder") as new:
            (new / "c").write_text("new")
    assert {path: path.stat().st_ino for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("name", ["a.old", "a.new", ".old", "a"])
def test_files_may_be_called_as_what_is_set_aside(tmp_path, name):
    for content in ("old", "new"):
        with naming_together([tmp_path / name]), replacing(tmp_path / name) as temporary:
            temporary.write_text(content)
    assert folder_of_two(tmp_path) == {name: "new"}


def test_a_link_to_a_folder_is_replaced_and_what_it_leads_to_is_not(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    write_both(tmp_path / "elsewhere", "old")
    (tmp_path / "folder").symlink_to("elsewhere")
    with replacing_folder(tmp_path / "folder") as new:
        write_both(new, "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "folder"]
    assert folder_of_two(tmp_path / "folder") == {"a": "new", "b": "new"}
    assert folder_of_two(tmp_path / "elsewhere") == {"a": "old", "b": "old"}


def test_a_folder_gets_its_name_with_the_files_that_are_written_with_it(tmp_path):
    write_both(tmp_path, "old")
    with naming_together([tmp_path / "a", tmp_path / "b"]):
        with replacing_folder(tmp_path / "folder") as new:
            write_both(new, "new")
        assert not (tmp_path / "folder").exists()
        write_both(tmp_path, "new")
    assert [*tmp_path.glob(".*")] == [] and {path.read_text() for path in tmp_path.rglob("[ab]")} == {"new"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_names_are_given_comes_too_late(tmp_path, number):
    """Snakemake deletes what a command has made that ends with an error: by then, what it could go on from is gone."""
    before = signal.getsignal(number)
    signal.signal(number, lambda *_: pytest.fail("heard"))
    try:
        with naming_together([tmp_path / "a", tmp_path / "b"]):
            write_both(tmp_path, "new")
            on_success(lambda: os.kill(os.getpid(), number))
        assert folder_of_two(tmp_path) == {"a": "new", "b": "new"}
    finally:
        signal.signal(number, before)


def test_what_is_wrong_with_an_input_is_not_the_outputs_fault(tmp_path):
    with pytest.raises(UserError, match=r"^in: .* 5"), replacing(tmp_path / "out"):
        raise BrokenFile("in", "cannot be read (os error 5)")


def test_what_was_cleared_away_keeps_the_others_from_their_names(tmp_path):
    write_both(tmp_path, "old")
    together = naming_together([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(UserError, match="/a: another run cleared it away"), together as whole:
        write_both(tmp_path, "new")
        whole[tmp_path / "a"].unlink()
    assert folder_of_two(tmp_path) == {"a": "old", "b": "old"}


def test_a_file_that_waits_for_its_name_and_is_cleared_away_is_named(tmp_path):
    with pytest.raises(UserError, match="/b: another run cleared it away"), naming_together([tmp_path / "b"]) as whole:
        write_both(tmp_path, "new")
        whole[tmp_path / "b"].unlink()


@pytest.mark.parametrize("written", [replacing, replacing_folder])
@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_trouble_with_the_disk_is_told_and_nothing_is_left(tmp_path, written, reason):
    path = tmp_path / "table"
    told = rf"^{path}: cannot be written \({os.strerror(reason)}\); see to the disk, then run it again$"
    with pytest.raises(UserError, match=told), written(path):
        raise OSError(reason, os.strerror(reason))
    assert [*tmp_path.iterdir()] == []


def test_where_a_library_does_not_say_so_the_disk_does(tmp_path, monkeypatch):
    """HDF5, torch and safetensors have errors of their own for it."""
    usage = shutil.disk_usage(tmp_path)
    for free, expected in ((FULL - 1, UserError), (FULL, RuntimeError)):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: usage._replace(free=free))
        with pytest.raises(expected), replacing(tmp_path / "table"):
            raise RuntimeError("unexpected pos 64 vs 0")


def test_what_a_killed_process_leaves_is_found_by_what_it_was_to_be(tmp_path):
    """Of the file itself and of the hidden ones about it, but of no other."""
    own = [tmp_path / name for name in ("a.h5", ".a.h5.origin", "a.h5.part.json")]
    others = [tmp_path / name for name in ("b.h5", ".aa.h5.origin", "a", "a[.h5")]
    left = {path: temporary_beside(path) for path in [*own, *others]}
    (tmp_path / ".a.h5.origin").write_text("a record is no leftover")
    (tmp_path / ".a.h5.unpacking").mkdir()
    assert sorted(leftovers(tmp_path / "a.h5")) == sorted(left[path] for path in own)
    assert [*leftovers(tmp_path / "a[.h5")] == [left[tmp_path / "a[.h5"]]


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 5000 + "1" + "}" * 5000,
        "9" * 5000,
        '"\\ud800"',
        b'"\xed\xa0\x80"',
        b"\xff\xfe",
        "{}".encode("utf-16"),
        "",
        "{'a': 1}",
    ],
)
def test_what_is_no_json_is_one_kind_of_error(text):
    with pytest.raises(ValueError, match=r".+"):
        parsed_json(text)


@pytest.mark.parametrize("text", ['{"a": "\\ud83d\\ude00"}', b'\xef\xbb\xbf{"a": "\xf0\x9f\x98\x80"}'])
def test_json_is_read_with_whole_characters(text):
    assert parsed_json(text) == {"a": "😀"}


@pytest.mark.parametrize("value", [-1, 2**53, 10**400, float("nan"), float("inf"), "1", None, True, [1]])
def test_what_cannot_be_counted_with_is_refused(value):
    with pytest.raises((TypeError, ValueError), match="n is"):
        check_counts({"n": value}, ["n"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  two\u00a0 spaces\u3000", "  two\u00a0 spaces\u3000"),
        ("a\n\tb\r", r"a\n\tb\r"),
        ("\x9b31m\x7f\x85\u2028", r"\x9b31m\x7f\x85\u2028"),
        ("caf\udce9 \u2066", r"caf\udce9 \u2066"),
    ],
)
def test_spaces_are_all_that_is_shown_and_not_seen(text, shown):
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("a\nb\r\n  c", "a b c"),
        ("\x1b[2Ja\x07", r"\x1b[2Ja\x07"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\ud800", r"\ud800"),
        ("café 猫", "café 猫"),
    ],
)
def test_a_message_cannot_steer_a_terminal(message, line):
    assert one_line(message) == line


def test_a_message_has_an_end_and_keeps_its_cure():
    line = one_line("a.json: found " + "x" * 10**6 + "; mend the file")
    assert len(line) < LONGEST_MESSAGE + 10 and line.startswith("a.json: found") and line.endswith("; mend the file")
