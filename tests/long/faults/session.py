"""A workflow that runs: its processes, and what it says."""

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
"""What Snakemake says of a job before it runs."""
LOOKED_EVERY = 0.01
"""Seconds between two looks at the processes."""


class Session:
    """A command in a session of its own, which a signal can reach as a terminal's would."""

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
        """All that live, the first one ahead."""
        found = [number for number, fields in processes_of(self.process.pid) if fields[STATE] != "Z"]
        return sorted(found, key=lambda number: number != self.process.pid)

    def job_processes(self) -> list[int]:
        """Those that the first one started: a shell, the command in it, and what that started."""
        return [number for number in self.processes() if number != self.process.pid]

    def has_job(self) -> bool:
        """Whether a job was named and the first process has children: before, Snakemake has some that are no job's."""
        return JOB_NAMED.search(self.said()) is not None and self.has_children()

    def has_children(self) -> bool:
        """Whether the first process has; far quicker than to look at all processes."""
        for file in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with suppress(OSError):
                if file.read_text().strip():
                    return True
        return False

    def has_ended(self) -> bool:
        """Whether the first process has; a job may go on."""
        return self.process.poll() is not None

    def until(self, happens: Callable[[], bool], limit: float, every: float = LOOKED_EVERY) -> bool:
        """Returns when it happens, or when it no longer can; whether it did."""
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
        """As a terminal does, to every process."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def wait(self, limit: float, with_jobs: bool = True) -> bool:
        """Whether it has ended within so many seconds, with its jobs or without; those that have not are killed."""
        end = time.monotonic() + limit
        while not self.has_ended() or (with_jobs and self.processes()):
            if time.monotonic() > end:
                self.kill()
                return False
            time.sleep(LOOKED_EVERY * 5)
        return True

    def kill(self) -> None:
        """None of its processes lives."""
        while living := self.processes():
            self.send(signal.SIGKILL, living)
            time.sleep(LOOKED_EVERY)
        self.process.wait()


def hear_interrupts() -> None:
    """Sessions are reached by Ctrl-C, also if a shell started this in its background: what it starts would be deaf."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
