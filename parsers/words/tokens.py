"""Tokens of text that people type, and quotations among tokens.

Datasets bring their own tokens, which are never split again.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORD = re.compile(
    r"""
    [^\W_]+(?:[-.][^\W_]+)*(?=['’]s\b)      # man|'s
    | ['’]s\b
    | [^\W_]+(?:[-'’.][^\W_]+)*             # t-shirt, isn't, 2.5
    | [^\w\s] | _                           # a punctuation mark
    """,
    re.VERBOSE,
)
APOSTROPHES = frozenset("'’`´")

QUOTES = frozenset({'"', "“", "”", "``", "''"})
"""Only double marks quote; a single one may be an apostrophe."""
HALVES = frozenset({"`", "'"})
"""Two of them make a quotation mark."""
QUOTATION = re.compile(r"(?:q|``)([^qi`]+?)(?:[qi]|'')")
"""A pattern over one letter a token: q for a quotation mark, i for one after a digit (inches, or the end of a number),
half a mark as it is, a dot for anything else.
"""


def tokenise(text: str) -> tuple[str, ...]:
    """Return the words and marks of `text` in order; a text without any is one empty token."""
    return tuple(WORD.findall(text)) or ("",)


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation, such as the words on a sign: it is one name, whatever its words."""

    start: int
    """The index of its first mark."""
    inside: tuple[int, ...]
    """The indices of its words."""
    end: int
    """The index after its last mark."""


def quotations_in(words: Sequence[str]) -> list[Quotation]:
    """Return the quotations of a sentence; a sentence that is quoted as a whole has none."""
    if QUOTES.isdisjoint(words) and "`" not in words:
        return []
    marks = "".join(mark(word, before) for before, word in zip(("", *words), words, strict=False))
    return [
        Quotation(found.start(), tuple(range(*found.span(1))), found.end())
        for found in QUOTATION.finditer(marks)
        if has_words(words[slice(*found.span(1))]) and has_words((*words[: found.start()], *words[found.end() :]))
    ]


def mark(word: str, before: str) -> str:
    """Return the letter of a token for `QUOTATION`."""
    if word == '"' and before[-1:].isdigit():
        return "i"
    return "q" if word in QUOTES else word if word in HALVES else "."


def has_words(words: Iterable[str]) -> bool:
    return any(character.isalnum() for word in words for character in word)
