"""The table of parsers, each loaded when first asked for and once for the same options."""

import functools
import importlib
from collections.abc import Callable, Sequence

from parsers.files import UserError
from parsers.scene_graph import SceneGraph

Backend = Callable[[Sequence[Sequence[str]]], list[SceneGraph]]
"""A loaded backend gives the graphs of many tokenised sentences, each regardless of the others."""

BACKENDS = {
    "lexical": "parsers.lexical",
    "stanza": "parsers.trees.stanza_backend",
    "conllu": "parsers.trees.conllu",
}
"""Name -> the module whose `load(**options)` gives the backend."""


@functools.cache
def load_backend(name: str, **options: str) -> Backend:
    if name not in BACKENDS:
        raise UserError(f"there is no parser {name!r}; there are: {', '.join(sorted(BACKENDS))}")
    backend: Backend = importlib.import_module(BACKENDS[name]).load(**options)
    return backend
