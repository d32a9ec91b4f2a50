"""Spelling correction: an unfamiliar word that is one letter away from a known one is read as that one."""

import functools
from collections.abc import Iterator
from string import ascii_lowercase

from parsers.words.lexicon import brill_tag, frequencies, is_known, renamings

LEAST_LETTERS = 5
"""Shorter words are one letter away from too many others."""
MANY_LETTERS = 7
"""Words of this length are also compared with words that are in no list."""
ENDINGS = ("", "s", "es", "ing", "ed", "er", "ers", "y")
OFTEN = 5
"""Least frequency of a word that may be part of a joined one; rarer ones match by chance: "arc" and "oss"."""

MOST_LETTERS = 30
"""Longer words are not corrected: the number of words one letter away grows with the length."""


@functools.lru_cache(maxsize=1 << 16)
def respelled(word: str) -> str:
    """Return the lower-case word with its spelling corrected.

    Among the words one letter away, prefer listed ones, then those with the same letters ("yelow" is yellow rather than
    below), then the most frequent.
    """
    slips = renamings("slips")
    if word in slips:
        return slips[word]
    if not LEAST_LETTERS <= len(word) <= MOST_LETTERS or not (word.isascii() and word.isalpha()) or is_familiar(word):
        return word
    if word[0] == "a" and is_known(word[1:]):
        return word[1:]  # "ablue car"
    candidates = sorted(set(one_letter_away(word)))
    found = [near for near in candidates if is_known(near) or is_known(near.removesuffix("s"))]
    if not found and len(word) >= MANY_LETTERS:
        found = [near for near in candidates if brill_tag(near) and near in frequencies()]
    return max(found, key=lambda near: (set(near) == set(word), frequencies().get(near, 0)), default=word)


def is_familiar(word: str) -> bool:
    """Return whether the word, or its stem, is in a list or a lexicon."""
    stems = [word.removesuffix(ending) for ending in ENDINGS]
    return any(is_known(stem) or brill_tag(stem) or stem in frequencies() for stem in stems) or is_joined(word)


def is_joined(word: str) -> bool:
    """Return whether it is two known words in one: "skatepark"."""
    return any(
        all(is_known(part) or frequencies().get(part, 0) > OFTEN for part in (word[:cut], word[cut:].removesuffix("s")))
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
