"""How commands report mistakes: one line on standard error, exit code 1, no traceback."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from jvgn.storage.shown_text import one_line
from parsers.errors import UserError


class Commands(click.Group):
    """A group of commands, listed in their own order, whose mistakes are one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def main(self, *arguments: Any, **more: Any) -> Any:
        with mistakes_shown():  # also while help is printed
            return super().main(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        from jvgn.storage.processes import killed_workers_named  # loads multiprocessing

        if threading.current_thread() is threading.main_thread():
            # SIGTERM ends a command as Ctrl-C does: temporary files are removed.
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        with mistakes_shown(), killed_workers_named():
            return super().invoke(ctx)


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
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        where = error.filename or "standard output or a temporary file"
        fail(f"{where}: cannot be used ({error.strerror or error}); check the path and the disk")


def fail(message: str) -> None:
    click.echo(f"Error: {one_line(message)}", err=True)
    sys.exit(1)
