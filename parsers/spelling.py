"""Slips of the pen: an unfamiliar word that is one letter away from a listed one is read as that one."""

import functools
from collections.abc import Iterator
from string import ascii_lowercase

from parsers.brill import brill_tag, frequencies
from parsers.lexicon import is_known

LEAST_LETTERS = 5
"""Shorter words are one letter away from too many others."""

MOST_LETTERS = 30
"""Longer words are no slips of the pen, and each letter costs a look at all its neighbours."""


@functools.lru_cache(maxsize=1 << 16)
def respelled(word: str) -> str:
    """The lower-case word as it was probably meant: of the listed words one letter away, the most frequent."""
    if not LEAST_LETTERS <= len(word) <= MOST_LETTERS or not (word.isascii() and word.isalpha()) or is_familiar(word):
        return word
    found = sorted({candidate for candidate in one_letter_away(word) if is_known(candidate)})
    return max(found, key=lambda candidate: frequencies().get(candidate, 0), default=word)


def is_familiar(word: str) -> bool:
    """Whether the word, or what it is a form of, is in a list or a lexicon."""
    stems = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ing"), word.removesuffix("ed"))
    return any(is_known(stem) or brill_tag(stem) or stem in frequencies() for stem in stems) or is_joined(word)


def is_joined(word: str) -> bool:
    """Whether two known words make it up: "skatepark"."""
    return any(
        all(is_known(part) or frequencies().get(part, 0) > 1 for part in (word[:cut], word[cut:].removesuffix("s")))
        for cut in range(3, len(word) - 2)
    )


def one_letter_away(word: str) -> Iterator[str]:
    for place in range(len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in ascii_lowercase)
        if after:
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in ascii_lowercase)
        if len(after) > 1:
            yield before + after[1] + after[0] + after[2:]
