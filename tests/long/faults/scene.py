"""Where a fault happens: a copy of the finished project, and the job that is disturbed in it."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.long.faults.content import files_of
from tests.long.faults.jobs import Job
from tests.long.faults.recovery import remove
from tests.long.faults.session import Session

TO_START = 60.0
"""Seconds within which a workflow's first job starts."""
CLOSE = 0.03
"""Seconds within which much happens when files are written."""


@dataclass
class Scene:
    folder: Path
    job: Job
    random: Random
    companion: Job | None = None
    """Another job that runs beside it, or after it."""
    usual: float = 3.0
    """Seconds that the job takes when it is not disturbed."""
    needed: int = 0
    """Bytes of the disk that the outputs took, until they were cleared."""
    damaged: set[str] = field(default_factory=set)
    """Files that the fault itself has changed."""

    @property
    def spare(self) -> Path:
        """A file on the project's disk, outside of the project."""
        return self.folder.parent / "ballast"

    @property
    def targets(self) -> tuple[str, ...]:
        """What the workflow is asked for."""
        return (*self.job.outputs, *(self.companion.outputs if self.companion else ()))

    def clear_outputs(self) -> None:
        """The jobs have to run."""
        before = free_bytes(self.folder)
        for output in self.targets:
            remove(self.folder / output)
        self.needed = free_bytes(self.folder) - before

    def files(self, paths: tuple[str, ...]) -> list[str]:
        """Those with a final name and some content; of a folder, the files in it."""
        found = []
        for path in (self.folder / path for path in paths):
            within = sorted(path.rglob("*")) if path.is_dir() else [path]
            found += [file for file in within if file.is_file() and file.stat().st_size]
        return [file.relative_to(self.folder).as_posix() for file in found if not file.name.startswith(".")]

    def names_of(self, path: str) -> set[str]:
        """All names of a file: a download may have two."""
        same = (self.folder / path).stat().st_ino
        return {name for name in files_of(self.folder) if (self.folder / name).stat().st_ino == same}

    def is_being_written(self) -> bool:
        """Whether one of the outputs has begun to appear: a temporary file beside it, or the output itself."""
        for output in self.job.outputs:
            path = self.folder / output
            if path.exists() or any(self.beside(path)):
                return True
        return False

    def beside(self, path: Path) -> list[Path]:
        records = (f".{path.name}.origin", f"..{path.name}.origin")
        return [file for file in path.parent.glob(f".{path.name}.*") if not file.name.startswith(records)]

    def await_moment(self, session: Session) -> bool:
        """Returns at a random moment of the job, or just as it writes; whether the job still runs."""
        if not session.until(session.has_job, TO_START):
            return False
        if self.random.random() < 0.5:
            session.until(self.is_being_written, TO_START, every=0.001)
            time.sleep(self.random.uniform(0, CLOSE))
        else:
            time.sleep(self.random.uniform(0, self.usual))
        return session.has_job()


def free_bytes(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
