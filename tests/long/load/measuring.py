"""Cost of a command: its time, the memory of all its processes, and its longest silence."""

import os
import pty
import select
import signal
import subprocess
import termios
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.processes import RESIDENT, processes_of

LOOKED_EVERY = 0.1
"""Seconds between two measurements of memory."""
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20
LINES_AND_COLUMNS = (24, 80)
"""A terminal without a size shows no progress."""
SHOWN = 2000
"""Bytes of the output of a failed command that are shown."""


@dataclass(frozen=True)
class Cost:
    seconds: float
    cpu_seconds: float
    """Sum over all processes."""
    peak_mb: float
    """Sum over all processes; shared memory counts for each."""
    silence: float
    """Longest time without output on the terminal, in seconds."""


def cost_of(command: Sequence[str]) -> Cost:
    """Run a command attached to a terminal; return its cost."""
    terminal, end = pty.openpty()
    termios.tcsetwinsize(end, LINES_AND_COLUMNS)
    started = time.perf_counter()
    process = subprocess.Popen(command, stdin=end, stdout=end, stderr=end, start_new_session=True)
    os.close(end)
    try:
        heard, peak_mb, said = listen(terminal, process.pid)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    finally:
        os.close(terminal)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    ended = time.perf_counter()
    check(command, process.returncode, said)
    peak_mb = max(peak_mb, usage.ru_maxrss / 1024)
    return Cost(ended - started, usage.ru_utime + usage.ru_stime, peak_mb, longest_gap([started, *heard, ended]))


def listen(terminal: int, session: int) -> tuple[list[float], float, bytes]:
    """Return the times of output of a session, its peak memory, and the end of its output."""
    heard, peak_mb, said = [], 0.0, b""
    while True:
        if select.select([terminal], [], [], LOOKED_EVERY)[0]:
            try:
                said = (said + os.read(terminal, 65536))[-SHOWN:]
            except OSError:  # no process holds the other end any more
                return heard, peak_mb, said
            heard.append(time.perf_counter())
            time.sleep(LOOKED_EVERY / 4)  # do not slow down a command that prints much
        peak_mb = max(peak_mb, resident_mb(session))


def resident_mb(session: int) -> float:
    """Return the memory of all processes of a session."""
    return PAGE_MB * sum(int(fields[RESIDENT]) for _, fields in processes_of(session))


def longest_gap(moments: Sequence[float]) -> float:
    return max(after - before for before, after in pairwise(moments))


def written_to_a_file(command: Sequence[str]) -> bytes:
    """Return the output of a command without a terminal."""
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    check(command, result.returncode, (result.stdout + result.stderr)[-SHOWN:])
    return result.stdout + result.stderr


def check(command: Sequence[str], code: int, said: bytes) -> None:
    if code:
        raise RuntimeError(f"{' '.join(command)} ended with {code}:\n{said.decode(errors='replace')}")
