"""Give damaged files to commands, each in its own process and its own copy of the project: it may crash or hang."""

import multiprocessing
import os
import pickle
import pkgutil
import shlex
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

import jvgn
from tests.long.fuzz.readers import READERS, make_files

VALID = -1
"""Number of the input that is the valid file itself."""
MISSING, FOLDER, EMPTY = 0, 1, 2
"""Numbers of the inputs that are no file, a folder and an empty file; later ones are damaged."""
LONGEST = 60.0
"""Seconds for one input, after which a command hangs."""
FINE = ("accepted", "refused")
MODULES = [module.name for module in pkgutil.walk_packages(jvgn.__path__, "jvgn.")]
IMPORTED = [name for name in MODULES if not name.endswith(("__main__", "detectron2_backend"))]
"""Modules that are imported once, in the process that all others are forked from."""


@dataclass(frozen=True)
class Input:
    """Input `number` of a run with this seed; the same numbers give the same bytes."""

    reader: str
    seed: int
    number: int

    def content(self, valid: bytes) -> bytes:
        from tests.long.fuzz.damage import damaged

        if self.number in (VALID, MISSING, FOLDER, EMPTY):
            return valid if self.number == VALID else b""
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
    message: str = ""
    content: bytes = b""


def inputs_of(readers: Sequence[str], count: int, seed: int) -> list[Input]:
    """Spread a number of inputs evenly over the readers."""
    return [Input(readers[place % len(readers)], seed, place // len(readers)) for place in range(count)]


def outcomes(inputs: Sequence[Input], processes: int) -> Iterator[Outcome]:
    """Yield the outcome of each input, in the order of their ends."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(IMPORTED)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        valid, waiting, running = Path(name) / "valid", iter(inputs), []
        maker = context.Process(target=make_files, args=(valid,))
        maker.start()
        maker.join()
        assert maker.exitcode == 0, "the valid files could not be made"
        while True:
            for given in islice(waiting, processes - len(running)):
                folder = Path(tempfile.mkdtemp(dir=name)) / "project"
                process = context.Process(target=read, args=(given, valid, folder))
                process.start()
                running.append((given, folder, process, time.monotonic()))
            if not running:
                return
            time.sleep(0.005)
            for one in list(running):
                given, folder, process, since = one
                is_late = time.monotonic() - since > LONGEST
                if is_late or not process.is_alive():
                    yield outcome_of(given, valid, folder, process)
                    shutil.rmtree(folder.parent, ignore_errors=True)
                    running.remove(one)


def outcome_of(given: Input, valid: Path, folder: Path, process: BaseProcess) -> Outcome:
    is_late = process.is_alive()
    process.kill()
    process.join()
    answer = folder.with_name("outcome")
    if not is_late and answer.exists():
        return pickle.loads(answer.read_bytes())
    content = given.content((valid / READERS[given.reader][0]).read_bytes())
    if is_late:
        return Outcome(given, "hung", f"no answer within {LONGEST:.0f} s", content)
    code = process.exitcode or 0
    return Outcome(given, "crashed", signal.Signals(-code).name if code < 0 else f"exit code {code}", content)


def read(given: Input, valid: Path, folder: Path) -> None:
    """Run the command in a copy of the valid project with one damaged file; write the outcome beside it."""
    shutil.copytree(valid, folder)
    os.chdir(folder)
    silent = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silent, stream)
    import torch

    torch.set_num_threads(1)
    path = Path(READERS[given.reader][0])
    content = given.content(path.read_bytes())
    path.unlink()
    if given.number == FOLDER:
        path.mkdir()
    elif given.number != MISSING:
        path.write_bytes(content)
    kind, message = run(given.command)
    outcome = Outcome(given, kind, message, b"" if kind in FINE else content)
    folder.with_name("outcome").write_bytes(pickle.dumps(outcome))


def run(command: str) -> tuple[str, str]:
    from click.testing import CliRunner

    from jvgn.cli import main
    from tests.long.fuzz.damage import CANARY

    ran = CliRunner().invoke(main, shlex.split(command))
    errors = [line for line in ran.stderr.splitlines() if line.startswith("Error: ")]
    if Path(CANARY).exists():
        return "ran code", "a file ran its code"
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        return "traceback", "".join(traceback.format_exception(ran.exception))
    # A table of questions has a line for each question that cannot be answered.
    if ran.exit_code != bool(errors):
        return "exit code", f"exit code {ran.exit_code}: {ran.stderr}"
    return "refused" if errors else "accepted", "".join(errors)
