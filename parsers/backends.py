"""The table of backends. Each is loaded on first use, once for the same options."""

import functools
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence

from parsers.errors import UserError
from parsers.scene_graph import SceneGraph

Backend = Callable[[Sequence[Sequence[str]]], list[SceneGraph]]
"""A loaded backend parses tokenised sentences, each independently of the others."""

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
