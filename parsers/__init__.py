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
    from parsers.errors import UserError
    from parsers.factual.conventions import in_conventions
    from parsers.scene_graph import MOST_TOKENS
    from parsers.words.tokens import tokenise

    form = in_conventions(conventions)
    words = tokenise(text) if tokens is None else tuple(tokens)
    if len(words) > MOST_TOKENS:
        raise UserError(f"the sentence has {len(words):,} words, more than {MOST_TOKENS:,}; give a shorter one")
    return form(load_backend(backend, **options)([words])[0])
