"""SIGTERM ends a command in order: it says so, and leaves nothing behind that is not whole."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from parsers.files import UserError, replacing
from parsers.stopping import Stopped, stoppable

ROOT = Path(__file__).parents[2]
COMMAND = """
import sys, time
import click
from parsers.files import UserError, replacing
from parsers.options import Commands

@click.group(cls=Commands)
def main():
    pass

@main.command()
@click.argument("path")
def write(path):
    with replacing(path) as temporary:
        temporary.write_text("half")
        print("writing", flush=True)
        try:
            time.sleep(600)
        except (UserError, OSError):
            print("taken for an error of its own", flush=True)

main()
"""


def test_a_stopped_command_says_so_and_leaves_nothing(tmp_path):
    script, output = tmp_path / "command.py", tmp_path / "made" / "output"
    script.write_text(COMMAND)
    command = [sys.executable, script, "write", output]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, env=environment, text=True, **pipes)
    assert process.stdout.readline() == "writing\n"
    process.terminate()
    said, errors = process.communicate(timeout=60)
    assert (process.returncode, said, errors) == (1, "", "Error: stopped by a signal; run it again\n")
    assert [*output.parent.iterdir()] == []


def test_the_signal_is_what_it_was_when_the_command_has_ended():
    before = signal.getsignal(signal.SIGTERM)
    with stoppable():
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_second_signal_does_not_disturb_the_end(tmp_path):
    with pytest.raises(UserError, match="stopped by a signal"), stoppable(), replacing(tmp_path / "file"):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except Stopped:
            os.kill(os.getpid(), signal.SIGTERM)
            raise
    assert [*tmp_path.iterdir()] == []
