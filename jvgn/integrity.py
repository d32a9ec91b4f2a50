"""Whether files are what they were when they were written, by the records beside them (`parsers.origin`).

Pictures and downloads have no more than their hashes (`parsers.hashes`, `jvgn.sources.verification`)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tqdm import tqdm

from jvgn.run_folder import as_seen
from jvgn.sources.verification import recorded
from parsers.code import ROOT
from parsers.files import BrokenFile, UserError, sha256
from parsers.hashes import told_hash
from parsers.origin import Origin, read_origin

Kind = Literal["broken", "stale", "unknown"]
UNFINISHED = re.compile(r"(^|/)(training_state\.pt|[^/]+\.state\.pt|[^/]+\.parts/.*|[^/]+\.part(\.json)?)$")
"""What a stage that has not ended keeps for itself; it checks these files when it goes on."""
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
    files = [path for path in sorted(folder.rglob("*")) if is_finished(path, folder)]
    hashes: dict[Path, str | None] = {}
    sizes = {path: path.stat().st_size for path in files if path.is_file()}
    with tqdm(total=sum(sizes.values()), unit="B", unit_scale=True, disable=None) as progress:
        for path in sizes:
            try:
                yield from findings(path, hashes)
            except OSError as error:
                yield Finding("broken", path, f"cannot be read ({error.strerror})")
            progress.update(sizes[path])


def is_finished(path: Path, folder: Path) -> bool:
    within = path.relative_to(folder)
    is_hidden = any(part.startswith(".") for part in within.parts)
    is_hash = path.suffix == HASH and path.with_suffix("").is_file()
    return path.is_file() and not is_hidden and not is_hash and not UNFINISHED.search(within.as_posix())


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
        found = written(path.parent / name, hashes)
        if found is not None and found != digest:
            yield f"made from another {as_seen((path.parent / name).resolve())}"
    changed = [name for name, digest in origin.code.items() if hash_of(ROOT / name, hashes) != digest]
    if changed:
        yield f"made by other code ({', '.join(changed)})"


def written(path: Path, hashes: dict[Path, str | None]) -> str | None:
    """The hash that an input was written with. One that broke later is named itself, not all that it went into."""
    try:
        origin = read_origin(path)
    except BrokenFile:
        return None
    return origin.sha256 if origin and path.is_file() else hash_of(path, hashes)


def hash_of(path: Path, hashes: dict[Path, str | None]) -> str | None:
    path = path.resolve()
    if path not in hashes:
        hashes[path] = sha256(path) if path.is_file() else None
    return hashes[path]
