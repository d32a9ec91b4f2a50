"""How commands report mistakes: one line on standard error, exit code 1, no traceback."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from jvgn.cli.log import full_disk_named
from jvgn.storage.processes import deaths_named
from jvgn.storage.shown_text import one_line
from jvgn.storage.stopping import stoppable
from parsers.errors import UserError

BARRED = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.ELOOP)
"""Why the system does not let anyone have what a path names, or look whether it is there."""


class Commands(click.Group):
    """Shows a user's mistake as one line, exit code 1, without a traceback."""

    def main(self, *arguments: Any, **more: Any) -> Any:
        with mistakes_shown(), full_disk_named():  # also of what is printed about the commands
            return super().main(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with mistakes_shown(), stoppable(), deaths_named(), full_disk_named(), barriers_named():
            return super().invoke(ctx)


@contextmanager
def mistakes_shown() -> Iterator[None]:
    try:
        yield
    except UserError as error:
        click.echo(f"Error: {one_line(str(error))}", err=True)
        sys.exit(1)


@contextmanager
def barriers_named() -> Iterator[None]:
    """A path that cannot be used is told of as such, wherever it was met: even to ask whether it is there may fail."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOENT and is_nowhere():
            raise barrier("the current folder", error.strerror) from error
        if error.errno not in BARRED or error.filename is None:
            raise
        raise barrier(error.filename, error.strerror) from error
    except UnicodeEncodeError as error:
        if not is_path(error.object):
            raise
        raise barrier(error.object, "its name is not in UTF-8") from error
    except RuntimeError as error:  # so Python calls it, up to 3.12
        path = str(error).removeprefix("Symlink loop from ")
        if path == str(error):
            raise
        raise barrier(path.strip("'"), os.strerror(errno.ELOOP)) from error


def is_nowhere() -> bool:
    """Whether the folder that one is in has been deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def is_path(text: str) -> bool:
    """Whether something lies there, or could."""
    return os.path.lexists(text) or ("/" in text and os.path.lexists(Path(text).parent))


def barrier(path: str, reason: str | None) -> UserError:
    return UserError(f"{path}: cannot be used ({reason}); give another path, or have its owner let you use it")
