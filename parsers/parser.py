"""Parsers: the table of backends, and a backend with its options as `stanza:models=FOLDER` names it.

A backend is loaded on first use, once for the same options.
"""

import functools
import importlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from parsers.errors import UserError
from parsers.scene_graph import Backend

BACKENDS = {
    "lexical": "parsers.lexical",
    "stanza": "parsers.trees.stanza_backend",
    "conllu": "parsers.trees.conllu",
    "corenlp": "parsers.corenlp",
}
"""Name -> the module whose `load(**options)` returns the backend."""


@functools.cache
def load_backend(name: str, /, **options: str | bool) -> Backend:
    return loader(name, options)(**options)


def loader(name: str, options: Mapping[str, str | bool]) -> Callable[..., Backend]:
    """Return the function that loads the backend, after a check that it takes these options."""
    if name not in BACKENDS:
        raise UserError(f"parser {name!r}: unknown; expected one of {', '.join(sorted(BACKENDS))}")
    load: Callable[..., Backend] = importlib.import_module(BACKENDS[name]).load
    check_options(name, inspect.signature(load, eval_str=True), options)
    return load


def check_options(name: str, signature: inspect.Signature, options: Mapping[str, str | bool]) -> None:
    try:
        signature.bind(**options)
    except TypeError as error:
        known = ", ".join(signature.parameters) or "none"
        raise UserError(f"the parser {name}: {error}; its options are: {known}") from error
    for key, value in options.items():
        if isinstance(value, bool) and not isinstance(value, signature.parameters[key].annotation):
            raise UserError(f"the parser {name}: {key}: expected a text, found {str(value).lower()}")


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
