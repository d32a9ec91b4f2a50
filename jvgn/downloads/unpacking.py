"""Takes files out of archives (zip, tar, tar.gz) that nobody vouches for.

An archive that holds a name outside of itself is refused whole. Of what is asked for, only folders and plain files are
written, none with control characters in its name, to a temporary name that becomes the target's when all is there;
never more bytes than an honest archive has.
"""

import gzip
import shutil
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol
from unicodedata import category

from tqdm import tqdm

from jvgn.downloads.part import locked, opened_for_writing, write_all, writing
from jvgn.storage.files import replacing
from jvgn.storage.picture_hashes import write_hashes
from parsers.errors import BrokenFile

CHUNK = 1 << 20
MOST_FILES = 1_000_000
EVERYTHING = "./"
GET_AGAIN = "get the archive again from a source you trust"
DAMAGE = (
    *(
        ArithmeticError,
        AttributeError,
        EOFError,
        LookupError,
        MemoryError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ),
    *(struct.error, tarfile.TarError, zipfile.BadZipFile, zlib.error),
)
"""What reading a damaged, encrypted or foreign archive can raise."""


@dataclass(frozen=True)
class Member:
    """An entry of an archive."""

    name: str
    kind: str
    """`file`, `folder`, or what it is that we never unpack."""
    entry: zipfile.ZipInfo | tarfile.TarInfo


class Archive(Protocol):
    """Either format, read from its first entry to its last."""

    def members(self) -> Iterator[Member]: ...

    def open(self, member: Member) -> IO[bytes]: ...


class Zip:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive

    def members(self) -> Iterator[Member]:
        for entry in self.archive.infolist():
            mode = entry.external_attr >> 16
            is_odd = stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR)
            kind = "link or device" if is_odd else "folder" if entry.is_dir() else "file"
            yield Member(entry.filename, kind, entry)

    def open(self, member: Member) -> IO[bytes]:
        assert isinstance(member.entry, zipfile.ZipInfo)
        return self.archive.open(member.entry)


class Tar:
    def __init__(self, archive: tarfile.TarFile, stream: IO[bytes]) -> None:
        self.archive, self.stream = archive, stream

    def members(self) -> Iterator[Member]:
        for entry in self.archive:
            is_file = entry.isreg() and not entry.issparse()
            kind = "file" if is_file else "folder" if entry.isdir() else "link or device"
            yield Member(entry.name, kind, entry)
        while self.stream.read(CHUNK):
            pass  # gzip's checksum comes last

    def open(self, member: Member) -> IO[bytes]:
        found = self.archive.extractfile(member.entry)  # type: ignore[arg-type]
        assert found is not None  # a plain file has content
        return found


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """The archive, whatever its format; all that can be wrong with it names it."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield Zip(archive)
        else:
            with unzipped(path) as file, tarfile.open(fileobj=file, mode="r|") as archive:
                yield Tar(archive, file)  # type: ignore[arg-type]
    except DAMAGE as error:
        raise BrokenFile(path, f"not a readable archive ({error or type(error).__name__})", GET_AGAIN) from error


def unzipped(path: Path) -> IO[bytes] | gzip.GzipFile:
    """The tar archive itself."""
    with path.open("rb") as file:
        is_zipped = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if is_zipped else path.open("rb")


def unpack(path: Path, wanted: str, target: Path) -> None:
    """`target` is the file, or with a slash at the end of its name the folder, that the archive has as `wanted`."""
    if wanted.endswith("/"):
        with locked(path, "rb", waits=True):
            unpack_folder(path, wanted, target)
    else:
        with replacing(target) as temporary:
            temporary.unlink()
            write_members(path, wanted, temporary)


def unpack_folder(path: Path, wanted: str, target: Path) -> None:
    # Always the same name, so that what a killed process left is found again.
    temporary = target.with_name(f".{target.name}.unpacking")
    shutil.rmtree(temporary, ignore_errors=True)
    try:
        with writing(temporary):
            temporary.mkdir(parents=True)
        write_members(path, wanted, temporary)
        with writing(target):
            write_hashes(temporary)
            temporary.rename(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_members(path: Path, wanted: str, place: Path) -> None:
    """`place` has all that the archive has as `wanted`."""
    written = 0
    with opened(path) as archive, tqdm(desc=place.name, unit="B", unit_scale=True, disable=None) as progress:
        for number, member in enumerate(archive.members()):
            check_name(path, member.name)
            if number == MOST_FILES:
                raise BrokenFile(path, f"it has more than {MOST_FILES:,} entries", GET_AGAIN)
            inner = place_within(member.name, wanted)
            if inner is None or member.kind == "folder":
                continue
            if member.kind != "file":
                raise BrokenFile(path, f"{member.name!r} is a {member.kind}, expected plain files", GET_AGAIN)
            if any(category(sign) == "Cc" for sign in member.name):
                raise BrokenFile(path, f"{member.name!r} has control characters in its name", GET_AGAIN)
            with archive.open(member) as content:
                write_content(path, content, place / inner, progress)
            written += 1
    if not written:
        raise BrokenFile(path, f"it has no {wanted}", "get another archive, or mend `provides` of its source")


def check_name(path: Path, name: str) -> None:
    pure = PurePosixPath(name)
    if pure.is_absolute() or ".." in pure.parts or "\\" in name or ":" in name.split("/")[0]:
        raise BrokenFile(path, f"refused: it has the name {name!r}, which is outside of the archive", GET_AGAIN)


def place_within(name: str, wanted: str) -> PurePosixPath | None:
    """Where under the target an entry belongs; None, if it was not asked for."""
    pure = PurePosixPath(name)
    if wanted == EVERYTHING:
        return pure
    if pure == PurePosixPath(wanted):
        return PurePosixPath() if not wanted.endswith("/") else None
    if wanted.endswith("/") and pure.is_relative_to(wanted):
        return pure.relative_to(wanted)
    return None


def write_content(path: Path, content: IO[bytes], place: Path, progress: tqdm) -> None:
    with writing(place):
        place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        raise BrokenFile(path, f"it has {place.name} twice", GET_AGAIN)
    with opened_for_writing(place, "xb") as file:
        while chunk := content.read(CHUNK):
            write_all(file, chunk, place)
            progress.update(len(chunk))
