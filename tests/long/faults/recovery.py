"""What a user does after a fault: what the messages say, and nothing else."""

import re
import shutil
from pathlib import Path

LOCKED = "--unlock"
ADVICE = (
    re.compile(r"^(?:Error: )?(\S+): .*; delete it and run the workflow again$", re.MULTILINE),
    re.compile(r"; delete (?!it )(\S+) and run the workflow again", re.MULTILINE),
    re.compile(r"^(?:Error: )?(\S+): .*; put the right file there or move this one away", re.MULTILINE),
)


def advised_deletions(said: str) -> set[str]:
    """The files that the messages tell to delete."""
    return {path for pattern in ADVICE for path in pattern.findall(said)}


def follow(said: str, folder: Path) -> None:
    """What is to be deleted is."""
    for path in advised_deletions(said):
        remove(folder / path)


def remove(path: Path) -> None:
    """A file, or a folder with all that is in it."""
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def is_locked(said: str) -> bool:
    """Whether Snakemake takes another one, which was killed, for still running."""
    return LOCKED in said
