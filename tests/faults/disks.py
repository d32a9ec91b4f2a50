"""Small disks, full disks and folders that cannot be written to."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SIZE = "256m"


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """The folder is a small disk of its own until the block ends, where this machine permits it; whether it is."""
    folder.mkdir(parents=True)
    is_mounted = may_mount() and mount("-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder))
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", folder], check=True)


def may_mount() -> bool:
    return os.geteuid() == 0


def mount(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


def fill(ballast: Path, leave: int) -> None:
    """So many bytes are left on the disk."""
    disk = os.statvfs(ballast.parent)
    size = disk.f_bavail * disk.f_frsize - leave
    if size > 0:
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, size)


def make_unwritable(folder: Path) -> None:
    """Nothing can be made or renamed in the folder. Root ignores permissions, but not a read-only mount."""
    if may_mount():
        mount("--bind", str(folder), str(folder))
        mount("-o", "remount,bind,ro", str(folder))
    else:
        folder.chmod(0o555)


def make_writable(folder: Path) -> None:
    if may_mount():
        subprocess.run(["umount", "--lazy", folder], check=True)
    else:
        with suppress(FileNotFoundError):
            folder.chmod(0o755)
