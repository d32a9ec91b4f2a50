"""What disks, copies and people do to finished files."""

import os
from pathlib import Path
from random import Random


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
