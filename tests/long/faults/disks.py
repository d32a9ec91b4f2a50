"""Small disks: a tmpfs that only root may mount."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.long.faults.content import remove

SIZE = "256m"


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Mount a small disk at the folder, if this user may; remove it with all its files in the end."""
    clear(folder)
    folder.mkdir(parents=True)
    try:
        if may_mount():
            mount("-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder)
        yield
    finally:
        clear(folder)


def clear(folder: Path) -> None:
    """Unmount and remove the folder, also if folders in it are read-only."""
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


def free_bytes(folder: Path) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
