"""Atomic files and folders: they appear whole or not at all.

Writers write through `replacing` or `replacing_folder`; downloads and archives, which resume, keep their own partial
files.
"""

import errno
import glob
import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

from parsers.errors import BrokenFile, UserError

UNFINISHED = ".unfinished"
"""Part of the name of every temporary file."""
RECORD = ".origin"
"""Suffix of the record beside a file; see `jvgn.storage.records`."""
SNAKEMAKE_TIMESTAMP = ".snakemake_timestamp"
"""Snakemake puts a file of this name into output folders."""
DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS)
PATH_ERRORS = (errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG)
RUST_ERROR = re.compile(r"\(os error (\d+)\)")
"""safetensors, written in Rust, reports a full disk only in its message."""
RUN_AGAIN = "delete it and run the workflow again"
FULL = 1 << 16
"""A disk with fewer free bytes is full."""

actions_on_success: ContextVar[list[Callable[[], object]] | None] = ContextVar("actions_on_success", default=None)


@contextmanager
def replacing(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path in the same folder; rename it to `path` if the block succeeds, else remove it."""
    path = Path(path)
    temporary = temporary_beside(path)
    try:
        with disk_errors_named(path):
            yield temporary
            flush(temporary)
            # A new file must never stand beside the record of an old one.
            record_of(path).unlink(missing_ok=True)
            temporary.replace(path)
    except BaseException:
        remove(temporary)
        raise


def write_text(path: Path | str, text: str) -> None:
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf8")


@contextmanager
def replacing_folder(path: Path | str) -> Iterator[Path]:
    """Yield a new folder in the same parent; it takes the place of `path` if the block succeeds."""
    path = Path(path)
    temporary = temporary_name(path)
    with disk_errors_named(path):
        temporary.mkdir(parents=True)
    try:
        with disk_errors_named(path):
            yield temporary
            put_in_place(temporary, path)
    except BaseException:
        remove(temporary)
        raise


def put_in_place(new: Path, path: Path) -> None:
    """Rename a folder to `path`, in the place of an older one or of a link to one."""
    old = temporary_name(path)
    if path.exists() or path.is_symlink():
        path.rename(old)
    try:
        new.rename(path)
    except OSError:
        if old.exists():
            old.rename(path)
        raise
    remove(old)


@contextmanager
def reading(path: Path | str, kind: str, cure: str = RUN_AGAIN) -> Iterator[None]:
    """Turn any exception of a library about the file at `path` into a `BrokenFile` that names it."""
    try:
        yield
    except UserError:
        raise
    except MemoryError as error:
        raise BrokenFile(path, f"too large for the memory as a {kind}, or damaged", cure) from error
    except FileNotFoundError as error:
        made = ", or make it with the workflow" if cure == RUN_AGAIN else ""
        raise UserError(f"{path}: no such file; check the path{made}") from error
    except OSError as error:
        raise BrokenFile(path, f"cannot be read ({error.strerror or first_line(error)})", cure) from error
    except Exception as error:
        raise BrokenFile(path, f"not a readable {kind} ({first_line(error)})", cure) from error


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def on_success(action: Callable[[], object]) -> None:
    """Call `action` once the running command has written all its outputs and records; now if no command runs."""
    actions = actions_on_success.get()
    if actions is None:
        action()
    else:
        actions.append(action)


def record_of(path: Path) -> Path:
    """Return the path of the record of what made a file."""
    return path.with_name(f".{path.name}{RECORD}")


def temporary_beside(path: Path) -> Path:
    """Create an empty file in the folder of `path`, which is created if missing."""
    with disk_errors_named(path):
        check_may_be_file(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_name(path)
        temporary.touch(exist_ok=False)
    return temporary


def temporary_name(path: Path) -> Path:
    """Return a free hidden name beside `path`, with the same suffix: some libraries choose the format by it."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{UNFINISHED}{path.suffix}")


def flush(path: Path) -> None:
    """Force the content to disk before the rename, so that a power failure leaves no empty file."""
    with path.open("rb") as file:
        os.fsync(file)


def remove(path: Path) -> None:
    with suppress(OSError):  # the disk may have become read-only
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


@contextmanager
def disk_errors_named(path: Path) -> Iterator[None]:
    """Report a full, read-only or forbidden disk as one line that names `path`."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        if is_about_input(error, path):
            raise
        if reason := disk_problem(error, path.parent):
            raise UserError(f"{path}: cannot be written ({reason}); check the disk and run it again") from error
        if isinstance(error, OSError) and error.errno in PATH_ERRORS:
            raise UserError(f"{path}: cannot be written ({error.strerror}); choose another path") from error
        raise


def is_about_input(error: Exception, path: Path) -> bool:
    """Return whether an error names a file that is not `path`, its temporary file or a folder of it."""
    if not isinstance(error, OSError) or not isinstance(error.filename, str | bytes):
        return False
    named = Path(os.fsdecode(error.filename)).absolute()
    return named.parent != path.parent.absolute() and named not in path.absolute().parents


def disk_problem(error: Exception, folder: Path) -> str | None:
    """Return why nothing can be written, if the disk is the cause of `error`."""
    rust = RUST_ERROR.search(str(error))
    number = error.errno if isinstance(error, OSError) else rust and int(rust[1])
    if number in DISK_ERRORS:
        return os.strerror(number)
    return os.strerror(errno.ENOSPC) if is_full(folder) else None


def is_full(folder: Path) -> bool:
    return folder.exists() and shutil.disk_usage(folder).free < FULL


def check_may_be_file(path: Path) -> None:
    """Refuse to replace a folder, a device or a pipe with a file."""
    if path.is_dir():
        raise UserError(f"{path}: is a folder, expected a file; choose another name")
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: is a device or a pipe, expected a file; choose another name")


def check_may_be_replaced(folder: Path, ours: Container[str]) -> None:
    """Refuse to replace a folder that holds files we did not write."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, expected a folder; choose another name")
    for path in sorted(folder.iterdir()) if folder.exists() else []:
        if path.is_dir() or (path.name != SNAKEMAKE_TIMESTAMP and path.name not in ours):
            raise UserError(f"{folder}: holds {path.name}, which JVGN did not write; choose another folder")


def leftovers(path: Path | str) -> Iterator[Path]:
    """Find temporary files and folders of `path` and of its record that killed processes left."""
    path = Path(path)
    for name in (path.name, record_of(path).name):
        yield from path.parent.glob(f"{glob.escape(f'.{name}.')}*{UNFINISHED}*")


def sha256(path: Path | str) -> str:
    """Return the SHA-256 of a file. Within a process, an unchanged file is read once."""
    path = Path(path).resolve()
    status = path.stat()
    return digest(path, status.st_size, status.st_mtime_ns, status.st_ino)


@cache
def digest(path: Path, size: int, modified: int, inode: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_counts(values: Any, names: Iterable[str]) -> None:
    """Raise an exception unless each named value is a number of at least 0. Call it within `reading`."""
    for name in names:
        if type(values[name]) not in (int, float):
            raise TypeError(f"{name} is not a number")
        if not 0 <= float(values[name]) < float("inf"):
            raise ValueError(f"{name} is out of range")
