"""Sentence -> scene graph. `parse` is the way in; `python -m parsers` reads whole tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parsers.scene_graph import SceneGraph

__all__ = ["parse"]


def parse(
    text: str,
    backend: str = "lexical",
    tokens: Sequence[str] | None = None,
    conventions: str = "written",
    **options: str | bool,
) -> "SceneGraph":
    """The scene graph of `text`, whose words are `tokens` where those are given.

    Conventions: `written`, in the sentence's words; `factual`, in FACTUAL's normal form, for scoring.
    """
    # Imported here: stages that read only tables of graphs do not depend on how graphs are made.
    from parsers.backends import load_backend
    from parsers.files import UserError
    from parsers.tokens import tokenise

    if conventions not in ("written", "factual"):
        raise UserError(f"there are no conventions {conventions!r}; there are: written, factual")
    words = tokenise(text) if tokens is None else tuple(tokens)
    graph = load_backend(backend, **options)([words])[0]
    if conventions == "written":
        return graph
    from parsers.conventions import factual

    return factual(graph)
