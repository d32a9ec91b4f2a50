"""Processes that share work end together, and a killed one is told of."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jvgn.storage.processes import workers
from parsers.errors import Killed

ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
WORK = """
import os, time
from jvgn.storage.processes import workers

def told(_):
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    with workers(2) as pool:
        list(pool.map(told, range(2)))
"""


READ = """
import os, signal, time
from multiprocessing import active_children
import click
from torch.utils.data import DataLoader
from jvgn.cli.errors import Commands

@click.group(cls=Commands)
def main():
    pass

@main.command()
def read():
    batches = iter(DataLoader(range(1000), num_workers=1))
    next(batches)
    os.kill(active_children()[0].pid, signal.SIGKILL)
    time.sleep(600)  # the work on a batch

main()
"""


def process_number(_):
    return os.getpid()


def test_work_is_done_in_order_by_other_processes():
    with workers(2) as pool:
        assert list(pool.map(abs, range(-9, 0), chunksize=2)) == list(range(9, 0, -1))
        assert os.getpid() not in pool.map(process_number, range(2))


def test_a_killed_process_is_an_error_and_no_wait_without_end():
    with pytest.raises(Killed, match="killed in its work"), workers(1) as pool:
        os.kill(next(pool.map(process_number, [0])), signal.SIGKILL)
        list(pool.map(process_number, range(4)))


HOLDING = """
import os, signal, time
from contextlib import suppress
from multiprocessing import active_children
from parsers.errors import Killed
from jvgn.storage.processes import workers

if __name__ == "__main__":
    for which in (0, 1):
        with suppress(Killed), workers(2) as pool:  # the other may have done the work before anyone noticed
            list(pool.map(time.sleep, [0.3] * 4))
            time.sleep(0.5)
            os.kill(sorted(one.pid for one in active_children())[which], signal.SIGKILL)
            pool.submit(abs, 1).result()
        print(which)
"""


def test_one_that_is_killed_while_it_waits_for_work_keeps_no_other_waiting(tmp_path):
    """One of the two holds what the other waits for."""
    script = tmp_path / "hold.py"
    script.write_text(HOLDING)
    ran = subprocess.run([sys.executable, script], env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert ran.stdout == "0\n1\n"


def test_so_is_one_in_which_torch_reads_ahead(tmp_path):
    """It breaks into whatever the first process is doing: only the command itself can tell."""
    script = tmp_path / "read.py"
    script.write_text(READ)
    ran = subprocess.run([sys.executable, script, "read"], env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 1 and ran.stderr == f"Error: {Killed()}\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_all_is_for_the_first_process_to_obey(number):
    with workers(1) as pool:
        os.kill(next(pool.map(process_number, [0])), number)
        assert list(pool.map(abs, [-1])) == [1]


def test_no_process_outlives_one_that_was_killed(tmp_path):
    script = tmp_path / "work.py"
    script.write_text(WORK)
    first = subprocess.Popen([sys.executable, script], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True)
    others = [int(first.stdout.readline()) for _ in range(2)]
    first.kill()
    first.wait()
    end = time.monotonic() + 30
    while any(Path(f"/proc/{number}").exists() for number in others):
        assert time.monotonic() < end, "they still wait for work"
        time.sleep(0.05)
