"""What is unpacked from a file that nobody vouches for has an end."""

import zipfile
from pathlib import Path
from typing import Protocol

from parsers.errors import BrokenFile

RATIO, AT_LEAST = 50, 1 << 26
"""Unpacked bytes for each byte of the archive, from 64 MB on: text in JSON has about ten, a bomb thousands."""
PATIENCE = 100


def budget_of(path: Path) -> int:
    """The bytes that an honest archive of this size may unpack to."""
    return max(AT_LEAST, RATIO * path.stat().st_size)


def check_packing(entry: zipfile.ZipInfo) -> None:
    """The entry is stored or deflated, as those of all publications are."""
    # What is packed otherwise, the library unpacks without a limit: half a kilobyte is a gigabyte before it is counted.
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{entry.filename} is neither stored nor deflated, as zip files mostly are")


class Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


class Bounded:
    """A stream of unpacked bytes that is refused beyond its budget, which it shares with nobody."""

    def __init__(self, stream: Stream, path: Path, cure: str) -> None:
        self.stream, self.path, self.cure = stream, path, cure
        self.left = budget_of(path)
        self.asked_in_vain = 0

    def read(self, size: int) -> bytes:
        content = self.stream.read(size)
        self.check(len(content))
        self.left -= len(content)
        self.asked_in_vain += not content
        if self.asked_in_vain > PATIENCE:  # the library looks for the end of an entry that says it has exabytes
            raise EOFError("it ends before it should")
        return content

    def check(self, size: int) -> None:
        """So many bytes more are within the budget."""
        if size > self.left:
            raise BrokenFile(self.path, "it unpacks to far more than an honest archive would", self.cure)
