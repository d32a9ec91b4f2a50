"""Contents of a project, to compare two: all finished files, without the seconds that they record."""

import csv
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from jvgn.storage import files
from jvgn.storage.pictures import NAME
from jvgn.storage.records import SAVED_STATE

MADE = ("results", "resources")

HIDDEN = (".origin", ".snakemake_timestamp", NAME)
"""Suffixes of hidden files that belong to finished ones."""


def files_of(folder: Path) -> Iterator[str]:
    """Yield all files that rules make, hidden ones too, relative to the folder."""
    for made in MADE:
        for path in sorted(files_in(folder / made)):
            yield path.relative_to(folder).as_posix()


def files_in(folder: Path) -> Iterator[Path]:
    """Yield all files below a folder, also while files and folders are made and removed."""
    for place, _, names in os.walk(folder):
        yield from (path for name in names if (path := Path(place, name)).is_file())


def is_finished(path: str) -> bool:
    """Return whether a file has its final name."""
    return not any(part.startswith(".") for part in Path(path).parts) and not SAVED_STATE.search(path)


def is_left_over(path: str) -> bool:
    """Return whether a file should not be left by a finished workflow: a temporary file, or saved state."""
    return not is_finished(path) and (not path.endswith(HIDDEN) or files.UNFINISHED in path)


def contents(folder: Path) -> dict[str, str]:
    """Return the hash of every finished file, without the seconds that it records."""
    found = {}
    for path in files_of(folder):
        with suppress(FileNotFoundError):  # it was replaced or removed meanwhile
            if is_finished(path):
                found[path] = digest(folder / path)
    return found


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it."""
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def digest(path: Path) -> str:
    """Return the hash of a file without its seconds, or of its bytes if it is damaged."""
    content = path.read_bytes()
    timeless = TIMELESS.get(path.name)
    with suppress(ValueError, KeyError, OSError, pa.ArrowException):
        content = timeless(content) if timeless else content
    return hashlib.sha256(content).hexdigest()


def without_seconds(table: bytes) -> bytes:
    rows = pq.read_table(pa.BufferReader(table))
    return repr(rows.drop_columns(["seconds"]).to_pydict()).encode()


def without_seconds_json(text: bytes) -> bytes:
    values: dict[str, object] = json.loads(text)
    return json.dumps({key: value for key, value in values.items() if key != "seconds"}).encode()


def without_seconds_csv(text: bytes) -> bytes:
    rows = csv.DictReader(text.decode().splitlines())
    return json.dumps([{key: value for key, value in row.items() if key != "seconds"} for row in rows]).encode()


TIMELESS: Mapping[str, Callable[[bytes], bytes]] = {
    "history.parquet": without_seconds,
    "coverage.json": without_seconds_json,
    "learning.csv": without_seconds_csv,
}
