"""Sentence -> scene graph. `parse` is the entry point; `python -m parsers` scores, compares and times parsers."""

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
    """Return the scene graph of `text`; if `tokens` are given, they are its words.

    Conventions: `written` keeps the sentence's words; `factual` is FACTUAL's normal form, for scoring.
    """
    # Import here: stages that only read tables of graphs must not depend on the code of the parsers.
    from parsers.errors import UserError
    from parsers.factual.conventions import in_conventions
    from parsers.parser import load_backend
    from parsers.scene_graph import MOST_TOKENS
    from parsers.words.tokens import tokenise

    form = in_conventions(conventions)
    words = tokenise(text) if tokens is None else tuple(tokens)
    if len(words) > MOST_TOKENS:
        raise UserError(f"the sentence has {len(words):,} words, more than {MOST_TOKENS:,}; give a shorter one")
    return form(load_backend(backend, **options)([words])[0])
