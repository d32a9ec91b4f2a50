"""Tokens of text typed by people. Datasets bring their own tokens, which are never split again."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORD = re.compile(
    r"""
    [^\W_]+(?:[-.][^\W_]+)*(?=['’]s\b)      # man|'s
    | ['’]s\b
    | [^\W_]+(?:[-'’.][^\W_]+)*             # t-shirt, isn't, 2.5
    | [^\w\s] | _                           # a mark of punctuation
    """,
    re.VERBOSE,
)


def tokenise(text: str) -> tuple[str, ...]:
    """The words and marks of `text` in order; a text without any is one empty token."""
    return tuple(WORD.findall(text)) or ("",)


QUOTES = frozenset({'"', "“", "”", "``", "''"})
HALVES = frozenset({"`", "'"})
"""Two of them are a mark of quotation."""
QUOTATION = re.compile(r"(?:q|``)([^qi`]+?)(?:[qi]|'')")
"""Over one letter a token: q for a mark, i for one after a digit (inches, or the end of a number), a half mark as it
is, a dot for anything else.
"""


@dataclass(frozen=True, slots=True)
class Quotation:
    """Where its first mark stands, the places of its words, and the place after its last mark."""

    start: int
    inside: tuple[int, ...]
    end: int


def quotations_in(words: Sequence[str]) -> list[Quotation]:
    """All that quote some words; a sentence that is quoted as a whole quotes nothing."""
    if QUOTES.isdisjoint(words) and "`" not in words:
        return []
    marks = "".join(mark(word, before) for before, word in zip(("", *words), words, strict=False))
    return [
        Quotation(found.start(), tuple(range(*found.span(1))), found.end())
        for found in QUOTATION.finditer(marks)
        if says_something(words[slice(*found.span(1))])
        and says_something((*words[: found.start()], *words[found.end() :]))
    ]


def mark(word: str, before: str) -> str:
    if word == '"' and before[-1:].isdigit():
        return "i"
    return "q" if word in QUOTES else word if word in HALVES else "."


def says_something(words: Iterable[str]) -> bool:
    return any(character.isalnum() for word in words for character in word)
