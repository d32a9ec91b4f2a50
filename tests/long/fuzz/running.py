"""Give damaged files to commands in worker processes, which may crash or hang: then they are replaced."""

import multiprocessing
import os
import resource
import shlex
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.long.fuzz.readers import READERS, make_files

VALID = -1
"""Number of the input that is the valid file itself."""
LONGEST = 60.0
"""Seconds for one input, after which a command hangs."""
STARTING = 600.0
MOST_MEMORY = 16 << 30
FINE = ("accepted", "refused")


@dataclass(frozen=True)
class Input:
    """Input `number` of a run with this seed; the same numbers give the same bytes."""

    reader: str
    seed: int
    number: int

    def content(self, valid: bytes) -> bytes:
        from tests.long.fuzz.damage import damaged

        if self.number == VALID:
            return valid
        return damaged(READERS[self.reader][0], valid, Random(f"{self.seed} {self.reader} {self.number}"))

    @property
    def command(self) -> str:
        commands = READERS[self.reader][1]
        return commands[self.number % len(commands)]


@dataclass(frozen=True)
class Outcome:
    input: Input
    kind: str
    """`accepted`, `refused`, or what went wrong."""
    seconds: float = 0.0
    message: str = ""
    content: bytes = b""


def inputs_of(readers: Sequence[str], count: int, seed: int) -> list[Input]:
    """Spread a number of inputs evenly over the readers."""
    return [Input(readers[place % len(readers)], seed, place // len(readers)) for place in range(count)]


def outcomes(inputs: Sequence[Input], processes: int) -> Iterator[Outcome]:
    """Yield the outcome of each input, in the order of their ends."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    try:
        make_files(folder / "valid")
        queue = list(reversed(inputs))
        workers = [Worker(folder) for _ in range(min(processes, len(queue)))]
        while workers:
            for worker in list(workers):
                outcome = worker.outcome()
                if outcome is not None:
                    yield outcome
                if worker.input is None and queue:
                    worker.start(queue.pop())
                elif worker.input is None:
                    worker.stop()
                    workers.remove(worker)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Worker:
    """A process with its own copy of the valid files."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.input, self.process = folder, None, None
        self.since = 0.0

    def start(self, given: Input) -> None:
        if self.process is None:
            own = Path(tempfile.mkdtemp(dir=self.folder)) / "project"
            self.connection, theirs = multiprocessing.Pipe()
            context = multiprocessing.get_context("spawn")
            self.process = context.Process(target=serve, args=(theirs, self.folder / "valid", own), daemon=True)
            self.process.start()
            theirs.close()
            assert self.connection.poll(STARTING) and self.connection.recv() == "ready"
        self.input, self.since = given, time.monotonic()
        self.connection.send(given)

    def outcome(self) -> Outcome | None:
        """Return the outcome of the input at work, if there is one after a short wait."""
        if self.input is None:
            return None
        try:
            if self.connection.poll(0.05):
                found, self.input = self.connection.recv(), None
                return found
        except EOFError:
            self.process.join()
            code = self.process.exitcode
            return self.failed("crashed", signal.Signals(-code).name if code < 0 else f"exit code {code}")
        if time.monotonic() - self.since > LONGEST:
            return self.failed("hung", f"no answer within {LONGEST:.0f} s")
        return None

    def failed(self, kind: str, message: str) -> Outcome:
        given, self.input = self.input, None
        self.stop()
        valid = (self.folder / "valid" / READERS[given.reader][0]).read_bytes()
        return Outcome(given, kind, time.monotonic() - self.since, message, given.content(valid))

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.connection.close()
            self.process = None


def serve(connection: Connection, valid: Path, folder: Path) -> None:
    """Answer inputs with outcomes until the process is ended."""
    shutil.copytree(valid, folder)
    os.chdir(folder)
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silent, stream)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    import torch

    torch.set_num_threads(1)
    # An output of one command is an input of another: each input finds the files as they were made.
    status = {path: status_of(path) for path in files()}
    connection.send("ready")
    while True:
        given = connection.recv()
        connection.send(read(given, (valid / READERS[given.reader][0]).read_bytes()))
        restore(valid, status)


def files() -> list[Path]:
    return [path for path in Path().rglob("*") if path.is_file() or path.is_symlink()]


def status_of(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def restore(valid: Path, status: dict[Path, tuple[int, int, int]]) -> None:
    for path in files():
        if path not in status:
            path.unlink()
    for path, before in status.items():
        if not path.is_file() or status_of(path) != before:
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(valid / path, path)
            status[path] = status_of(path)


def read(given: Input, valid: bytes) -> Outcome:
    from click.testing import CliRunner

    from jvgn.cli import main
    from tests.long.fuzz.damage import CANARY

    content = given.content(valid)
    Path(READERS[given.reader][0]).write_bytes(content)
    start = time.monotonic()
    ran = CliRunner().invoke(main, shlex.split(given.command))
    seconds = time.monotonic() - start
    errors = [line for line in ran.stderr.splitlines() if line.startswith("Error: ")]
    if Path(CANARY).exists():
        Path(CANARY).rmdir()
        return Outcome(given, "ran code", seconds, "a file ran its code", content)
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        return Outcome(given, "traceback", seconds, "".join(traceback.format_exception(ran.exception)), content)
    # A table of questions has a line for each question that cannot be answered.
    if ran.exit_code != bool(errors):
        return Outcome(given, "exit code", seconds, f"exit code {ran.exit_code}: {ran.stderr}", content)
    return Outcome(given, "refused" if errors else "accepted", seconds, "".join(errors))
