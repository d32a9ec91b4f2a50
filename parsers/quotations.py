"""What a sentence quotes, such as the words on a sign: one name, whatever its words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

QUOTES = frozenset({'"', "“", "”"})
HALVES = frozenset({"`", "'"})
"""Two of them are a mark of quotation."""
QUOTATION = re.compile(r"(?:q|``)([^q`]+?)(?:q|'')")
"""Over one letter a token: q for a mark, a half mark as it is, a dot for anything else."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Where its first mark stands, the places of its words, and the place after its last mark."""

    start: int
    inside: tuple[int, ...]
    end: int


def quotations_in(words: Sequence[str]) -> list[Quotation]:
    """All of them; a sentence that is quoted as a whole quotes nothing."""
    if QUOTES.isdisjoint(words) and "`" not in words:
        return []
    marks = "".join("q" if word in QUOTES else word if word in HALVES else "." for word in words)
    return [
        Quotation(found.start(), tuple(range(*found.span(1))), found.end())
        for found in QUOTATION.finditer(marks)
        if found.start() > 0 or any(map(str.isalnum, words[found.end() :]))
    ]
