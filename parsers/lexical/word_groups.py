"""Groups of tokens that act as one word: compounds, prepositions, places, introductions, words that a tokeniser cut.

Each function looks at one place of a sentence in lower case. It returns how many tokens the group has and its tag.
"""

import functools

from parsers.words.lexicon import Tag, tag_of, words
from parsers.words.negation import is_contraction
from parsers.words.tokens import APOSTROPHES

PLACE_PREPOSITIONS = frozenset({"on", "in", "at", "to", "from", "by", "near", "along", "towards", "toward", "of"})
VIEW_PREPOSITIONS = frozenset({"in", "of", "from", "within"})
GROUPS = (
    ("hedges", Tag.DETERMINER),
    ("conjunctions", Tag.CONJUNCTION),
    ("prepositions", Tag.PREPOSITION),
    ("denials", Tag.PREPOSITION),
    ("nobodies", Tag.NOUN),
    ("pronouns", Tag.PRONOUN),
    ("places", Tag.PLACE),
    ("adverbs", Tag.ADVERB),
    ("phrasal_verbs", Tag.ING),
    ("compound_adjectives", Tag.ADJECTIVE),
    ("compounds", Tag.NOUN),
)
"""The lists that hold groups of words."""
ANY = "*"
NUMBER_SIGNS = frozenset({"number", "no", "#"})
ARTICLES = frozenset({"the", "a", "an"})
SIDES = frozenset({"front", "top", "side"})
BEFORE_PLACES = ARTICLES | {"this", "that", "each", "either", "both", "one"}
PLURALS = frozenset({Tag.PLURAL, Tag.FORM_IN_S_OR_NOUN})


@functools.cache
def groups() -> dict[str, list[tuple[tuple[str, ...], Tag]]]:
    """Return the listed groups by their first word, longest first."""
    table: dict[str, list[tuple[tuple[str, ...], Tag]]] = {}
    for name, label in GROUPS:
        for entry in sorted(words(name)):
            first, *rest = entry.split()
            if rest:
                table.setdefault(first, []).append((tuple(rest), label))
    for shade in sorted(words("shades")):
        table.setdefault(shade, []).extend(((colour,), Tag.ADJECTIVE) for colour in sorted(words("colours")))
    for colour in sorted(words("colours") | words("shades")):
        table.setdefault(colour, []).extend([(("colored",), Tag.ADJECTIVE), (("coloured",), Tag.ADJECTIVE)])
    for entries in table.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return table


def group(lower: list[str], start: int) -> tuple[int, Tag] | None:
    """Find a listed group of words; a compound also in the plural."""
    for rest, label in groups().get(lower[start], ()):
        found = tuple(lower[start + 1 : start + 1 + len(rest)])
        if found == rest or (ANY in rest and is_like(found, rest)):
            return 1 + len(rest), label
        if label is Tag.NOUN and found and found[-1] in (rest[-1] + "s", rest[-1] + "es"):
            return 1 + len(rest), Tag.PLURAL
    return None


def is_like(found: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Return whether words match a group in which `*` stands for any adjective or adverb: "the same * as"."""
    return len(found) == len(pattern) and all(
        tag_of(word) in (Tag.ADJECTIVE, Tag.ADVERB) if wanted == ANY else word == wanted
        for word, wanted in zip(found, pattern, strict=True)
    )


def number(lower: list[str], start: int) -> tuple[int, Tag] | None:
    """Find the number of a player or a bus, which describes it: "player number 7", "# 61"."""
    following = lower[start + 1] if start + 1 < len(lower) else ""
    return (2, Tag.ADJECTIVE) if lower[start] in NUMBER_SIGNS and following.isdecimal() else None


def introduction(lower: list[str], start: int) -> tuple[int, Tag] | None:
    """Find an introduction such as "there is" or, after its article, "photo of"; only at the start of a sentence."""
    for length in (3, 2, 1):
        if " ".join(lower[start : start + length]) in words("introductions") and start + length < len(lower):
            return length, Tag.INTRODUCTION
    return None


def place(lower: list[str], start: int) -> tuple[int, Tag] | None:
    """Find a place that starts with this preposition.

    It is a place in the picture ("on the far left", "in the middle of the photo"), or relates to the next noun ("to the
    left of", "on the side of") and is a preposition.
    """
    is_closest = lower[start] in words("nearness")
    if is_closest and lower[start + 1 : start + 2] != ["to"]:
        return None
    end = start + 1 + is_closest
    end += end < len(lower) and lower[end] in BEFORE_PLACES
    first = end
    while end < len(lower) and (lower[end] in words("place_modifiers") or lower[end] in words("places")):
        end += 1
    is_view = lower[start] in VIEW_PREPOSITIONS and lower[end : end + 1] != [] and lower[end] in words("views")
    if is_view and (end + 1 == len(lower) or tag_of(lower[end + 1]) not in "NnOS"):
        is_placed = any(word in words("places") for word in lower[first:end])
        return end + 1 - start, Tag.LOCATION if is_placed else Tag.ADVERB
    if lower[end - 1] == "hand":  # "on the left hand side" is a place, "in the left hand" is not
        return None
    if end == first or not any(word in words("places") for word in lower[first:end]):
        return None
    noun = end + 2 if lower[end + 1 : end + 2] and lower[end + 1] in ARTICLES else end + 1
    is_framed = lower[end : end + 1] == ["of"] and noun < len(lower) and lower[noun] in words("frames")
    if is_closest:
        end = noun + 1 if is_framed else end
        return (end - start, Tag.LOCATION) if end == len(lower) else None
    if lower[end : end + 1] != ["of"]:
        if end == start + 2 and lower[start + 1] in SIDES and lower[end : end + 1] and lower[end] in ARTICLES:
            return 2, Tag.PREPOSITION  # "in front the house", where "of" is missing
        following = (group(lower, end) or (1, tag_of(lower[end])))[1] if end < len(lower) else Tag.PUNCTUATION
        return None if following in "NnAMvzoLyS" else (end - start, Tag.LOCATION)
    if lower[start] != "to" and is_framed:
        return noun + 1 - start, Tag.LOCATION
    return end + 1 - start, Tag.PREPOSITION


def spelled_apart(lower: list[str], start: int) -> tuple[int, Tag] | None:
    """Find tokens that were one word before a tokeniser cut it: "' s", "boys '", "isn ' t", "t - shirt"."""
    following = lower[start + 1 : start + 3]
    if lower[start] in APOSTROPHES and start and tag_of(lower[start - 1]) in PLURALS and is_only(lower, start):
        return 1, Tag.POSSESSIVE
    if lower[start] in APOSTROPHES and following[:1] == ["s"]:
        return 2, Tag.POSSESSIVE
    if is_contraction(lower, start):
        return 3, Tag.NEGATION
    is_joined = len(following) == 2 and following[0] == "-" and following[1][:1].isalnum()
    if is_joined and "and" not in (lower[start], following[1]):
        return 3, tag_of(f"{lower[start]}-{following[1]}")
    return None


def is_only(lower: list[str], start: int) -> bool:
    """Return whether no other apostrophe follows, with which this one would be a quotation mark."""
    return APOSTROPHES.isdisjoint(lower[start + 1 :]) and lower[start + 1 : start + 2] != ["s"]
