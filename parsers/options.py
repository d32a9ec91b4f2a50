"""Which parser, with which options: named on a command line, or frozen in a settings file."""

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from parsers.backends import Backend, load_backend, loader
from parsers.command_log import full_disk_named
from parsers.files import BrokenFile, UserError
from parsers.shown_text import one_line, shortened
from parsers.stopping import stoppable
from parsers.workers import deaths_named

Option = str | bool
TRUTHS = {"true": True, "false": False}
BARRED = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.ELOOP)
"""Why the system does not let anyone have what a path names, or look whether it is there."""


@dataclass(frozen=True)
class Parser:
    """A backend and its options, not loaded yet."""

    backend: str
    options: dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """There is such a backend, and it has these options."""
        loader(self.backend, self.options)

    def load(self) -> Backend:
        return load_backend(self.backend, **self.options)

    def __str__(self) -> str:
        """As people type it."""
        said = ",".join(
            f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in self.options.items()
        )
        return f"{self.backend}:{said}" if said else self.backend


def read_parser(path: Path | str) -> Parser:
    """The parser of a settings file: the key `backend`, and its options as the other keys; null is no option."""
    from parsers.plain_yaml import load_plain_yaml

    try:
        values = load_plain_yaml(path)
    except (OSError, ValueError) as error:
        raise BrokenFile(path, f"cannot be read as YAML ({' '.join(str(error).split())})", "check the file") from error
    if not isinstance(values, dict) or not isinstance(values.get("backend"), str):
        raise BrokenFile(path, "expected the key backend", "write it as: backend: lexical")
    named = {key if isinstance(key, str) else shortened(key): value for key, value in values.items()}
    options = {key: value for key, value in named.items() if key != "backend" and value is not None}
    for key, value in options.items():
        if not isinstance(value, Option):
            raise BrokenFile(path, f"{key}: expected a text, true or false, found {shortened(value)}", "check the file")
    return Parser(values["backend"], options)


def named_parser(name: str, options: Iterable[str] = ()) -> Parser:
    """The parser that a command line names: `stanza`, or with options `stanza:models=FOLDER,key=value`."""
    backend, _, inline = name.partition(":")
    pairs = [*filter(None, inline.split(",")), *options]
    return Parser(backend, dict(option(pair) for pair in pairs))


def option(pair: str) -> tuple[str, Option]:
    key, sign, value = pair.partition("=")
    if not (key and sign and value):
        raise UserError(f"option {pair!r}: expected key=value, such as models=resources/stanza")
    return key, TRUTHS.get(value, value)


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


def parser_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command `--backend` and `--option`, for `named_parser`."""
    pairs = click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the parser's.")
    return click.option("--backend", default="lexical", show_default=True, help="The parser.")(pairs(command))
