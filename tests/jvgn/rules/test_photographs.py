"""The commands of docs/photographs.md give the answers that the page shows."""

import re
import shlex
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.views.explorer.example_photographs import FOLDER

PAGE = (Path(__file__).parents[3] / "docs/photographs.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^( *)```(bash|)\n(.*?)^\1```$", PAGE, flags=re.DOTALL | re.MULTILINE)
COMMANDS = [
    line.strip() for _, kind, text in BLOCKS if kind for line in text.splitlines() if line.strip().startswith("jvgn ")
]


@pytest.fixture
def photographs(tmp_path, monkeypatch):
    shutil.copytree(FOLDER, tmp_path / "photographs")
    monkeypatch.chdir(tmp_path / "photographs")


def printed(command: str) -> str:
    found = CliRunner().invoke(main, shlex.split(command)[1:])
    assert found.exit_code == 0, found.stderr
    return found.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_runs(command: str, photographs: None) -> None:
    assert printed(command)


def test_the_page_shows_what_its_commands_print(photographs: None) -> None:
    shown = [(before, text) for (_, kind, before), (_, other, text) in pairwise(BLOCKS) if kind and not other]
    assert len(shown) == 3
    for command, table in shown:
        assert table in printed(command.strip())


def test_the_name_of_the_category_finds_what_another_word_did_not(photographs: None) -> None:
    line = 'jvgn ground coffee.jpg "the spoon on the red {}" --annotations regions.json'
    assert "not found" in printed(line.format("plate"))
    assert "77, 62, 479, 387" in printed(line.format("saucer"))
