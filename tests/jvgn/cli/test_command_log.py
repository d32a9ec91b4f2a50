"""What commands print is lines, whatever strangers' text is in them."""

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from jvgn.cli.log import Lines, say

ROOT = Path(__file__).parents[3]
NAME = "caf\udce9\x1b]0;PWNED\x07\nforged \u202eline"
SHOWN = r"caf\udce9\x1b]0;PWNED\x07\nforged \u202eline"


@pytest.mark.parametrize("err", [False, True])
def test_a_line_stays_one_line_and_steers_no_terminal(capfd, err):
    say(f"found: {NAME}", "  猫\u00a0 →", err=err)
    assert capfd.readouterr()[err] == f"found: {SHOWN}\n  猫\u00a0 →\n"


def test_a_name_that_is_no_text_can_be_printed_where_only_text_may_be():
    command = [sys.executable, "-c", f"from jvgn.cli.log import say; say({NAME!r})"]
    environment = {"PYTHONIOENCODING": "utf-8:strict", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, encoding="utf8")
    assert ran.stdout == f"{SHOWN}\n"


def test_the_log_has_lines_too_but_for_the_places_of_failures():
    record = logging.LogRecord("jvgn", logging.INFO, "here", 1, "%s: not there", (NAME,), None)
    assert Lines("%(message)s").format(record) == f"{SHOWN}: not there"
    try:
        raise KeyError("a")
    except KeyError:
        record.exc_info = sys.exc_info()
    assert len(Lines("%(message)s").format(record).splitlines()) > 2


ELSEWHERE = {
    "jvgn/cli.py": 1,  # JSON
    "jvgn/cli/ground.py": 1,  # JSON
    "jvgn/cli/log.py": 1,
    "jvgn/cli/errors.py": 1,  # an error, made one line
}


def test_commands_print_in_no_other_way():
    files = [path for package in ("jvgn", "parsers") for path in (ROOT / package).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix(): path.read_text().count("click.echo(") for path in files}
    assert {name: count for name, count in found.items() if count} == ELSEWHERE


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("asked", [["parse", "--help"], ["--help"]])
def test_a_disk_that_takes_no_more_of_what_is_printed_is_told_of(asked, unbuffered):
    command = [sys.executable, "-m", "parsers", *asked]
    with Path("/dev/full").open("w") as full:
        environment = {"PYTHONUNBUFFERED": unbuffered, "PYTHONPATH": str(ROOT)}
        ran = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    told = "Error: standard output or a temporary file: cannot be written (No space left on device); see to the disk"
    assert ran.returncode == 1 and ran.stderr.startswith(told) and ran.stderr.count("\n") == 1
