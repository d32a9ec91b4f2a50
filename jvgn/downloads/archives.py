"""Archives (zip, tar, tar.gz): takes files and folders out of them.

An archive with a name outside of its folder is refused, and so are links and devices. A target appears complete or not
at all.
"""

import gzip
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO

from tqdm import tqdm

from jvgn.storage.files import disk_errors_named, leftovers, reading, remove, replacing, replacing_folder
from jvgn.storage.pictures import write_hashes
from parsers.errors import BrokenFile

CHUNK = 1 << 20
EVERYTHING = "./"
GET_AGAIN = "get the archive again from a source you trust"


@dataclass(frozen=True)
class Member:
    """An entry of an archive."""

    name: str
    is_file: bool
    is_folder: bool
    open: Callable[[], IO[bytes] | None]
    """Return the content; None only for an entry that is not a file."""


def unpack(path: Path, wanted: str, target: Path) -> None:
    """Write the file `wanted` of the archive to `target`, or the folder if `wanted` ends with a slash."""
    if not wanted.endswith("/"):
        with replacing(target) as temporary:
            write_members(path, wanted, temporary)
        return
    for left in leftovers(target):
        remove(left)
    with replacing_folder(target) as temporary:
        write_members(path, wanted, temporary)
        write_hashes(temporary)


def is_archive(path: Path) -> bool:
    """Return whether the archive is complete: a zip has its table at the end, and all headers of a tar are read."""
    try:
        with reading(path, "archive", GET_AGAIN):
            return len(list(members(path))) > 0
    except BrokenFile:
        return False


def members(path: Path) -> Iterator[Member]:
    """Yield the entries from first to last. Read an entry before the next one: a tar is a stream."""
    for member in zip_members(path) if zipfile.is_zipfile(path) else tar_members(path):
        pure = PurePosixPath(member.name)
        if pure.is_absolute() or ".." in pure.parts or "\\" in member.name or ":" in member.name.split("/")[0]:
            raise BrokenFile(path, f"{member.name!r} is outside of the archive's folder", GET_AGAIN)
        yield member


def zip_members(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            is_plain = stat.S_IFMT(entry.external_attr >> 16) in (0, stat.S_IFREG, stat.S_IFDIR)
            is_folder = is_plain and entry.is_dir()
            yield Member(entry.filename, is_plain and not is_folder, is_folder, partial(archive.open, entry))


def tar_members(path: Path) -> Iterator[Member]:
    with path.open("rb") as file:
        is_zipped = file.read(2) == b"\x1f\x8b"
    with (
        gzip.open(path) if is_zipped else path.open("rb") as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        for entry in archive:
            yield Member(entry.name, entry.isreg(), entry.isdir(), partial(archive.extractfile, entry))
        while stream.read(CHUNK):
            pass  # gzip's checksum is at the end


def write_members(path: Path, wanted: str, target: Path) -> None:
    """Write all that the archive has under the name `wanted`."""
    written = 0
    with (
        reading(path, "archive", GET_AGAIN),
        tqdm(desc=target.name, unit="B", unit_scale=True, disable=None) as progress,
    ):
        for member in members(path):
            inner = place_within(member.name, wanted)
            if inner is None or member.is_folder:
                continue
            if not member.is_file:
                raise BrokenFile(path, f"{member.name!r} is a link or a device, expected a file", GET_AGAIN)
            place = target / inner
            with disk_errors_named(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                with member.open() as content, place.open("wb") as file:  # type: ignore[union-attr]
                    shutil.copyfileobj(content, file, CHUNK)
            progress.update(place.stat().st_size)
            written += 1
    if not written:
        raise BrokenFile(path, f"has no {wanted}", "get another archive, or fix `provides` of its source")


def place_within(name: str, wanted: str) -> PurePosixPath | None:
    """Return the path of an entry below the target, or None if the entry is not wanted."""
    pure = PurePosixPath(name)
    if wanted == EVERYTHING:
        return pure
    if pure == PurePosixPath(wanted):
        return PurePosixPath() if not wanted.endswith("/") else None
    if wanted.endswith("/") and pure.is_relative_to(wanted):
        return pure.relative_to(wanted)
    return None
