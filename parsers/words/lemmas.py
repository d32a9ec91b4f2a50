"""The base form of a verb: "sitting" -> "sit"."""

import functools
import re

from parsers.words.lexicon import brill_tag, verb_paradigms

SUFFIXES = (
    (re.compile(r"(.*[^aeiou])ies"), ("{}y",)),
    (re.compile(r"(.*[^aeiou])ied"), ("{}y",)),
    (re.compile(r"(.*)([bdgklmnprt])\2(?:ing|ed)"), ("{}{}", "{}{}{}")),
    (re.compile(r"([^aeiou]*[aeiou][bdgmnpt])(?:ing|ed)"), ("{}e", "{}")),
    (re.compile(r"(.+)(?:ing|ed|es)"), ("{}", "{}e")),
    (re.compile(r"(.+[^s])s"), ("{}",)),
)
"""The stem before an ending, and the base forms that it may come from, the likelier first."""

BASE_TAGS = frozenset({"VB", "VBP", "NN", "JJ"})
FORM_TAGS = frozenset({"VBG", "VBN", "VBD", "VBZ"})


@functools.cache
def listed_bases() -> dict[str, str]:
    return {form: base for base, forms in verb_paradigms().items() for form in (base, *forms)}


@functools.lru_cache(maxsize=1 << 14)
def verb_base(word: str) -> str:
    """Return the base form of a verb; any other word stays as it is."""
    listed = listed_bases().get(word)
    if listed is not None:
        return listed
    if brill_tag(word) not in FORM_TAGS and not word.endswith("ing"):
        return word
    for pattern, shapes in SUFFIXES:
        match = pattern.fullmatch(word)
        for shape in shapes if match else ():
            parts = match.groups() if match else ()
            base = shape.format(*parts, *parts[-1:])
            if brill_tag(base) in BASE_TAGS:
                return base
    return word
