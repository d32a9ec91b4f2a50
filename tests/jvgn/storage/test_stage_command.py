"""Stage commands record what made a file, and refuse inputs that changed or do not belong together."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from jvgn.cli.errors import CommandGroup
from jvgn.storage.files import on_success, record_of, replacing
from jvgn.storage.records import read_origin
from jvgn.storage.stage_command import Foreign, Given, Joining, Made, Stage, reads


@click.group(cls=CommandGroup)
def main():
    """Stages that copy text."""


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

    def note_that_record_exists():
        Path("done").write_text(str(record_of(output).exists()))

    on_success(note_that_record_exists)
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


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def write(name, text):
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def inputs_of(name):
    return list(read_origin(Path(name)).inputs)


def test_a_record_holds_the_command_its_inputs_choices_and_code():
    write("in/a.txt", "a")
    assert run("shout", "in/a.txt", "--output", "out/b.txt", "--loud", "--threads", 2).exit_code == 0
    origin = read_origin(Path("out/b.txt"))
    assert origin.stage.endswith("shout") and inputs_of("out/b.txt") == ["../in/a.txt"]
    assert origin.choices == {"loud": "True", "fails": "False"}
    assert "jvgn/storage/files.py" in origin.code and "parsers/lexical/__init__.py" not in origin.code


def test_inputs_are_the_files_that_a_folder_option_and_a_settings_file_name():
    for name in ("images", "objects", "mentions"):
        write(f"tables/{name}.txt", name)
    run("shout", "--dataset", "tables", "--output", "b.txt")
    assert inputs_of("b.txt") == ["tables/images.txt", "tables/objects.txt"]
    write("settings.yaml", "b.txt")
    run("follow", "settings.yaml", "--output", "c.txt")
    assert inputs_of("c.txt") == ["b.txt", "settings.yaml"]


def test_actions_for_success_run_after_the_records_and_not_after_a_failure():
    write("a.txt", "a")
    assert run("shout", "a.txt", "--output", "b.txt", "--fails").exit_code == 3
    assert not Path("done").exists() and read_origin(Path("b.txt")) is None
    run("shout", "a.txt", "--output", "b.txt")
    assert Path("done").read_text() == "True"


def test_only_the_first_of_several_processes_writes_records(monkeypatch):
    write("a.txt", "a")
    monkeypatch.setenv("RANK", "1")
    assert run("shout", "a.txt", "--output", "b.txt").exit_code == 0 and read_origin(Path("b.txt")) is None


def test_a_changed_input_is_refused_before_any_work():
    write("a.txt", "a")
    run("shout", "a.txt", "--output", "b.txt")
    write("b.txt", "B")
    write("settings.yaml", "b.txt")
    for arguments in (["shout", "b.txt"], ["follow", "settings.yaml"]):
        refused = run(*arguments, "--output", "c.txt")
        assert refused.exit_code == 1 and "b.txt: changed since" in refused.stderr and not Path("c.txt").exists()


def test_files_that_were_made_from_different_inputs_are_refused():
    write("one/a.txt", "a")
    write("two/a.txt", "b")
    run("shout", "one/a.txt", "--output", "b.txt")
    assert run("shout", "b.txt", "one/a.txt", "--output", "c.txt").exit_code == 0
    refused = run("shout", "b.txt", "two/a.txt", "--output", "d.txt")
    assert refused.exit_code == 1 and "b.txt: made from another a.txt than two/a.txt" in refused.stderr
    assert not Path("d.txt").exists()


def test_regions_of_another_detector_are_refused_whatever_their_name():
    write("tiny.h5", "a")
    write("other.h5", "b")
    run("shout", "tiny.h5", "--output", "model")
    assert run("shout", "model", "other.h5", "--output", "c.txt").exit_code == 1
    assert run("shout", "model", "tiny.h5", "--output", "c.txt").exit_code == 0
    for shard in ("one.h5", "two.h5"):  # neither shard was made from the other
        run("shout", "tiny.h5", "--output", shard)
    assert run("shout", "one.h5", "two.h5", "--output", "all.h5").exit_code == 0


def test_foreign_files_and_settings_need_not_belong_to_the_other_inputs():
    write("one/a.txt", "a")
    write("two/a.txt", "b")
    write("settings.yaml", "x")
    write("two/settings.yaml", "y")
    run("shout", "one/a.txt", "--settings", "settings.yaml", "--output", "b.txt")
    assert run("shout", "two/a.txt", "--foreign", "b.txt", "--output", "c.txt").exit_code == 0
    assert run("shout", "b.txt", "--settings", "two/settings.yaml", "--output", "c.txt").exit_code == 0


def test_a_merged_file_records_what_made_its_pieces():
    write("a.txt", "a")
    for name in ("one", "two"):
        run("shout", "a.txt", "--output", f"{name}/piece.txt")
    write("three/piece.txt", "of unknown origin")
    assert run("join", "one", "two", "three", "--output", "whole/b.txt").exit_code == 0
    assert sorted(inputs_of("whole/b.txt")) == ["../a.txt", "../three/piece.txt"]
