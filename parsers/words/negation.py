"""Negation: which words negate, and what becomes of them.

Graphs keep negation as words, in every backend that reads it from the sentence:
- "not wearing a hat": the relation is "not wearing";
- "is not red", "isn't red": the attribute is "not red", "isn't red";
- "no hat": the node "hat" has the attribute "no";
- "without a hat": the relation is "without".
FACTUAL's normal form leaves out objects that are said to be absent.

The tag `Tag.NEGATION` marks these words for the lexical parser: `lexical/phrases.py` has the patterns with its letter,
`split_predicate` in `lexical/clauses.py` keeps "not red" together, and `past_what_is_carried` in `lexical/subjects.py`
reads "a plant with no leaves sticking out". For dependency trees, `join_negation` in `trees/unit_passes.py` does it.
`tests/parsers/words/test_negation.py` has an example of each, `tests/parsers/trees/test_tree_graph.py` those of trees.
"""

from collections.abc import Sequence

from parsers.words.lexicon import words
from parsers.words.tokens import APOSTROPHES

NO = "no"
"""The determiner that says that an object is absent."""


def is_negation(word: str) -> bool:
    """Return whether a lower-case word negates a verb or an adjective: "not", "isn't"."""
    return word in words("negations")


def is_contraction(lower: Sequence[str], start: int) -> bool:
    """Return whether a tokeniser cut a negation into three tokens here: "isn ' t"."""
    following = lower[start + 1 : start + 3]
    return len(following) == 2 and following[0] in APOSTROPHES and is_negation(f"{lower[start]}'{following[1]}")


def is_absence(relation: str) -> bool:
    """Return whether a relation says that its object is absent: "tree without leaves"."""
    return relation.lower() == "without"
