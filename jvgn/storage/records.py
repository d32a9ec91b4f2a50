"""Record of what made a file: `.NAME.origin` beside it, a JSON object.

`format`: the version; `stage`: the command that wrote the file; `sha256`, `size` and `modified` (nanoseconds) of the
file as it was written; `inputs`: SHA-256 of each input by its path from the record's folder; `choices`: the other
options of the command; `code`: SHA-256 of each project file behind the command.
"""

import json
import logging
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from jvgn.storage.files import reading, record_of, sha256, write_text
from parsers.errors import BrokenFile

FORMAT = "2"
SAVED_STATE = re.compile(r"(^|/)(training_state\.pt|[^/]+\.state\.pt|[^/]+\.parts/.*|[^/]+\.part(\.json)?)$")
"""Paths of the saved state of an unfinished stage, which checks it when it resumes."""
LARGE = 1 << 30
"""Reading so many bytes takes a while."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Origin:
    """The content of a record: the command, the inputs and the code behind a file."""

    stage: str
    sha256: str
    size: int
    modified: int
    inputs: Mapping[str, str]
    choices: Mapping[str, str]
    code: Mapping[str, str]

    def matches(self, path: Path) -> bool:
        """Return whether the file is as it was written; one with the recorded time and size is not read."""
        found = path.stat()
        if found.st_size != self.size:
            return False
        if found.st_mtime_ns == self.modified:
            return True
        if found.st_size > LARGE:
            log.info("%s: computing its checksum", path)
        return sha256(path) == self.sha256

    @property
    def problem(self) -> str:
        return f"changed since {self.stage} wrote it"


def write_origin(
    path: Path, stage: str, inputs: Mapping[Path, str], choices: Mapping[str, str], code: Mapping[str, str]
) -> None:
    found = path.stat()
    # Relative paths, so that the project can be moved.
    relative = {os.path.relpath(given, path.parent): digest for given, digest in sorted(inputs.items())}
    origin = Origin(stage, sha256(path), found.st_size, found.st_mtime_ns, relative, choices, code)
    write_text(record_of(path), json.dumps({"format": FORMAT, **asdict(origin)}, indent=1) + "\n")


def read_origin(path: Path) -> Origin | None:
    """Return what made the file at `path`, or None without a record."""
    record = record_of(path)
    if not record.is_file():
        return None
    cure = f"delete {path} and run the workflow again"
    with reading(record, "record", cure):
        values = json.loads(record.read_text())
        if values.pop("format") != FORMAT:
            raise BrokenFile(record, "written by another version of JVGN", cure)
        origin = Origin(**values)
        if not all(isinstance(table, dict) for table in (origin.inputs, origin.choices, origin.code)):
            raise TypeError("inputs, choices and code must be objects")
        return origin


def check_unchanged(*paths: Path) -> None:
    """Refuse files that changed since they were written, as far as they have records."""
    for path in paths:
        origin = read_origin(path) if path.is_file() else None
        if origin is not None and not origin.matches(path):
            raise BrokenFile(path, origin.problem)
