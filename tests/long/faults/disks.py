"""Small disks, full disks and folders that cannot be written to."""

import errno
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.long.faults.jobs import Job
from tests.long.faults.kind import Kind
from tests.long.faults.recovery import remove
from tests.long.faults.scene import TO_START, Scene, free_bytes
from tests.long.faults.session import Session

SIZE = "256m"
EARLY = 0.3
"""How often a folder is read-only before the workflow starts."""


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """The folder is a small disk of its own until the block ends, where this machine permits it; then it is gone.

    So is what an earlier one has left that was killed.
    """
    clear(folder)
    folder.mkdir(parents=True)
    try:
        if may_mount():
            mount("-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder)
        yield
    finally:
        clear(folder)


def clear(folder: Path) -> None:
    """Nothing is left of it, also if folders in it cannot be written to."""
    while folder.is_mount():
        unmount(folder)
    for place, _, _ in os.walk(folder):
        Path(place).chmod(0o755)
    remove(folder)


def may_mount() -> bool:
    return os.geteuid() == 0


def mount(*arguments: str | Path) -> None:
    subprocess.run(["mount", *arguments], check=True)


def unmount(folder: Path) -> None:
    subprocess.run(["umount", "--lazy", folder], check=True)


@dataclass(frozen=True)
class FullDisk(Kind):
    """There is less space than the outputs take: before the workflow starts, or from the moment its job has begun.

    Later it would be luck: a job that has written its outputs needs no space. How much is left is chance, so that the
    disk is full at the first byte, at some other one, or when all is written but the record.
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
        """Again if the job has taken some of the space meanwhile."""
        left = scene.random.randrange(max(scene.needed, 1))
        with scene.spare.open("wb") as ballast:
            while (size := free_bytes(scene.folder) - left) > 0:
                try:
                    os.posix_fallocate(ballast.fileno(), 0, size)
                    return
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def mend(self, scene: Scene) -> None:
        scene.spare.unlink(missing_ok=True)

    def explains(self, scene: Scene, said: str) -> bool:
        return "cannot be written (No space left on device); see to the disk" in said


class ReadOnly(Kind):
    """Before the workflow starts, or from some moment on, the folder of an output cannot be written to."""

    name = "read-only"

    def prepare(self, scene: Scene) -> None:
        super().prepare(scene)
        if scene.random.random() < EARLY:
            self.close(scene)

    def strike(self, scene: Scene, session: Session) -> bool:
        if not self.is_closed(scene) and scene.await_moment(session):
            self.close(scene)
        return self.is_closed(scene)

    def folder(self, scene: Scene) -> Path:
        return (scene.folder / scene.job.outputs[0]).parent

    def is_closed(self, scene: Scene) -> bool:
        return not os.access(self.folder(scene), os.W_OK)

    def close(self, scene: Scene) -> None:
        """Root ignores permissions, but not a read-only mount."""
        folder = self.folder(scene)
        if may_mount():
            mount("--bind", folder, folder)
            mount("-o", "remount,bind,ro", folder)
        else:
            folder.chmod(0o555)

    def mend(self, scene: Scene) -> None:
        unmount(self.folder(scene)) if may_mount() else self.folder(scene).chmod(0o755)

    def explains(self, scene: Scene, said: str) -> bool:
        within = re.escape(self.folder(scene).relative_to(scene.folder).as_posix())
        why = r"cannot be written \((Read-only file system|Permission denied)\); see to the disk"
        return re.search(rf"{within}.*: {why}", said) is not None


DISKS = (FullDisk("full disk", is_early=True), FullDisk("disk fills", is_early=False), ReadOnly())
