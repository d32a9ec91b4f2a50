"""Negation: which words deny, and how a label is told from its polarity.

Polarity is a field of every backend's graph:
- "is not red", "isn't red": the attribute is "red" and denied;
- "not wearing a hat": the relation is "wearing" and denied;
- "no hat", "nobody": all relations that lead to it are denied;
- "without a hat", "other than the hat": the relation keeps its words, and is denied.
FACTUAL's normal form leaves out objects that are said to be absent.

The words are in the lists `negations`, `denials` (prepositions) and `nobodies` (nouns). In the lexical parser, those of
the tag `Tag.NEGATION` stay with what they deny until `lexical/__init__.py` makes nodes and edges; in dependency trees,
`join_negation` in `trees/unit_passes.py` joins them. `tests/parsers/sentences/polarity.txt` has examples.
"""

from collections.abc import Sequence

from parsers.words.lexicon import words
from parsers.words.tokens import APOSTROPHES

NO = "no"
"""The determiner that says that an object is absent."""


def is_negation(word: str) -> bool:
    """Return whether a lower-case word denies a verb or an adjective: "not", "isn't"."""
    return word.replace("’", "'") in words("negations")


def is_contraction(lower: Sequence[str], start: int) -> bool:
    """Return whether a tokeniser cut a negation into three tokens here: "isn ' t"."""
    following = lower[start + 1 : start + 3]
    return len(following) == 2 and following[0] in APOSTROPHES and is_negation(f"{lower[start]}'{following[1]}")


def is_denial(text: str) -> bool:
    """Return whether a preposition denies: "without"."""
    return text.lower() in words("denials")


def is_nobody(head: str) -> bool:
    return head.lower() in words("nobodies")


def affirmed(spoken: Sequence[str]) -> tuple[list[int], bool]:
    """Return the places of the words that remain without a negation, and whether there was one; never no words."""
    lower = [word.lower() for word in spoken]
    cut = {place + offset for place in range(len(lower)) if is_contraction(lower, place) for offset in range(3)}
    kept = [place for place, word in enumerate(lower) if place not in cut and not is_negation(word)]
    return kept or list(range(len(lower))), len(kept) < len(lower) or is_denial(" ".join(lower))
