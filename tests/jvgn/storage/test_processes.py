"""Worker processes end with their parent, and a killed one is one line."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jvgn.storage.processes import workers
from parsers.errors import UserError

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
WAITING = """
import os, time
from jvgn.storage.processes import workers

def show(_):
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    with workers(2) as pool:
        list(pool.map(show, range(2)))
"""
STOPPED = """
import time
import click
from jvgn.cli.errors import CommandGroup
from jvgn.storage.files import replacing

@click.group(cls=CommandGroup)
def main():
    pass

@main.command()
def write():
    with replacing("a.txt") as temporary:
        temporary.write_text("half")
        print("writing", flush=True)
        time.sleep(600)

main()
"""


def process_id(_):
    return os.getpid()


def script(folder, text):
    path = folder / "script.py"
    path.write_text(text)
    return [sys.executable, str(path)]


def test_a_killed_worker_is_one_line():
    with pytest.raises(UserError, match="killed"), workers(1) as pool:
        os.kill(next(pool.map(process_id, [0])), signal.SIGKILL)
        list(pool.map(process_id, range(4)))


def test_workers_end_with_their_parent(tmp_path):
    parent = subprocess.Popen(script(tmp_path, WAITING), env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    children = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    end = time.monotonic() + 30
    while any(Path(f"/proc/{number}").exists() for number in children):
        assert time.monotonic() < end, "the workers still wait"
        time.sleep(0.05)


def test_a_terminated_command_removes_its_temporary_files(tmp_path):
    """SIGINT takes the same path, but a shell ignores it for processes in the background."""
    command = [*script(tmp_path, STOPPED), "write"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        process.terminate()
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1 and "Traceback" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]
