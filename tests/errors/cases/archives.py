"""Archives that cannot be read, or that nobody should unpack."""

import io
import json
import stat
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

from tests.errors.case import Bench, Case

GET_AGAIN = "get the archive again from a source you trust"
UNREADABLE = f"…: not a readable archive (…); {GET_AGAIN}"
NOT_A_FILE = f"…: … is a …, expected plain files; {GET_AGAIN}"
TWICE = f"…: it has … twice; {GET_AGAIN}"

Arrange = Callable[[Bench], list[Any]]


def unpacked(archive: Callable[[], bytes], member: str = "data/") -> Arrange:
    """Takes `member` out of an archive whose hash is the expected one."""

    def arrange(bench: Bench) -> list[Any]:
        from jvgn.storage.files import sha256

        file = bench.write("resources/archive", archive())
        source = {
            "file": "resources/archive",
            "mirrors": ["file:archive"],
            "sha256": sha256(file),
            "provides": {"resources/data": member},
        }
        return ["provide", "--source", json.dumps(source), "resources/data"]

    return arrange


def zipped(*names: str, kind: int = stat.S_IFREG, method: int = zipfile.ZIP_STORED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = (kind | 0o644) << 16, method
            archive.writestr(entry, name.encode() * 100)
    return content.getvalue()


def tarred(name: str, kind: bytes = tarfile.REGTYPE) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        entry = tarfile.TarInfo(name)
        entry.type, entry.linkname = kind, "/etc/passwd"
        archive.addfile(entry)
    return content.getvalue()


def damaged(archive: bytes) -> bytes:
    """With other bytes in the middle of its first content."""
    place = archive.index(b"data/a") + 30
    return archive[:place] + bytes(20) + archive[place + 20 :]


def of_too_many(bench: Bench) -> list[Any]:
    bench.patch.setattr("jvgn.downloads.unpacking.MOST_FILES", 2)
    return unpacked(lambda: zipped("data/a", "data/b", "data/c"))(bench)


def bomb(bench: Bench) -> list[Any]:
    bench.patch.setattr("jvgn.storage.bounded.AT_LEAST", 10)
    bench.patch.setattr("jvgn.storage.bounded.RATIO", 1)
    return unpacked(lambda: zipped("data/a" * 100, method=zipfile.ZIP_DEFLATED), "./")(bench)


CASES = [
    Case(UNREADABLE, unpacked(lambda: b"no archive")),
    Case(UNREADABLE, unpacked(lambda: tarred("data/a")[:40])),
    Case(UNREADABLE, unpacked(lambda: damaged(zipped("data/a", method=zipfile.ZIP_DEFLATED)))),
    Case(UNREADABLE, unpacked(lambda: damaged(zipped("data/a", method=zipfile.ZIP_LZMA)))),
    Case(
        f"…: refused: it has the name …, which is outside of the archive; {GET_AGAIN}",
        unpacked(lambda: zipped("data/a", "../trap")),
    ),
    Case(
        f"…: … has control characters in its name; {GET_AGAIN}",
        unpacked(lambda: zipped("data/a", "data/b\n")),
    ),
    Case(f"…: it has more than … entries; {GET_AGAIN}", of_too_many),
    Case(NOT_A_FILE, unpacked(lambda: zipped("data/link", kind=stat.S_IFLNK))),
    Case(NOT_A_FILE, unpacked(lambda: tarred("data/link", kind=tarfile.SYMTYPE))),
    Case(TWICE, unpacked(lambda: zipped("data/a", "data/./a"))),
    Case(f"…: it unpacks to far more than an honest archive would; {GET_AGAIN}", bomb),
    Case(
        "…: it has no …; get another archive, or mend `provides` of its source",
        unpacked(lambda: zipped("other/a"), "data/a"),
    ),
]
