"""Commands print plain lines: control characters are escaped."""

import logging
import sys

import pytest

from jvgn.cli.log import Lines, say

NAME = "caf\udce9\x1b]0;PWNED\x07\nforged \u202eline"
SHOWN = r"caf\udce9\x1b]0;PWNED\x07\nforged \u202eline"


@pytest.mark.parametrize("err", [False, True])
def test_a_line_stays_one_line_without_control_characters(capfd, err):
    say(f"found: {NAME}", "  猫\u00a0 →", err=err)
    assert capfd.readouterr()[err] == f"found: {SHOWN}\n  猫\u00a0 →\n"


def test_the_log_escapes_messages_and_keeps_tracebacks():
    record = logging.LogRecord("jvgn", logging.INFO, "here", 1, "%s: not there", (NAME,), None)
    assert Lines("%(message)s").format(record) == f"{SHOWN}: not there".replace(r"\n", "\n")
    try:
        raise KeyError("a")
    except KeyError:
        record.exc_info = sys.exc_info()
    assert len(Lines("%(message)s").format(record).splitlines()) > 2
