"""What disks, copies and people do to finished files, and to what a job would go on from."""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from jvgn.storage.records import SAVED_STATE, record_of
from tests.long.faults.content import files_in
from tests.long.faults.jobs import Job
from tests.long.faults.kind import Kind
from tests.long.faults.scene import TO_START, Scene
from tests.long.faults.session import Session

STATEFUL = ("train", "train_detector", "extract_regions")
"""Stages that go on from what an interrupted job has left."""
INPUTS = 0.7
"""How often an input of the job is damaged; otherwise it is an output."""


def flip(path: Path, random: Random, keeps_date: bool = False) -> None:
    """One byte is another."""
    content = bytearray(path.read_bytes())
    content[random.randrange(len(content))] ^= random.randrange(1, 256)
    write(path, bytes(content), keeps_date)


def truncate(path: Path, random: Random, keeps_date: bool = False) -> None:
    """Only the first bytes are left, if any."""
    content = path.read_bytes()
    write(path, content[: random.randrange(len(content))], keeps_date)


def write(path: Path, content: bytes, keeps_date: bool) -> None:
    """In place, as a disk would: the date stays where no program wrote."""
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
    """An input of the job is gone, such as one of the shards that are to be merged."""

    name = "gone"

    def fits(self, job: Job) -> bool:
        return any(path.startswith("results/") for path in job.data)

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        chosen = scene.random.choice([path for path in scene.files(scene.job.data) if path.startswith("results/")])
        scene.damaged.add(chosen)
        (scene.folder / chosen).unlink()


class DamagedState(Kind):
    """The workflow is killed, and a byte of what the job would go on from, if that is there still, is another."""

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
            flip(scene.random.choice(states), scene.random, keeps_date=True)
        return True

    def states(self, scene: Scene) -> list[Path]:
        folder = (scene.folder / scene.job.outputs[0]).parent
        found = [path for path in files_in(folder) if SAVED_STATE.search(path.as_posix())]
        return [path for path in found if not path.name.startswith(".") and has_content(path)]


def has_content(path: Path) -> bool:
    with suppress(FileNotFoundError):  # it was replaced meanwhile, or removed
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
