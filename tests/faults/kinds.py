"""What can happen to a workflow that runs, or to its files while it does not."""

import os
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from jvgn.integrity import UNFINISHED
from parsers.origin import record_of
from tests.faults import damage, disks
from tests.faults.jobs import Job
from tests.faults.scene import TO_START, Scene
from tests.faults.session import Session

EARLY = 0.3
"""How often a disk is full, or a folder read-only, before the workflow starts."""
STATEFUL = ("train", "train_detector", "extract_regions")
"""Stages that go on from what an interrupted job has left."""


class Kind:
    """A kind of fault; by default it does nothing to a job that has to run."""

    name: str
    silent: bool = False
    """Whether nobody is left who could say something."""
    leaves_job: bool = False
    """Whether the job goes on without the workflow."""

    def fits(self, job: Job) -> bool:
        return True

    def prepare(self, scene: Scene) -> None:
        scene.clear_outputs()

    def strike(self, scene: Scene, session: Session) -> bool:
        """What happens while the workflow runs; whether it was in time."""
        return True

    def mend(self, scene: Scene) -> None:
        """What a user does before running it again, whatever was said."""

    def explains(self, scene: Scene, said: str) -> bool:
        """Whether a user can tell from it what happened, and to which file."""
        return True


@dataclass(frozen=True)
class Signal(Kind):
    """A signal to some of the processes."""

    name: str
    number: int
    to: Callable[[Scene, Session], list[int]]
    message: str = ""
    silent: bool = False
    leaves_job: bool = False

    def strike(self, scene: Scene, session: Session) -> bool:
        if not scene.await_moment(session):
            return False
        session.send(self.number, self.to(scene, session))
        return True

    def explains(self, scene: Scene, said: str) -> bool:
        return re.search(self.message, said) is not None


def one_of_the_job(scene: Scene, session: Session) -> list[int]:
    return scene.random.sample(session.job_processes(), 1) if session.job_processes() else []


def whole_job(scene: Scene, session: Session) -> list[int]:
    return session.job_processes()


def workflow(scene: Scene, session: Session) -> list[int]:
    return [session.process.pid]


def everything(scene: Scene, session: Session) -> list[int]:
    return session.processes()


class FullDisk(Kind):
    """Before the workflow starts, or at some moment, there is less space than the outputs need."""

    name = "full disk"

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        if scene.random.random() < EARLY:
            self.fill(scene)

    def strike(self, scene: Scene, session: Session) -> bool:
        if not scene.spare.exists() and scene.await_moment(session):
            self.fill(scene)
        return scene.spare.exists()

    def fill(self, scene: Scene) -> None:
        disks.fill(scene.spare, int(scene.random.random() * scene.needed))

    def mend(self, scene: Scene) -> None:
        scene.spare.unlink(missing_ok=True)

    def explains(self, scene: Scene, said: str) -> bool:
        return "No space left on device" in said


class ReadOnly(Kind):
    """From the start or from some moment on, the folder of an output cannot be written to."""

    name = "read-only"

    def folder(self, scene: Scene) -> Path:
        return (scene.folder / scene.job.outputs[0]).parent

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        if scene.random.random() < EARLY:
            disks.make_unwritable(self.folder(scene))

    def strike(self, scene: Scene, session: Session) -> bool:
        if os.access(self.folder(scene), os.W_OK) and scene.await_moment(session):
            disks.make_unwritable(self.folder(scene))
        return not os.access(self.folder(scene), os.W_OK)

    def mend(self, scene: Scene) -> None:
        disks.make_writable(self.folder(scene))

    def explains(self, scene: Scene, said: str) -> bool:
        within = re.escape(self.folder(scene).relative_to(scene.folder).as_posix())
        return re.search(rf"{within}.*(Read-only file system|Permission denied)", said) is not None


@dataclass(frozen=True)
class Damage(Kind):
    """A finished file is changed, before a job reads it."""

    name: str
    change: Callable[[Path, Random], None]
    of_record: bool = False

    def fits(self, job: Job) -> bool:
        return any(path.startswith("results/") for path in (*job.data, *job.outputs))

    def prepare(self, scene: Scene) -> None:
        """An input, and the job has to run; or an output, which nobody reads again."""
        inputs = [path for path in scene.files(scene.job.data) if self.is_ours(scene, path)]
        outputs = [path for path in scene.files(scene.job.outputs) if self.is_ours(scene, path)]
        unread = [path for path in outputs if path.startswith("results/")]
        if inputs and (not unread or scene.random.random() < 0.7):
            chosen = scene.random.choice(inputs)
            scene.clear_outputs()
        else:
            chosen = scene.random.choice(unread)
        scene.damaged |= scene.names_of(chosen)
        path = scene.folder / chosen
        self.change(record_of(path) if self.of_record else path, scene.random)

    def is_ours(self, scene: Scene, path: str) -> bool:
        return not self.of_record or record_of(scene.folder / path).exists()

    def explains(self, scene: Scene, said: str) -> bool:
        return any(path in said for path in scene.damaged)


class Removal(Kind):
    """An input of the job is gone."""

    name = "gone"

    def fits(self, job: Job) -> bool:
        return any(path.startswith("results/") for path in job.data)

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        chosen = scene.random.choice([path for path in scene.files(scene.job.data) if path.startswith("results/")])
        scene.damaged.add(chosen)
        (scene.folder / chosen).unlink()


class DamagedState(Kind):
    """The workflow is killed, and what the job would go on from is damaged."""

    name = "state"
    silent = True

    def fits(self, job: Job) -> bool:
        return job.stage in STATEFUL

    def strike(self, scene: Scene, session: Session) -> bool:
        if not session.until(lambda: bool(self.states(scene)), TO_START, every=0.001):
            return False
        session.send_all(signal.SIGKILL)
        session.wait(TO_START)
        states = self.states(scene)
        if states:
            damage.flip(scene.random.choice(states), scene.random, keeps_date=True)
        return bool(states)

    def states(self, scene: Scene) -> list[Path]:
        folder = (scene.folder / scene.job.outputs[0]).parent
        found = [path for path in folder.rglob("*") if UNFINISHED.search(path.as_posix())]
        return [path for path in found if not path.name.startswith(".") and path.is_file() and path.stat().st_size]


@dataclass(frozen=True)
class Download(Kind):
    """The server falls silent, or breaks off."""

    name: str
    behaviour: str
    """What the server is told, with a number of bytes."""

    def fits(self, job: Job) -> bool:
        return job.stage == "download"

    def explains(self, scene: Scene, said: str) -> bool:
        return "none of its mirrors has it" in said


def kept(change: Callable[[Path, Random, bool], None]) -> Callable[[Path, Random], None]:
    return lambda path, random: change(path, random, True)


KINDS: tuple[Kind, ...] = (
    Signal("kill job", signal.SIGKILL, one_of_the_job, "Error in rule"),
    Signal("kill all", signal.SIGKILL, everything, silent=True),
    Signal("orphan", signal.SIGKILL, workflow, silent=True, leaves_job=True),
    Signal("term job", signal.SIGTERM, whole_job, "stopped by a signal"),
    Signal("term", signal.SIGTERM, workflow),
    Signal("interrupt", signal.SIGINT, everything),
    FullDisk(),
    ReadOnly(),
    Damage("flip", damage.flip),
    Damage("rot", kept(damage.flip)),
    Damage("cut", damage.truncate),
    Damage("cut, dated", kept(damage.truncate)),
    Damage("record", damage.flip, of_record=True),
    Removal(),
    DamagedState(),
    Download("stall", "stall_at"),
    Download("break off", "breaks_every"),
)
