"""Check that files are as they were written, from inputs and by code that have not changed since.

Most files have records (`jvgn.storage.records`); pictures and downloads have only checksums.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tqdm import tqdm

from jvgn.storage.code_slices import ROOT
from jvgn.storage.files import RECORD, sha256
from jvgn.storage.pictures import NAME, recorded_hash, recorded_hashes
from jvgn.storage.records import SAVED_STATE, Origin, read_origin
from parsers.errors import BrokenFile, UserError

Kind = Literal["broken", "missing", "stale", "unknown"]
CHECKSUM = ".sha256"
"""Suffix of the file beside a download that holds its checksum."""


@dataclass(frozen=True)
class Finding:
    """A problem with a file."""

    kind: Kind
    path: Path
    reason: str


def verify(folder: Path) -> Iterator[Finding]:
    """Yield every problem with the files below a folder."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; name one that holds finished runs, such as results")
    unreadable: list[OSError] = []
    paths = sorted(files_below(folder, unreadable.append))
    for error in unreadable:
        yield Finding("broken", Path(str(error.filename)), f"cannot be read ({error.strerror})")
    yield from missing(paths)
    sizes = {path: path.stat().st_size for path in paths if path.is_file() and is_finished(path, folder)}
    with tqdm(total=sum(sizes.values()), unit="B", unit_scale=True, disable=None) as progress:
        for path, size in sizes.items():
            try:
                yield from findings(path, folder)
            except OSError as error:
                yield Finding("broken", path, f"cannot be read ({error.strerror})")
            progress.update(size)


def files_below(folder: Path, on_error: Callable[[OSError], None]) -> Iterator[Path]:
    """Yield all files below a folder. Links to folders are followed, each folder is visited once."""
    visited: set[str] = set()
    for parent, folders, names in os.walk(folder, onerror=on_error, followlinks=True):
        visited.add(os.path.realpath(parent))
        folders[:] = [name for name in folders if os.path.realpath(Path(parent, name)) not in visited]
        yield from (Path(parent, name) for name in names)


def is_finished(path: Path, folder: Path) -> bool:
    """Return whether a file is an output: not hidden, not a checksum, not the saved state of an unfinished stage."""
    within = path.relative_to(folder)
    is_hidden = any(part.startswith(".") for part in within.parts)
    is_checksum = path.suffix == CHECKSUM and path.with_suffix("").is_file()
    return not is_hidden and not is_checksum and not SAVED_STATE.search(within.as_posix())


def missing(paths: list[Path]) -> Iterator[Finding]:
    """Yield files whose record or checksum is there and which are not."""
    for record in paths:
        if record.name == NAME:
            gone = [name for name in recorded_hashes(record.parent) if not (record.parent / name).is_file()]
            reason = f"no such file; delete {record.parent} and run the workflow again"
            yield from (Finding("missing", record.parent / name, reason) for name in sorted(gone))
        elif record.name.startswith(".") and record.name.endswith(RECORD):
            path = record.with_name(record.name.removeprefix(".").removesuffix(RECORD))
            if not path.is_file():
                yield Finding("missing", path, f"no such file; run the workflow again, or delete {record.name} too")


def findings(path: Path, folder: Path) -> Iterator[Finding]:
    try:
        origin = read_origin(path)
        expected = origin.sha256 if origin else recorded_hash(path) or recorded_download(path)
    except BrokenFile as error:
        yield Finding("broken", path, str(error))
        return
    if expected is None:
        # Links lead to the user's own pictures, which must not be reported for deletion.
        if path.resolve().is_relative_to(folder.resolve()):
            yield Finding("unknown", path, "no record says what made it")
    elif sha256(path) != expected:
        yield Finding("broken", path, origin.problem if origin else "changed since it was written")
    elif origin and (reasons := list(staleness(path, origin))):
        yield Finding("stale", path, "; ".join(reasons))


def recorded_download(file: Path) -> str | None:
    """Return the checksum beside a download, if any."""
    checksum = file.with_name(file.name + CHECKSUM)
    return checksum.read_text(encoding="utf8", errors="replace").split(" ")[0] if checksum.is_file() else None


def staleness(path: Path, origin: Origin) -> Iterator[str]:
    """Yield which inputs and code have changed since the file was made."""
    yield from changed_inputs(path, origin)
    changed = [name for name, expected in origin.code.items() if not is_same(ROOT / name, expected)]
    if changed:
        yield f"made by other code ({', '.join(changed)})"


def changed_inputs(path: Path, origin: Origin) -> Iterator[str]:
    """Yield which inputs have changed since the file was made. One that is gone does not count.

    It is quick: the checksum of an input that has a record is read from there.
    """
    for name, expected in origin.inputs.items():
        source = Path(os.path.normpath(path.parent.absolute() / name))
        if source.is_file() and (found := written_hash(source)) is not None and found != expected:
            yield f"made from another {os.path.relpath(source)}"


def written_hash(path: Path) -> str | None:
    """Return the checksum that an input was written with: one that broke later is reported itself."""
    try:
        origin = read_origin(path)
        return origin.sha256 if origin else sha256(path)
    except (BrokenFile, OSError):
        return None


def is_same(code: Path, expected: str) -> bool:
    return code.is_file() and sha256(code) == expected
