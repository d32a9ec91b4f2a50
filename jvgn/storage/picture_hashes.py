"""The hashes of pictures that were written many at a time: `.jvgn.sha256` in their folder, for `sha256sum --check`.

It comes into being with the folder. A file that it does not name is a user's own, about which it says nothing.
"""

from functools import cache
from pathlib import Path

from jvgn.storage.files import sha256
from parsers.errors import BrokenFile

NAME = ".jvgn.sha256"


def write_hashes(folder: Path) -> None:
    """The folder, and every folder in it, has the hashes of its files; a name of several lines has no place here."""
    for within in [folder, *(path for path in folder.rglob("*") if path.is_dir())]:
        files = sorted(
            path for path in within.iterdir() if path.is_file() and path.name != NAME and "\n" not in path.name
        )
        lines = "".join(f"{sha256(file)}  {file.name}\n" for file in files)
        (within / NAME).write_text(lines, encoding="utf8", errors="surrogateescape")


def told_hash(file: Path) -> str | None:
    """The hash that a file was written with, if its folder tells."""
    return told_by(file.parent).get(file.name)


def told_names(folder: Path) -> set[str]:
    """The names of the files that the folder tells of, and of the one by which it does."""
    return {NAME, *told_by(folder)}


def told_by(folder: Path) -> dict[str, str]:
    hashes = (folder / NAME).absolute()
    return told_hashes(hashes, hashes.stat().st_mtime_ns) if hashes.is_file() else {}


@cache
def told_hashes(hashes: Path, _: int) -> dict[str, str]:
    """By the names of the files; a folder that is made anew has its hashes read anew."""
    # Not as text: other signs that end a line, of which there are many, may be part of a name.
    lines = hashes.read_bytes().decode("utf8", "surrogateescape").split("\n")
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines) if name}


def check_picture(file: Path) -> None:
    """The file is as it was written, if its folder tells and the file is there."""
    told = told_hash(file)
    if told is not None and file.is_file() and sha256(file) != told:
        raise BrokenFile(file, "not as it was written", f"delete {file.parent} and run the workflow again")
