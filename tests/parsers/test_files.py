"""What all files have in common: they appear whole or not at all, and mistakes are named."""

import pickle

import pytest

from parsers.files import LONGEST_MESSAGE, BrokenFile, UserError, check_counts, one_line, parsed_json, replacing


@pytest.mark.parametrize("error", [UserError("no such thing"), BrokenFile("a.jar", "not a readable jar")])
def test_a_users_mistake_crosses_from_one_process_to_another(error):
    found = pickle.loads(pickle.dumps(error))
    assert isinstance(found, UserError) and str(found) == str(error)


def test_a_place_where_no_file_can_be_is_named(tmp_path):
    (tmp_path / "file").write_text("whole")
    for path, problem in ((tmp_path, "is a folder"), (tmp_path / "file" / "a.json", "cannot be written")):
        with pytest.raises(UserError, match=f"^{path}: {problem}"), replacing(path):
            pass
    assert [found.name for found in tmp_path.iterdir()] == ["file"]


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
