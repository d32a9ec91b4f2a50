"""A backend and its options, as a command line or a settings file names them: `stanza:models=FOLDER`."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from parsers.backends import Backend, load_backend, loader
from parsers.errors import UserError

Option = str | bool
TRUTHS = {"true": True, "false": False}


@dataclass(frozen=True)
class Parser:
    """A backend and its options, not yet loaded."""

    backend: str
    options: dict[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raise an error unless there is such a backend and it takes these options."""
        loader(self.backend, self.options)

    def load(self) -> Backend:
        return load_backend(self.backend, **self.options)

    def __str__(self) -> str:
        """Return the parser as people type it."""
        options = ",".join(
            f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in self.options.items()
        )
        return f"{self.backend}:{options}" if options else self.backend


def named_parser(name: str, options: Iterable[str] = ()) -> Parser:
    """Return the parser that a command line names: `stanza`, or with options `stanza:models=FOLDER,key=value`."""
    backend, _, inline = name.partition(":")
    pairs = [*filter(None, inline.split(",")), *options]
    return Parser(backend, dict(option(pair) for pair in pairs))


def option(pair: str) -> tuple[str, Option]:
    key, sign, value = pair.partition("=")
    if not (key and sign and value):
        raise UserError(f"option {pair!r}: expected key=value, such as models=resources/stanza")
    return key, TRUTHS.get(value, value)
