"""All kinds of faults: signals, full disks, damaged and missing files."""

import errno
import os
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from jvgn.storage.files import record_of
from jvgn.storage.records import SAVED_STATE
from tests.long.faults.content import files_in
from tests.long.faults.disks import free_bytes
from tests.long.faults.jobs import Job
from tests.long.faults.scene import TO_START, Scene
from tests.long.faults.session import Session

RESUMABLE = ("train", "train_detector", "extract_regions")
"""Stages that resume from saved state."""
INPUTS = 0.7
"""Share of damages that hit an input of the job; the others hit an output."""


class Kind:
    """A kind of fault. This one does nothing."""

    name: str
    silent: bool = False
    """Whether no process is left that could report it."""
    leaves_job: bool = False
    """Whether the job continues without the workflow."""
    must_harm: bool = False
    """Whether the fault did not happen if the workflow succeeded."""

    def fits(self, job: Job) -> bool:
        return True

    def prepare(self, scene: Scene) -> None:
        """Change the project before the workflow starts."""
        scene.clear_outputs()

    def strike(self, scene: Scene, session: Session) -> bool:
        """Disturb the running workflow; return whether that was in time."""
        return True

    def repair(self, scene: Scene) -> None:
        """Do what a user does before the next run, such as making room on the disk."""

    def explains(self, scene: Scene, said: str) -> bool:
        """Return whether the messages say what happened, and to which file."""
        return True


@dataclass(frozen=True)
class Signal(Kind):
    """A signal to some of the processes, at some moment of the job."""

    name: str
    number: int
    to: Callable[[Scene, Session], list[int]]
    message: str = ""
    silent: bool = False
    leaves_job: bool = False

    def fits(self, job: Job) -> bool:
        return job.is_process

    def strike(self, scene: Scene, session: Session) -> bool:
        if not scene.await_moment(session):
            return False
        session.send(self.number, self.to(scene, session))
        return True

    def explains(self, scene: Scene, said: str) -> bool:
        return re.search(self.message, said) is not None


def one_of_the_job(scene: Scene, session: Session) -> list[int]:
    found = session.job_processes()
    return [scene.random.choice(found)] if found else []


def whole_job(scene: Scene, session: Session) -> list[int]:
    return session.job_processes()


def workflow(scene: Scene, session: Session) -> list[int]:
    return [session.process.pid]


def everything(scene: Scene, session: Session) -> list[int]:
    return session.processes()


SIGNALS = (
    Signal("kill job", signal.SIGKILL, one_of_the_job, "Error in rule"),
    Signal("kill all", signal.SIGKILL, everything, silent=True),
    Signal("orphan", signal.SIGKILL, workflow, silent=True, leaves_job=True),
    Signal("term job", signal.SIGTERM, whole_job, "Error in rule"),
    Signal("term", signal.SIGTERM, workflow, "Will exit after finishing currently running jobs"),
    Signal("interrupt", signal.SIGINT, everything, "Terminating processes on user request"),
)


@dataclass(frozen=True)
class FullDisk(Kind):
    """The disk has less space than the outputs take, before the workflow starts or from the start of its job.

    The space that is left is random: the disk is full at the first byte, at some other one, or at the record.
    """

    name: str
    is_early: bool
    must_harm: bool = True

    def fits(self, job: Job) -> bool:
        return self.is_early or job.is_process

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        if self.is_early:
            self.fill(scene)

    def strike(self, scene: Scene, session: Session) -> bool:
        if not self.is_early and session.until(session.has_job, TO_START):
            self.fill(scene)
        return scene.spare.exists()

    def fill(self, scene: Scene) -> None:
        """Fill the disk; try again if the job has taken some of the space meanwhile."""
        left = scene.random.randrange(max(scene.needed, 1))
        with scene.spare.open("wb") as spare:
            while (size := free_bytes(scene.folder) - left) > 0:
                try:
                    os.posix_fallocate(spare.fileno(), 0, size)
                    return
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def repair(self, scene: Scene) -> None:
        scene.spare.unlink(missing_ok=True)

    def explains(self, scene: Scene, said: str) -> bool:
        return "No space left on device" in said


DISKS = (FullDisk("full disk", is_early=True), FullDisk("disk fills", is_early=False))


def flip(path: Path, random: Random, keeps_date: bool = False) -> None:
    """Change one byte."""
    content = bytearray(path.read_bytes())
    content[random.randrange(len(content))] ^= random.randrange(1, 256)
    write(path, bytes(content), keeps_date)


def truncate(path: Path, random: Random, keeps_date: bool = False) -> None:
    content = path.read_bytes()
    write(path, content[: random.randrange(len(content))], keeps_date)


def write(path: Path, content: bytes, keeps_date: bool) -> None:
    """Write in place; damage by a disk keeps the date."""
    before = path.stat()
    path.write_bytes(content)
    if keeps_date:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@dataclass(frozen=True)
class Damage(Kind):
    """A finished file is changed: one that the job is about to read, or one that nobody reads again."""

    name: str
    change: Callable[[Path, Random], None]
    of_record: bool = False

    def fits(self, job: Job) -> bool:
        return any(path.startswith("results/") for path in (*job.data, *job.outputs))

    def prepare(self, scene: Scene) -> None:
        inputs, outputs = (self.candidates(scene, paths) for paths in (scene.job.data, scene.job.outputs))
        unread = [path for path in outputs if path.startswith("results/")]
        if inputs and (not unread or scene.random.random() < INPUTS):
            chosen = scene.random.choice(inputs)
            scene.clear_outputs()
        else:
            chosen = scene.random.choice(unread)
        scene.damaged |= scene.names_of(chosen)
        path = scene.folder / chosen
        self.change(record_of(path) if self.of_record else path, scene.random)

    def candidates(self, scene: Scene, paths: tuple[str, ...]) -> list[str]:
        files = scene.files(paths)
        return [path for path in files if not self.of_record or record_of(scene.folder / path).exists()]

    def explains(self, scene: Scene, said: str) -> bool:
        return any(path in said for path in scene.damaged)


class Removal(Kind):
    """An input of the job is missing, such as one of the shards to merge."""

    name = "gone"

    def fits(self, job: Job) -> bool:
        return any(path.startswith("results/") for path in job.data)

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        chosen = scene.random.choice([path for path in scene.files(scene.job.data) if path.startswith("results/")])
        scene.damaged.add(chosen)
        (scene.folder / chosen).unlink()


class DamagedState(Kind):
    """The workflow is killed, and a byte of the saved state of its job is changed."""

    name = "state"
    silent = True

    def fits(self, job: Job) -> bool:
        return job.stage in RESUMABLE

    def strike(self, scene: Scene, session: Session) -> bool:
        if not session.until(lambda: bool(self.states(scene)), TO_START, every=0.001):
            return False
        session.send_all(signal.SIGKILL)
        session.wait(TO_START)
        states = self.states(scene)
        if states:
            flip(scene.random.choice(states), scene.random, keeps_date=True)
        return True

    def states(self, scene: Scene) -> list[Path]:
        folder = (scene.folder / scene.job.outputs[0]).parent
        found = [path for path in files_in(folder) if SAVED_STATE.search(path.as_posix())]
        return [path for path in found if not path.name.startswith(".") and has_content(path)]


def has_content(path: Path) -> bool:
    with suppress(FileNotFoundError):  # it was replaced or removed meanwhile
        return path.stat().st_size > 0
    return False


DAMAGES = (
    Damage("flip", flip),
    Damage("rot", partial(flip, keeps_date=True)),
    Damage("cut", truncate),
    Damage("cut, dated", partial(truncate, keeps_date=True)),
    Damage("record", flip, of_record=True),
    Removal(),
    DamagedState(),
)


KINDS: tuple[Kind, ...] = (*SIGNALS, *DISKS, *DAMAGES)
