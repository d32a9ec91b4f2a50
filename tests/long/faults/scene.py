"""The scene of a fault: a copy of the finished project, and the job that is disturbed in it."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.long.faults.content import files_of, remove
from tests.long.faults.disks import free_bytes
from tests.long.faults.jobs import Job
from tests.long.faults.session import Session

TO_START = 60.0
"""Seconds within which the first job of a workflow starts."""
CLOSE = 0.03
"""Seconds after the first byte of an output in which many faults are interesting."""


@dataclass
class Scene:
    folder: Path
    job: Job
    random: Random
    usual: float = 3.0
    """Seconds that the undisturbed job takes."""
    needed: int = 0
    """Bytes of the disk that the outputs took."""
    damaged: set[str] = field(default_factory=set)
    """Files that the fault itself changed."""

    @property
    def spare(self) -> Path:
        """Return a file on the disk of the project, outside the project."""
        return self.folder.parent / "ballast"

    def clear_outputs(self) -> None:
        """Remove the outputs, so that the job has to run."""
        before = free_bytes(self.folder)
        for output in self.job.outputs:
            remove(self.folder / output)
        self.needed = free_bytes(self.folder) - before

    def files(self, paths: tuple[str, ...]) -> list[str]:
        """Return the finished files with content; for a folder, the files in it."""
        found = []
        for path in (self.folder / path for path in paths):
            within = sorted(path.rglob("*")) if path.is_dir() else [path]
            found += [file for file in within if file.is_file() and file.stat().st_size]
        return [file.relative_to(self.folder).as_posix() for file in found if not file.name.startswith(".")]

    def names_of(self, path: str) -> set[str]:
        """Return all names of a file: a download may have two."""
        same = (self.folder / path).stat().st_ino
        return {name for name in files_of(self.folder) if (self.folder / name).stat().st_ino == same}

    def is_being_written(self) -> bool:
        """Return whether an output or its temporary file is there."""
        for output in self.job.outputs:
            path = self.folder / output
            if path.exists() or any(self.beside(path)):
                return True
        return False

    def beside(self, path: Path) -> list[Path]:
        records = (f".{path.name}.origin", f"..{path.name}.origin")
        return [file for file in path.parent.glob(f".{path.name}.*") if not file.name.startswith(records)]

    def await_moment(self, session: Session) -> bool:
        """Wait for a random moment of the job, or until it writes; return whether it still runs."""
        if not session.until(session.has_job, TO_START):
            return False
        if self.random.random() < 0.5:
            session.until(self.is_being_written, TO_START, every=0.001)
            time.sleep(self.random.uniform(0, CLOSE))
        else:
            time.sleep(self.random.uniform(0, self.usual))
        return session.has_job()
