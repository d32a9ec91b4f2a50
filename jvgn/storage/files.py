"""What all our files have in common: they appear whole or not at all, and a broken one is named.

Writers write through `replacing` or `replacing_folder`, but for downloads and archives, which go on later; what a
stage is to make gets its names together. Every mistake of a user's is raised as `UserError`.
"""

import errno
import glob
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Container, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from jvgn.storage.listening import undisturbed
from parsers.errors import UserError

OF_RUST = re.compile(r"\(os error (\d+)\)")
"""How libraries in Rust name errors of the system: of a full disk, safetensors leaves no other sign."""
TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
UNFINISHED = ".unfinished"
"""In the name of what is not whole yet; downloads and archives that go on later have names of their own."""
NEW, OLD = ".new", ".old"
"""Suffixes of what has none, until it is whole, and of what it replaces, until all others are named."""
OF_SNAKEMAKE = ".snakemake_timestamp"
"""A file that it puts into folders."""
FULL = 1 << 16
"""Bytes: a disk on which fewer are free is full."""

current_group: ContextVar["Group | None"] = ContextVar("current_group", default=None)
"""The files that get their names together, where there are some. It is no argument of every writer's, as none need
know of it."""


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Yields a temporary name beside `path` that takes its place, or waits for its turn to do so in a `Group`, when the
    block ends without an error."""
    path = Path(path)
    temporary = temporary_beside(path)
    try:
        with trouble_named(path):
            yield temporary
            check_is_there(temporary, path)
            share(temporary, 0o666)
            keep(temporary)
            give_name(temporary, path)
    except BaseException:
        remove(temporary)
        raise


@contextmanager
def replacing_folder(path: Path | str) -> Iterator[Path]:
    """Yields a new folder beside `path` that takes its place, as in `replacing`."""
    path = Path(path)
    with trouble_named(path, "give a folder you may write to"):
        path.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(f"{UNFINISHED}{NEW}", f".{path.name}.", path.parent))
    try:
        with trouble_named(path):
            yield new
            share(new, 0o777)
            os.sync()  # as `keep`, for all of its files at once
            give_name(new, path)
    except BaseException:
        remove(new)
        raise


@dataclass(frozen=True)
class Group:
    """Files that get their names when all of them are whole, and all folders that are written meanwhile."""

    paths: Collection[Path]
    """Of the files; others get their names at once."""
    whole: dict[Path, Path] = field(default_factory=dict)
    """Where each of those lies that are whole."""
    afterwards: list[Callable[[], object]] = field(default_factory=list)


@contextmanager
def naming_together(paths: Collection[Path]) -> Iterator[dict[Path, Path]]:
    """None of the files has its name before the block ends without an error; then all have, the last to be whole first.

    Yields where those lie that are whole. It holds for what this thread writes; a block within the block is on its own.
    """
    group = Group(paths)
    token = current_group.set(group)
    try:
        yield group.whole
        with undisturbed():
            name_all(group.whole)
            for act in group.afterwards:
                with suppress(OSError):  # all is done, and what stays does no harm
                    act()
    except FileNotFoundError:
        for path, temporary in group.whole.items():
            check_is_there(temporary, path)
        raise
    finally:
        current_group.reset(token)
        for temporary in group.whole.values():
            remove(temporary)


def call_when_named(act: Callable[[], object]) -> None:
    """Calls `act` when the files that get their names together have them; now, where there are none."""
    if group := current_group.get():
        group.afterwards.append(act)
    else:
        act()


def give_name(temporary: Path, path: Path) -> None:
    """What is whole gets its name: now, or together with others."""
    group = current_group.get()
    if group and (path in group.paths or temporary.is_dir()):
        if path in group.whole:
            remove(group.whole.pop(path))
        group.whole[path] = temporary
    elif temporary.is_dir():
        name_all({path: temporary})
    else:
        rename(temporary, path)


def name_all(whole: dict[Path, Path]) -> None:
    """All have their names, the last to be whole first; where one cannot have its name, all is as it was before."""
    for path, temporary in whole.items():
        check_is_there(temporary, path)
    begun = []
    try:
        for path, temporary in reversed(whole.items()):
            begun.append((path, temporary))
            with trouble_named(path, "give a folder you may write to"):
                set_aside(path, aside(temporary))
            rename(temporary, path)
    except BaseException:
        for path, temporary in reversed(begun):
            take_back(path, temporary)
        raise
    finally:
        for _, temporary in begun:
            remove(aside(temporary))


def aside(temporary: Path) -> Path:
    """Where what has the name lies until all others have theirs."""
    return temporary.with_suffix(NEW if temporary.suffix == OLD else OLD)


def set_aside(path: Path, place: Path) -> None:
    """What has the name, if anything has, lies there as well; what can have one name only, there alone."""
    if path.is_dir():
        path.rename(place)
        return
    with suppress(FileNotFoundError):
        try:
            os.link(path, place, follow_symlinks=False)
        except OSError:  # of a disk without links
            path.rename(place)


def take_back(path: Path, temporary: Path) -> None:
    with suppress(OSError):  # of a disk that has become read-only
        if not temporary.exists():
            path.rename(temporary)
        if os.path.lexists(aside(temporary)):
            aside(temporary).rename(path)


def rename(temporary: Path, path: Path) -> None:
    check_is_there(temporary, path)
    with trouble_named(path, "give a folder you may write to"):
        temporary.replace(path)


def check_is_there(temporary: Path, path: Path) -> None:
    if not temporary.exists():
        raise UserError(f"{path}: another run cleared it away while it was written; wait for its end")


def remove(temporary: Path) -> None:
    with suppress(OSError):  # of a disk that has become read-only
        if temporary.is_dir() and not temporary.is_symlink():
            shutil.rmtree(temporary)
        else:
            temporary.unlink(missing_ok=True)


def share(temporary: Path, mode: int) -> None:
    """Those who may read other files of the user's may read this: temporary ones are private."""
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(mode & ~mask)


@contextmanager
def trouble_named(path: Path, cure: str | None = None) -> Iterator[None]:
    """Trouble with the disk is told as what it is; with a `cure`, so is every error of the system's."""
    try:
        yield
    except Exception as error:
        if reason := trouble_with_the_disk(error, path.parent):
            raise UserError(f"{path}: cannot be written ({reason}); see to the disk, then run it again") from error
        if cure and isinstance(error, OSError):
            raise UserError(f"{path}: cannot be written ({error.strerror}); {cure}") from error
        raise


def keep(path: Path) -> None:
    """The content is on the disk before the name is: a machine that loses its power leaves no empty file behind."""
    with path.open("rb") as file:
        os.fsync(file)


def trouble_with_the_disk(error: Exception, folder: Path) -> str | None:
    """Why nothing can be written, if that is what the error comes from; libraries say so in ways of their own."""
    if isinstance(error, UserError):
        return None
    told = OF_RUST.search(str(error))
    number = error.errno if isinstance(error, OSError) else told and int(told[1])
    if number in TROUBLE:
        return os.strerror(number)
    return os.strerror(errno.ENOSPC) if is_full(folder) else None


def is_full(folder: Path) -> bool:
    return folder.exists() and shutil.disk_usage(folder).free < FULL


def check_may_be_file(path: Path) -> None:
    """Nothing lies there that is no file, and that one would replace."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder, expected a file; give another name")
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: is a device or a pipe, expected a file; give another name")


def check_may_be_replaced(folder: Path, ours: Container[str]) -> None:
    """Nothing lies there but files of ours, by their names: a new folder would replace it."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, expected a folder; give another name")
    for path in sorted(folder.iterdir()) if folder.exists() else []:
        if path.is_dir() or (path.name != OF_SNAKEMAKE and path.name not in ours):
            cure = "give another folder"
            raise UserError(f"{folder}: holds {path.name}, which was not made here and would be lost; {cure}")


def temporary_beside(path: Path) -> Path:
    """A new empty file in the folder of `path`, which is made if need be."""
    check_may_be_file(path)
    with trouble_named(path, "give a folder you may write to"):
        path.parent.mkdir(parents=True, exist_ok=True)
        suffix = f"{UNFINISHED}{path.suffix or NEW}"
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=suffix)
    os.close(handle)
    return Path(name)


def leftovers(path: Path | str) -> Iterator[Path]:
    """What processes that were killed have left beside `path`, of it or of the hidden files about it."""
    path = Path(path)
    for prefix in (f".{path.name}.", f"..{path.name}."):
        yield from path.parent.glob(f"{glob.escape(prefix)}*{UNFINISHED}*")


def sha256(path: Path | str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
