"""SIGTERM ends a command in order: it says so, and leaves nothing behind that is not whole."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from jvgn.storage.files import replacing
from jvgn.storage.stopping import UNHEARD, Stopped, stoppable
from parsers.errors import UserError

ROOT = Path(__file__).parents[3]
COMMAND = """
import sys, time
import click
from parsers.errors import UserError
from jvgn.storage.files import replacing
from jvgn.cli.errors import Commands

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


def test_a_signal_that_the_waiting_thread_does_not_hear_ends_it():
    def signal_passing_by() -> None:
        """Python notes it, as one that comes just before the main thread waits; the wait is not interrupted."""
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    began = time.monotonic()
    with pytest.raises(UserError, match="stopped by a signal"), stoppable():
        threading.Timer(0.5, signal_passing_by).start()
        time.sleep(30)
    assert time.monotonic() - began < 15


def test_a_signal_to_a_forked_child_does_not_end_its_parent():
    with stoppable():
        if not (child := os.fork()):
            try:
                os.kill(os.getpid(), signal.SIGTERM)
            except Stopped:
                os._exit(3)
            os._exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
        time.sleep(5 * UNHEARD)


def test_what_listened_is_gone_when_the_command_has_ended():
    def held() -> tuple[int, int]:
        return threading.active_count(), len([*Path("/proc/self/fd").iterdir()])

    threads, files = before = held()
    with stoppable():
        assert held() == (threads + 1, files + 2)
    assert held() == before
    assert signal.set_wakeup_fd(-1) == -1
