"""What a project's folder holds, so that two can be compared: all files but for what is a matter of time."""

import csv
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from jvgn.storage import files
from jvgn.storage.picture_hashes import NAME
from jvgn.storage.records import SAVED_STATE

MADE = ("results", "resources")

HIDDEN = (".origin", ".snakemake_timestamp", NAME)
"""What lies hidden beside finished files, or in finished folders."""


def files_of(folder: Path) -> Iterator[str]:
    """All files that rules make, hidden ones included, by their paths from the folder."""
    for made in MADE:
        for path in sorted(files_in(folder / made)):
            yield path.relative_to(folder).as_posix()


def files_in(folder: Path) -> Iterator[Path]:
    """All files in a folder and below, also while others come and go, and folders with them."""
    for place, _, names in os.walk(folder):
        yield from (path for name in names if (path := Path(place, name)).is_file())


def is_finished(path: str) -> bool:
    """Whether it has a final name."""
    return not any(part.startswith(".") for part in Path(path).parts) and not SAVED_STATE.search(path)


def is_left_over(path: str) -> bool:
    """Whether it is something that no finished workflow has: a temporary file, or the state of what has not ended."""
    return not is_finished(path) and (not path.endswith(HIDDEN) or files.UNFINISHED in path)


def contents(folder: Path) -> dict[str, str]:
    """The hash of every file with a final name, whatever seconds it tells."""
    found = {}
    for path in files_of(folder):
        with suppress(FileNotFoundError):  # it was replaced meanwhile, or removed
            if is_finished(path):
                found[path] = digest(folder / path)
    return found


def digest(path: Path) -> str:
    """A file that cannot be read as what it is has the hash of its bytes."""
    content = path.read_bytes()
    timeless = TIMELESS.get(path.name)
    with suppress(ValueError, KeyError, pa.ArrowException):
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
