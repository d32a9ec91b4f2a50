"""What made a file, in a record beside it: `.NAME.origin`, a line with the SHA-256 of the rest and a JSON object.

`format`: the version; `stage`: the command that wrote the file; `sha256`, `size` and `modified` (nanoseconds) of the
file as it was written; `inputs`: the files it was made from, each by its path from the record's folder, with its
SHA-256; `choices`: what else the command was told; `code`: the project's files behind the command, with theirs.
"""

import errno
import hashlib
import json
import logging
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from jvgn.storage.files import replacing, sha256
from parsers.errors import BrokenFile

FORMAT = "1"
SUFFIX = ".origin"
TO_GO_ON_FROM = re.compile(r"(^|/)(training_state\.pt|[^/]+\.state\.pt|[^/]+\.parts/.*|[^/]+\.part(\.json)?)$")
"""Paths of what a stage that has not ended keeps for itself; it checks these files when it goes on."""
LARGE = 1 << 30
"""Bytes that take some time to read."""
NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
"""Of a file whose name is as long as the system has it, there can be no record: its name is longer."""
DAMAGE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of a record that has its seal, but does not hold what a record holds."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Origin:
    stage: str
    sha256: str
    size: int
    modified: int
    inputs: Mapping[str, str]
    choices: Mapping[str, str]
    code: Mapping[str, str]

    def is_of(self, path: Path) -> bool:
        """Whether the file is as it was written. One that nobody touched since is not read."""
        found = path.stat()
        if found.st_size != self.size:
            return False
        if found.st_mtime_ns == self.modified:
            return True
        if found.st_size > LARGE:
            log.info("%s: reading it all, to see whether it is as it was written", path)
        return sha256(path) == self.sha256

    @property
    def denial(self) -> str:
        """What is said of a file that is not as it was written."""
        return f"not as it was written by {self.stage}"


def record_of(path: Path) -> Path:
    return path.with_name(f".{path.name}{SUFFIX}")


def write_origin(
    path: Path,
    stage: str,
    inputs: Mapping[Path, str],
    choices: Mapping[str, str],
    code: Mapping[str, str],
    content: Path | None = None,
) -> None:
    """The record of the file at `path`, which still lies at `content` if that is given, says that this made it."""
    content = content or path
    found = content.stat()
    # From its own folder, so that it holds wherever the project lies.
    named = {os.path.relpath(given, path.parent): digest for given, digest in sorted(inputs.items())}
    origin = Origin(stage, sha256(content), found.st_size, found.st_mtime_ns, named, choices, code)
    text = json.dumps({"format": FORMAT, **asdict(origin)}, indent=1).encode() + b"\n"
    with replacing(record_of(path)) as temporary:
        temporary.write_bytes(seal(text) + b"\n" + text)


def read_origin(path: Path) -> Origin | None:
    """What made the file at `path`; None, if nothing says so."""
    record = record_of(path)
    try:
        told, _, content = record.read_bytes().partition(b"\n")
    except OSError as error:
        if error.errno in NOT_THERE:
            return None
        raise BrokenFile(record, f"cannot be read ({error.strerror})") from error
    again = f"delete {path} and run the workflow again"
    try:
        if told != seal(content):
            raise ValueError("another seal")
        values = json.loads(content)  # names of files may be no text, which `parsed_json` would refuse
        if values.pop("format") != FORMAT:
            raise BrokenFile(record, "a record of another version of JVGN", again)
        return checked(Origin(**values))
    except DAMAGE as error:
        raise BrokenFile(record, "a damaged record of what made the file", again) from error


def checked(origin: Origin) -> Origin:
    """One whose values are of their kinds, and whose names can be those of files."""
    texts: list[Any] = [origin.stage, origin.sha256]
    for table in (origin.inputs, origin.choices, origin.code):
        texts += table.values()
    if {type(text) for text in texts} != {str} or {type(origin.size), type(origin.modified)} != {int}:
        raise TypeError("a value of another kind")
    if any(b"\0" in name.encode("utf8", "surrogateescape") for name in (*origin.inputs, *origin.code)):
        raise ValueError("a name that no file has")
    return origin


def check_unchanged(*paths: Path) -> None:
    """The files are as they were written, as far as they have records. Those that nobody touched since are not read."""
    for path in paths:
        origin = read_origin(path) if path.is_file() else None
        if origin is not None and not origin.is_of(path):
            raise BrokenFile(path, origin.denial)


def seal(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()
