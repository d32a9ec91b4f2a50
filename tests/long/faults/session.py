"""A running workflow: its processes and its output."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from tests.processes import STATE, processes_of

JOB_NAMED = re.compile(r"^(?:local)?rule \w+:$", re.MULTILINE)
"""Snakemake prints this before a job runs."""
LOOKED_EVERY = 0.01
"""Seconds between two looks at the processes."""


class Session:
    """A command in its own session, so that signals reach all its processes."""

    def __init__(self, command: Sequence[str], folder: Path, log: Path) -> None:
        self.log = log
        with log.open("ab") as said:
            self.first = said.tell()
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def said(self) -> str:
        with self.log.open("rb") as log:
            log.seek(self.first)
            return log.read().decode(errors="replace")

    def processes(self) -> list[int]:
        """Return all living processes, the first one ahead."""
        found = [number for number, fields in processes_of(self.process.pid) if fields[STATE] != "Z"]
        return sorted(found, key=lambda number: number != self.process.pid)

    def job_processes(self) -> list[int]:
        """Return the processes of the job: a shell, its command and its workers."""
        return [number for number in self.processes() if number != self.process.pid]

    def has_job(self) -> bool:
        """Return whether a job runs. Before Snakemake prints one, its children belong to no job."""
        return JOB_NAMED.search(self.said()) is not None and self.has_children()

    def has_children(self) -> bool:
        """Return whether the first process has children; much faster than a look at all processes."""
        for file in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with suppress(OSError):
                if file.read_text().strip():
                    return True
        return False

    def has_ended(self) -> bool:
        """Return whether the first process has ended; a job may continue."""
        return self.process.poll() is not None

    def until(self, happens: Callable[[], bool], limit: float, every: float = LOOKED_EVERY) -> bool:
        """Wait until it happens or no longer can; return whether it did."""
        end = time.monotonic() + limit
        while not happens():
            if self.has_ended() or time.monotonic() > end:
                return False
            time.sleep(every)
        return True

    def send(self, number: int, processes: Sequence[int]) -> None:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def send_all(self, number: int) -> None:
        """Signal every process, as a terminal does."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def wait(self, limit: float, with_jobs: bool = True) -> bool:
        """Return whether it ended within so many seconds, with or without its jobs; otherwise kill it."""
        end = time.monotonic() + limit
        while not self.has_ended() or (with_jobs and self.processes()):
            if time.monotonic() > end:
                self.kill()
                return False
            time.sleep(LOOKED_EVERY * 5)
        return True

    def kill(self) -> None:
        """Kill all its processes."""
        while living := self.processes():
            self.send(signal.SIGKILL, living)
            time.sleep(LOOKED_EVERY)
        self.process.wait()


def hear_interrupts() -> None:
    """Let sessions receive Ctrl-C. A shell starts background commands with SIGINT ignored, and children inherit it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
