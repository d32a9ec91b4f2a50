"""Commands that record what made a file, and refuse what is not as it was written or does not belong together."""

import json
import os
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from jvgn.cli.errors import Commands
from jvgn.storage.files import replacing
from jvgn.storage.records import Origin, check_unchanged, read_origin, record_of, seal, write_origin
from jvgn.storage.stage_command import Foreign, Given, Joining, Made, Stage, reads
from parsers.errors import BrokenFile


@click.group(cls=Commands)
def main():
    """Stages that write what they read, in capitals."""


@main.command(cls=Stage)
@click.argument("given", type=Given(), nargs=-1)
@click.option("--foreign", type=Foreign())
@click.option("--settings", type=Given())
@click.option("--dataset", type=Given(["images.txt", "objects.txt"]))
@click.option("--output", type=Made(), required=True)
@click.option("--loud", is_flag=True)
@click.option("--threads", type=int, default=1)
@click.option("--fails", is_flag=True)
def shout(given, output, fails, **_):
    from jvgn.storage.files import replacing

    with replacing(output) as temporary:
        temporary.write_text("".join(path.read_text().upper() for path in given))
    if fails:
        raise SystemExit(3)


@main.command(cls=Joining)
@click.argument("pieces", type=Given(["piece.txt"]), nargs=-1)
@click.option("--output", type=Made(), required=True)
def join(pieces, output):
    with replacing(output) as temporary:
        temporary.write_text("".join((folder / "piece.txt").read_text() for folder in pieces))


@main.command(cls=Stage)
@click.argument("settings", type=Given())
@click.option("--output", type=Made(), required=True)
def follow(settings, output):
    reads(settings.read_text(), None)
    with replacing(output) as temporary:
        temporary.write_text("followed")


@main.command(cls=Stage)
@click.option("--output", type=Made(["one.txt", "two.txt"]), required=True)
def count(output):
    for name in ("one.txt", "two.txt"):
        with replacing(output / name) as temporary:
            temporary.write_text(name)


@main.command(cls=Stage)
@click.option("--output", type=Made(), required=True)
def carve(output):
    output.write_text("at once")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def written(name, text):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_file_says_what_made_it():
    written("in/a.txt", "a")
    assert run("shout", "in/a.txt", "--output", "out/b.txt", "--loud", "--threads", 2).exit_code == 0
    origin = read_origin(Path("out/b.txt"))
    assert origin.stage.endswith("shout")
    assert list(origin.inputs) == ["../in/a.txt"]
    assert origin.choices == {"loud": "True", "fails": "False"}
    assert "jvgn/storage/files.py" in origin.code and "parsers/lexical.py" not in origin.code


def test_of_a_folder_only_the_files_that_are_read_are_inputs():
    for name in ("images", "objects", "mentions"):
        written(f"tables/{name}.txt", name)
    run("shout", "--dataset", "tables", "--output", "b.txt")
    assert list(read_origin(Path("b.txt")).inputs) == ["tables/images.txt", "tables/objects.txt"]


def test_a_command_that_fails_leaves_all_as_it_was():
    written("a.txt", "a")
    assert run("shout", "a.txt", "--output", "b.txt", "--fails").exit_code == 3
    assert [*Path().iterdir()] == [Path("a.txt")]
    run("shout", "a.txt", "--output", "b.txt")
    written("c.txt", "c")
    assert run("shout", "c.txt", "--output", "b.txt", "--fails").exit_code == 3
    assert Path("b.txt").read_text() == "A" and list(read_origin(Path("b.txt")).inputs) == ["a.txt"]


def test_without_the_records_of_all_its_files_none_gets_its_name():
    """Of a disk that becomes read-only between the two, Snakemake could not remove the file, and would take it."""
    record_of(Path("out/two.txt")).mkdir(parents=True)
    assert run("count", "--output", "out").exit_code == 1
    assert [*Path("out").iterdir()] == [record_of(Path("out/two.txt"))]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_an_input_is_not_replaced_by_another_path_to_it():
    written("given/a.txt", "a")
    Path("mounted").mkdir()
    subprocess.run(["mount", "--bind", "given", "mounted"], check=True)
    try:
        ran = run("shout", "given/a.txt", "--output", "mounted/a.txt")
        assert ran.exit_code == 1 and "mounted/a.txt: named twice" in ran.output
    finally:
        subprocess.run(["umount", "--lazy", "mounted"], check=True)


@pytest.mark.parametrize("length", [100, 190, 200, 210, 215, 220, 230, 240, 255])
def test_a_long_name_is_given_or_refused(length):
    """With all that is added to it until it has its place, and for the record."""
    written("a.txt", "a")
    name = "b" * (length - 4) + ".txt"
    codes = {run("shout", "a.txt", "--output", name).exit_code for _ in range(2)}
    assert len(codes) == 1 and Path(name).is_file() == (codes == {0}) and not [*Path().glob("*unfinished*")]


def test_a_record_has_its_name_before_its_file(monkeypatch):
    named = []
    monkeypatch.setattr(Path, "replace", lambda temporary, path: named.append(path.name))
    assert run("count", "--output", "out").exit_code == 0
    assert sorted(named[:2]) == [".one.txt.origin", ".two.txt.origin"] and sorted(named[2:]) == ["one.txt", "two.txt"]


def test_a_file_that_appears_in_another_way_than_all_others_is_an_error():
    with pytest.raises(KeyError, match=r"b\.txt"):
        CliRunner().invoke(carve, ["--output", "b.txt"], catch_exceptions=False)


def test_a_file_is_as_its_record_says_without_being_read_again(monkeypatch):
    written("a.txt", "a")
    run("shout", "a.txt", "--output", "b.txt")
    monkeypatch.delattr("jvgn.storage.records.sha256")
    check_unchanged(Path("b.txt"))


def test_what_is_not_as_it_was_written_is_refused_before_any_work():
    written("a.txt", "a")
    run("shout", "a.txt", "--output", "b.txt")
    written("b.txt", "B")
    refused = run("shout", "b.txt", "--output", "c.txt")
    assert refused.exit_code == 1
    assert refused.stderr == (
        "Error: b.txt: not as it was written by main shout; delete it and run the workflow again\n"
    )
    assert not Path("c.txt").exists()


def test_files_that_stem_from_different_ones_are_refused():
    written("one/a.txt", "a")
    written("two/a.txt", "b")
    run("shout", "one/a.txt", "--output", "b.txt")
    assert run("shout", "b.txt", "one/a.txt", "--output", "c.txt").exit_code == 0
    refused = run("shout", "b.txt", "two/a.txt", "--output", "d.txt")
    assert refused.exit_code == 1 and "b.txt: made from another a.txt than two/a.txt" in refused.stderr
    assert not Path("d.txt").exists()


def test_regions_of_another_detector_are_refused_whatever_their_name():
    written("tiny.h5", "a")
    written("other.h5", "b")
    run("shout", "tiny.h5", "--output", "model")
    refused = run("shout", "model", "other.h5", "--output", "c.txt")
    assert refused.exit_code == 1 and "model: made from another file of regions than other.h5" in refused.stderr
    assert run("shout", "model", "tiny.h5", "--output", "c.txt").exit_code == 0


def test_regions_that_stem_from_features_stand_beside_regions():
    """Shards of imported features are merged, and none was made from another."""
    written("features.h5", "a")
    for shard in ("one.h5", "two.h5"):
        run("shout", "features.h5", "--output", shard)
    assert run("shout", "one.h5", "two.h5", "--output", "all.h5").exit_code == 0


def test_foreign_files_and_settings_may_stem_from_elsewhere():
    written("one/a.txt", "a")
    written("two/a.txt", "b")
    written("settings.yaml", "x")
    run("shout", "one/a.txt", "--settings", "settings.yaml", "--output", "b.txt")
    written("two/settings.yaml", "y")
    assert run("shout", "two/a.txt", "--foreign", "b.txt", "--output", "c.txt").exit_code == 0
    assert run("shout", "b.txt", "--settings", "two/settings.yaml", "--output", "c.txt").exit_code == 0


def test_the_whole_was_made_by_what_made_its_pieces():
    written("a.txt", "a")
    for name in ("one", "two"):
        Path(name).mkdir()
        run("shout", "a.txt", "--output", f"{name}/piece.txt")
    Path("whole").mkdir()
    assert run("join", "one", "two", "--output", "whole/b.txt").exit_code == 0
    origin = read_origin(Path("whole/b.txt"))
    assert list(origin.inputs) == ["../a.txt"]
    assert "jvgn/storage/files.py" in origin.code


def test_a_piece_of_unknown_origin_is_an_input_itself():
    written("one/piece.txt", "a")
    assert run("join", "one", "--output", "b.txt").exit_code == 0
    assert list(read_origin(Path("b.txt")).inputs) == ["one/piece.txt"]


def test_files_that_settings_name_are_inputs():
    written("settings.yaml", "a.txt")
    written("a.txt", "a")
    run("follow", "settings.yaml", "--output", "b.txt")
    assert list(read_origin(Path("b.txt")).inputs) == ["a.txt", "settings.yaml"]


def test_of_processes_that_work_together_the_first_one_records(monkeypatch):
    written("a.txt", "a")
    monkeypatch.setenv("RANK", "1")
    assert run("shout", "a.txt", "--output", "b.txt").exit_code == 0
    assert read_origin(Path("b.txt")) is None


def test_a_record_with_any_byte_changed_is_known_as_damaged():
    written("a.txt", "a")
    run("shout", "a.txt", "--output", "b.txt")
    record = record_of(Path("b.txt"))
    whole = record.read_bytes()
    for place in range(len(whole)):
        record.write_bytes(whole[:place] + bytes([whole[place] ^ (1 + place % 255)]) + whole[place + 1 :])
        with pytest.raises(BrokenFile, match=r"damaged record of what made the file; delete b\.txt"):
            read_origin(Path("b.txt"))


def test_a_large_file_that_was_copied_is_not_read_in_silence(monkeypatch, caplog):
    monkeypatch.setattr("jvgn.storage.records.LARGE", 0)
    caplog.set_level("INFO")
    path = Path("a.txt")
    written("a.txt", "a")
    write_origin(path, "main shout", {}, {}, {})
    check_unchanged(path)
    assert caplog.messages == []
    os.utime(path, (0, 0))
    check_unchanged(path)
    assert caplog.messages == ["a.txt: reading it all, to see whether it is as it was written"]


def test_a_record_of_another_version_is_named():
    content = json.dumps({"format": "0"}).encode()
    record_of(Path("b.txt")).write_bytes(seal(content) + b"\n" + content)
    with pytest.raises(BrokenFile, match="another version"):
        read_origin(Path("b.txt"))


HONEST = {
    "format": "1",
    "stage": "jvgn train",
    "sha256": "0" * 64,
    "size": 1,
    "modified": 1,
    "inputs": {"../a.txt": "0" * 64},
    "choices": {"seed": "0"},
    "code": {"jvgn/boxes.py": "0" * 64},
}


def seal_record(name, content):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    record_of(Path(name)).write_bytes(seal(content) + b"\n" + content)


def without(key):
    return {name: value for name, value in HONEST.items() if name != key}


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"{", b"{}", b"[]", b"1", b'"format"', b"\xff", b"[" * 100_000, b"9" * 5000),
        *(without(key) for key in HONEST),
        *(HONEST | {key: odd} for key in without("format") for odd in (None, True, [], {"a": 1}, 1.5)),
        HONEST | {"more": "of it"},
        *(HONEST | {key: {name: "0" * 64}} for key in ("inputs", "code") for name in ("a\0b", "a\ud800b")),
    ],
)
def test_a_record_with_its_seal_and_odd_content_is_known_as_damaged(content):
    seal_record("b.txt", content)
    with pytest.raises(BrokenFile, match=r"damaged record of what made the file; delete b\.txt"):
        read_origin(Path("b.txt"))


def test_a_record_says_what_it_holds():
    seal_record("b.txt", HONEST)
    assert read_origin(Path("b.txt")) == Origin(**without("format"))


def test_an_input_may_have_a_name_that_is_no_text():
    source, made = written(os.fsdecode(b"caf\xe9.txt"), "a"), written("b.txt", "b")
    write_origin(made, "jvgn train", {source: "0" * 64}, {}, {})
    assert list(read_origin(made).inputs) == [str(source)]


def test_a_folder_in_the_place_of_a_record_is_named():
    record_of(Path("b.txt")).mkdir()
    with pytest.raises(BrokenFile, match=r"\.b\.txt\.origin: cannot be read \(Is a directory\); delete it"):
        read_origin(Path("b.txt"))


@pytest.mark.parametrize("name", ["missing", "a.txt/below a file", "x" * 250])
def test_where_no_record_can_be_nothing_says_what_made_a_file(name):
    written("a.txt", "a")
    assert read_origin(Path(name)) is None
