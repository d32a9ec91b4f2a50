"""Our tokens as CoreNLP spells words: a possessive ending is a word of its own, and no word has a blank."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

APOSTROPHES = "'’"
UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that would end a word or a line, or cannot be encoded."""
OWNER = re.compile(rf"(.*\w)([{APOSTROPHES}]s|(?<=s)[{APOSTROPHES}])", re.IGNORECASE)
"""man's, dogs' """


@dataclass(frozen=True)
class Piece:
    """A word as CoreNLP reads it: a token, a part of one, or the two tokens of "' s"."""

    written: str
    tokens: tuple[int, ...]

    @property
    def spelled(self) -> str:
        return UNUSABLE.sub("_", self.written.replace("’", "'").replace(" ", "")) or "_"


def pieces(tokens: Sequence[str]) -> list[Piece]:
    found: list[Piece] = []
    for index, token in enumerate(tokens):
        owner = OWNER.fullmatch(token)
        if token.lower() == "s" and found and found[-1].written in tuple(APOSTROPHES):
            found[-1] = Piece(f"{found[-1].written} {token}", (index - 1, index))
        elif owner:
            found += [Piece(part, (index,)) for part in owner.groups()]
        else:
            found.append(Piece(token, (index,)))
    return found


def written(chosen: Iterable[Piece]) -> str:
    return " ".join(piece.written for piece in chosen)


def tokens_of(chosen: Iterable[Piece]) -> tuple[int, ...]:
    return tuple(sorted({index for piece in chosen for index in piece.tokens}))
