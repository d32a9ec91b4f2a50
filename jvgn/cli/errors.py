"""How commands report mistakes: one line on standard error, exit code 1, no traceback."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from jvgn.storage.shown_text import one_line
from parsers.errors import UserError


class CommandGroup(click.Group):
    """A group of commands, listed in their own order, whose mistakes are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def main(self, *arguments: Any, **more: Any) -> Any:
        with mistakes_shown():  # also while help is printed
            return super().main(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        from jvgn.storage.processes import killed_workers_named  # loads multiprocessing

        with mistakes_shown(), killed_workers_named(), terminated_like_interrupted():
            return super().invoke(ctx)


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM end a command as Ctrl-C does, so that temporary files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


@contextmanager
def mistakes_shown() -> Iterator[None]:
    """Print a UserError, or an error of the operating system, as one line and exit with code 1."""
    try:
        yield
    except UserError as error:
        fail(str(error))
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        if error.filename is None:
            # Standard output is full. Python would try to write the rest once more as it exits.
            with suppress(OSError, ValueError):  # it may be no real file
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = error.filename or "standard output or a temporary file"
        fail(f"{where}: cannot be used ({error.strerror or error}); check the path and the disk")


def fail(message: str) -> None:
    click.echo(f"Error: {one_line(message)}", err=True)
    sys.exit(1)
