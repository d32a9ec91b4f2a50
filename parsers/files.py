"""What all our files have in common: they appear whole or not at all, and a broken one is named.

Writers write through `replacing` or `replacing_folder`, but for downloads and archives, which go on later; those of one
command get their names together. Every mistake of a user's is raised as `UserError`.
"""

import errno
import glob
import hashlib
import json
import os
import re
import reprlib
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unicodedata import category

LONGEST_MESSAGE = 2000
JOINERS = "\u200c\u200d"
"""Without them, Persian, Hindi and pictures of families fall apart."""
MOST_COUNTED = 2**53
"""Beyond, a float does not tell a number from the next."""
HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""One half of what UTF-16 has as two, which JSON may have alone and UTF-8 does not."""

OF_RUST = re.compile(r"\(os error (\d+)\)")
"""How libraries in Rust name errors of the system: of a full disk, safetensors leaves no other sign."""
TROUBLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
UNFINISHED = ".unfinished"
"""In the name of what is not whole yet; downloads and archives that go on later have names of their own."""
FULL = 1 << 16
"""Bytes: a disk on which fewer are free is full."""

current_group: ContextVar["Group | None"] = ContextVar("current_group", default=None)
"""The files that get their names together, where there are some: no writer needs to know of them."""


class UserError(Exception):
    """Something the user can mend: commands print it as one line and exit with code 1."""


class BrokenFile(UserError):
    """A file that cannot be what its name says."""

    def __init__(self, path: Path | str, problem: str, cure: str = "delete it and run the workflow again") -> None:
        super().__init__(f"{path}: {problem}; {cure}")

    def __reduce__(self) -> tuple[type[UserError], tuple[str]]:
        """It crosses to another process as its message: its parts are not kept, and without them it could not."""
        return UserError, (str(self),)


class Killed(UserError):
    """Of several processes at work, one has come to an end from outside."""

    def __str__(self) -> str:
        return "a process was killed in its work, mostly because memory ran out; run it again, with fewer --threads"


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Yields a temporary name beside `path` that takes its place when the block ends without an error."""
    path = Path(path)
    temporary = temporary_beside(path)
    try:
        with trouble_named(path):
            yield temporary
            check_is_there(temporary, path)
            mask = os.umask(0)
            os.umask(mask)
            temporary.chmod(0o666 & ~mask)  # mkstemp's are private; results are shared with colleagues
            keep(temporary)
            give_name(temporary, path)
    except BaseException:
        remove(temporary)
        raise


@dataclass(frozen=True)
class Group:
    """Files that get their names when all of them are whole."""

    paths: Collection[Path]
    whole: dict[Path, Path] = field(default_factory=dict)
    """Where each of those lies that are whole."""
    afterwards: list[Callable[[], object]] = field(default_factory=list)


@contextmanager
def naming_together(paths: Collection[Path]) -> Iterator[dict[Path, Path]]:
    """None of the files has its name before the block ends without an error; the last to be whole has it first.

    Yields where those lie that are whole. It holds for what this thread writes; a block within the block is on its own.
    """
    group = Group(paths)
    token = current_group.set(group)
    try:
        yield group.whole
        for path, temporary in reversed(group.whole.items()):
            rename(temporary, path)
    except FileNotFoundError:
        for path, temporary in group.whole.items():
            check_is_there(temporary, path)
        raise
    finally:
        current_group.reset(token)
        for temporary in group.whole.values():
            remove(temporary)
    for act in group.afterwards:
        with suppress(OSError):  # all is done, and what stays does no harm
            act()


def call_when_named(act: Callable[[], object]) -> None:
    """Calls `act` when the files that get their names together have them; now, where there are none."""
    if group := current_group.get():
        group.afterwards.append(act)
    else:
        act()


def give_name(temporary: Path, path: Path) -> None:
    """What is whole gets its name: now, or together with others."""
    group = current_group.get()
    if group is None or path not in group.paths:
        rename(temporary, path)
        return
    if path in group.whole:
        remove(group.whole[path])
    group.whole[path] = temporary


def rename(temporary: Path, path: Path) -> None:
    check_is_there(temporary, path)
    with trouble_named(path, "give a folder you may write to"):
        temporary.replace(path)


def check_is_there(temporary: Path, path: Path) -> None:
    if not temporary.exists():
        raise UserError(f"{path}: another run cleared it away while it was written; wait for its end")


def remove(temporary: Path) -> None:
    with suppress(OSError):  # of a disk that has become read-only
        temporary.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: Path | str) -> Iterator[Path]:
    """Yields a new folder beside `path` that takes its place when the block ends without an error."""
    path = Path(path)
    with trouble_named(path, "give a folder you may write to"):
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = tempfile.TemporaryDirectory(UNFINISHED, f".{path.name}.", path.parent, ignore_cleanup_errors=True)
    with beside as name, trouble_named(path):
        new, old = Path(name, "new"), Path(name, "old")
        new.mkdir()
        yield new
        os.sync()  # as `keep`, for all of its files at once
        with trouble_named(path, "give a folder you may write to"):
            exchange(path, new, old)


def exchange(path: Path, new: Path, old: Path) -> None:
    """`new` is called `path`, and what was called so is `old`; if that fails, all is as before."""
    try:
        if path.exists():
            path.rename(old)
        new.rename(path)
    except BaseException:
        if old.exists():
            old.rename(path)
        raise


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
    told = OF_RUST.search(str(error))
    number = error.errno if isinstance(error, OSError) else told and int(told[1])
    if number in TROUBLE:
        return os.strerror(number)
    if not isinstance(error, UserError) and is_full(folder):
        return os.strerror(errno.ENOSPC)
    return None


def is_full(folder: Path) -> bool:
    return folder.exists() and shutil.disk_usage(folder).free < FULL


def check_may_be_file(path: Path) -> None:
    """Nothing lies there that is no file, and that one would replace."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder, expected a file; give another name")
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: is a device or a pipe, expected a file; give another name")


def temporary_beside(path: Path) -> Path:
    """A new empty file in the folder of `path`, which is made if need be."""
    check_may_be_file(path)
    with trouble_named(path, "give a folder you may write to"):
        path.parent.mkdir(parents=True, exist_ok=True)
        suffix = f"{UNFINISHED}{path.suffix}"
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


def parsed_json(text: str | bytes) -> Any:
    """The value of a text in JSON; whatever keeps it from being one is a ValueError."""
    text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    try:
        value = json.loads(text)
        if HALF_A_CHARACTER.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf8")
    except RecursionError as error:
        raise ValueError("brackets are nested too deeply") from error
    return value


def check_counts(values: Any, names: Iterable[str]) -> None:
    """The values of these names are there and can be counted with; a LookupError, TypeError or ValueError otherwise."""
    for name in names:
        if type(values[name]) not in (int, float):
            raise TypeError(f"{name} is no number")
        if not 0 <= values[name] < MOST_COUNTED:
            raise ValueError(f"{name} is out of its range")


def printable(text: str) -> str:
    """A text as a terminal can show it: signs that it would act on, or that are none, are written as escapes."""
    return "".join(sign if is_harmless(sign) else ascii(sign)[1:-1] for sign in text)


def is_harmless(sign: str) -> bool:
    return sign.isprintable() or sign in JOINERS or category(sign) == "Zs"


def one_line(message: str) -> str:
    """A message as a terminal can show it, without line breaks and with an end to it."""
    line = printable(" ".join(message.split()))
    if len(line) <= LONGEST_MESSAGE:
        return line
    return f"{line[: LONGEST_MESSAGE // 2]} … {line[-LONGEST_MESSAGE // 2 :]}"


def shortened(value: object) -> str:
    """A value in a message, however much it is."""
    try:
        return reprlib.repr(value)
    except ValueError:  # Python writes no number of thousands of digits
        return f"a {type(value).__name__} that is too long to write"
