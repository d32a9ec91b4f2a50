"""Whether files are what they were when they were written, by the records beside them (`jvgn.storage.records`).

Pictures and downloads have no more than their hashes (`jvgn.storage.picture_hashes`, `jvgn.downloads.verification`)."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tqdm import tqdm

from jvgn.downloads.verification import recorded
from jvgn.grounding.run_folder import as_seen
from jvgn.storage.code import ROOT
from jvgn.storage.files import sha256
from jvgn.storage.picture_hashes import NAME, told_by, told_hash
from jvgn.storage.records import SUFFIX, TO_GO_ON_FROM, Origin, read_origin
from parsers.errors import BrokenFile, UserError

Kind = Literal["broken", "missing", "stale", "unknown"]
GONE = "there is no such file; delete the whole folder, and the workflow makes it again"
HASH = ".sha256"
"""Beside a download, its hash."""


@dataclass(frozen=True)
class Finding:
    kind: Kind
    path: Path
    reason: str


def verify(folder: Path) -> Iterator[Finding]:
    """All that is wrong with the files below a folder."""
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder; name that of finished runs, such as results")
    unreadable: list[OSError] = []
    paths = sorted(paths_below(folder, unreadable.append))
    for error in unreadable:
        yield Finding("unknown", Path(error.filename), f"cannot be read ({error.strerror})")
    yield from missing(paths, folder)
    hashes: dict[Path, str | None] = {}
    sizes = {path: path.stat().st_size for path in paths if path.is_file() and is_finished(path, folder)}
    with tqdm(total=sum(sizes.values()), unit="B", unit_scale=True, disable=None) as progress:
        for path in sizes:
            try:
                yield from (one for one in findings(path, hashes) if one.kind != "unknown" or is_own(path, folder))
            except OSError as error:
                yield Finding("broken", path, f"cannot be read ({error.strerror})")
            progress.update(sizes[path])


def paths_below(folder: Path, tell: Callable[[OSError], None]) -> Iterator[Path]:
    """Of all that is no folder; also in folders elsewhere that are linked to. `tell` hears of those it cannot read."""
    seen: set[Path] = set()
    for parent, names, others in os.walk(folder, onerror=tell, followlinks=True):
        seen.add(Path(parent).resolve())
        names[:] = [name for name in names if leads_on(Path(parent, name), folder, seen)]
        yield from (Path(parent, name) for name in others)


def leads_on(path: Path, folder: Path, seen: set[Path]) -> bool:
    """Whether the files in it are not met elsewhere: links may lead back, or to one place."""
    if not path.is_symlink():
        return True
    target = path.resolve()
    is_new = target not in seen and not target.is_relative_to(folder.resolve())
    seen.add(target)
    return is_new


def is_own(path: Path, folder: Path) -> bool:
    """Whether the file lies in the folder itself: what a link leads to, photographs for instance, may be the user's."""
    return path.parent.resolve().is_relative_to(folder.resolve())


def is_finished(path: Path, folder: Path) -> bool:
    """By its name, whether a stage has written it, and is done with it."""
    within = path.relative_to(folder)
    is_hidden = any(part.startswith(".") for part in within.parts)
    is_hash = path.suffix == HASH and path.with_suffix("").is_file()
    return not is_hidden and not is_hash and not TO_GO_ON_FROM.search(within.as_posix())


def missing(paths: Sequence[Path], folder: Path) -> Iterator[Finding]:
    """Files of which only the records are there, and pictures of which only the hashes are."""
    for record in paths:
        if record.name == NAME:
            gone = [name for name in told_by(record.parent) if not (record.parent / name).is_file()]
            yield from (Finding("missing", record.parent / name, GONE) for name in sorted(gone))
        path = record.with_name(record.name.removesuffix(SUFFIX).removeprefix("."))
        is_record = record.name.startswith(".") and record.name.endswith(SUFFIX)
        if is_record and not path.is_file() and is_finished(path, folder):
            cure = f"the workflow makes it again, unless it is not wanted: then delete {record.name} too"
            yield Finding("missing", path, f"there is no such file; {cure}")


def findings(path: Path, hashes: dict[Path, str | None]) -> Iterator[Finding]:
    """What is wrong with one file. `hashes` keeps those that were computed: files are inputs of several others."""
    try:
        origin = read_origin(path)
    except BrokenFile as error:
        yield Finding("broken", path, str(error))
        return
    if origin is None:
        yield from findings_without_record(path, hashes)
    elif hash_of(path, hashes) != origin.sha256:
        yield Finding("broken", path, origin.denial)
    else:
        reasons = list(staleness(path, origin, hashes))
        if reasons:
            yield Finding("stale", path, "; ".join(reasons))


def findings_without_record(path: Path, hashes: dict[Path, str | None]) -> Iterator[Finding]:
    """Of pictures and downloads, at least the hash is told. Pictures are made anew by the folder."""
    picture = told_hash(path)
    try:
        told = picture or recorded(path)
    except BrokenFile as error:
        yield Finding("broken", path, str(error))
        return
    if told is None:
        yield Finding("unknown", path, "nothing says what made it")
    elif hash_of(path, hashes) != told:
        yield Finding("broken", path, f"not as it was written{f'; delete all of {path.parent}' if picture else ''}")


def staleness(path: Path, origin: Origin, hashes: dict[Path, str | None]) -> Iterator[str]:
    """What is no longer as it was when the file was made. An input that is gone says nothing."""
    for name, digest in origin.inputs.items():
        # As it was written down: the folder may be a link, and ".." lead elsewhere from where that leads.
        source = Path(os.path.normpath(path.parent.absolute() / name))
        found = written(source, hashes)
        if found is not None and found != digest:
            yield f"made from another {as_seen(source)}"
    changed = [name for name, digest in origin.code.items() if hash_of(ROOT / name, hashes) != digest]
    if changed:
        yield f"made by other code ({', '.join(changed)})"


def written(path: Path, hashes: dict[Path, str | None]) -> str | None:
    """The hash that an input was written with; None if nobody can tell.

    One that broke later, or cannot be read, is named itself, not all that it went into.
    """
    try:
        origin = read_origin(path)
        return origin.sha256 if origin and path.is_file() else hash_of(path, hashes)
    except (BrokenFile, OSError):
        return None


def hash_of(path: Path, hashes: dict[Path, str | None]) -> str | None:
    path = path.resolve()
    if path not in hashes:
        hashes[path] = sha256(path) if path.is_file() else None
    return hashes[path]
