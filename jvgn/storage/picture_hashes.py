"""Checksums of pictures that are written many at a time: `.jvgn.sha256` in their folder, for `sha256sum --check`.

It is written with the folder. A file that it does not name is the user's own.
"""

from functools import cache
from pathlib import Path

from jvgn.storage.files import sha256
from parsers.errors import BrokenFile

NAME = ".jvgn.sha256"


def write_hashes(folder: Path) -> None:
    """Write the checksums of the files in the folder and in every folder below it."""
    for within in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        files = sorted(path for path in within.iterdir() if path.is_file() and path.name != NAME)
        lines = "".join(f"{sha256(file)}  {file.name}\n" for file in files)
        (within / NAME).write_text(lines, encoding="utf8", errors="surrogateescape")


def recorded_hash(file: Path) -> str | None:
    """Return the checksum that a file was written with, if its folder records it."""
    return recorded_hashes(file.parent).get(file.name)


def recorded_hashes(folder: Path) -> dict[str, str]:
    """Return the recorded checksums by file name."""
    hashes = (folder / NAME).absolute()
    return parsed_hashes(hashes, hashes.stat().st_mtime_ns) if hashes.is_file() else {}


@cache
def parsed_hashes(hashes: Path, _: int) -> dict[str, str]:
    lines = hashes.read_text(encoding="utf8", errors="surrogateescape").split("\n")
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def check_picture(file: Path) -> None:
    """Refuse a picture that changed since we wrote it."""
    expected = recorded_hash(file)
    if expected is not None and file.is_file() and sha256(file) != expected:
        raise BrokenFile(file, "changed since it was written", f"delete {file.parent} and run the workflow again")
