"""Sentence -> scene graph. `parse` is the way in; `python -m parsers` reads whole tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.scene_graph import SceneGraph

__all__ = ["parse"]


def parse(text: str, backend: str = "lexical", tokens: Sequence[str] | None = None, **options: str) -> "SceneGraph":
    """The scene graph of `text`, whose words are `tokens` where those are given."""
    # Imported here: stages that read only tables of graphs do not depend on how graphs are made.
    from parsers.backends import load_backend
    from parsers.tokens import tokenise

    words = tokenise(text) if tokens is None else tuple(tokens)
    return load_backend(backend, **options)([words])[0]
