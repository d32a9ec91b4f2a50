"""The lexicon: the tag of a word on its own, and the base form of a verb.

Both come from the lists of `parsers/words/lists/`, from Brill's lexicon or from the ending of the word.

A list holds words separated by spaces, groups of words joined by `_`, and comment lines that start with `#`.

Two data files come from the package `textblob`, whose code is not used. Eric Brill's lexicon has 94,000 English words,
each with its most frequent tag of the Penn Treebank. The other file has 29,000 words with their frequency in books,
which distinguishes a misspelling from a rare word.
"""

import functools
import re
from collections.abc import Iterator
from enum import StrEnum
from importlib import metadata, resources
from pathlib import Path

from parsers.errors import UserError

BRILL = "textblob/en/en-lexicon.txt"
FREQUENCIES = "textblob/en/en-spelling.txt"

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


class Tag(StrEnum):
    """The classes of words. One letter each, so that a sentence's tags are a string and rules are patterns."""

    DETERMINER = "D"
    NUMBER = "M"
    ADJECTIVE = "A"
    PLACE = "L"
    NOUN = "N"
    PLURAL = "n"
    VERB = "V"
    ING = "G"
    POSTURE = "g"
    """An -ing form that needs no object."""
    PARTICIPLE = "E"
    PREPOSITION = "P"
    TO = "T"
    OF = "O"
    CONJUNCTION = "C"
    PUNCTUATION = "K"
    AUXILIARY = "B"
    RELATIVE = "R"
    WHOSE = "H"
    POSSESSIVE = "S"
    PRONOUN = "I"
    SUBJECT_PRONOUN = "p"
    ADVERB = "X"
    NEGATION = "Z"
    SUBORDINATOR = "W"
    INTRODUCTION = "Q"
    LOCATION = "F"
    """A whole phrase such as "on the left"."""

    # Ambiguous until the neighbours are known; `lexical.tagger` turns each into one of the above.
    BASE_OR_NOUN = "v"
    FORM_IN_S_OR_NOUN = "z"
    ING_OR_NOUN = "q"
    ONE = "o"
    HER = "h"
    ONLOOKER = "u"
    LIES = "l"
    LOCATED = "s"
    THAT = "t"
    CAN = "c"
    PLACE_OR_THING = "y"


VERB_TAGS = frozenset("VGgEvzqs")
"""The tags of words that can be a form of a verb."""
NOUN_TAGS = frozenset({Tag.NOUN, Tag.PLURAL, Tag.BASE_OR_NOUN, Tag.FORM_IN_S_OR_NOUN, Tag.ING_OR_NOUN, Tag.CAN})
"""The tags of words that can be a noun."""

CLOSED = {
    "determiners": Tag.DETERMINER,
    "auxiliaries": Tag.AUXILIARY,
    "pronouns": Tag.PRONOUN,
    "subject_pronouns": Tag.SUBJECT_PRONOUN,
    "onlookers": Tag.ONLOOKER,
    "conjunctions": Tag.CONJUNCTION,
    "relatives": Tag.RELATIVE,
    "subordinators": Tag.SUBORDINATOR,
    "negations": Tag.NEGATION,
    "prepositions": Tag.PREPOSITION,
    "denials": Tag.PREPOSITION,
}
OPEN = {
    "colours": Tag.ADJECTIVE,
    "adjectives": Tag.ADJECTIVE,
    "adverbs": Tag.ADVERB,
    "numbers": Tag.NUMBER,
    "places": Tag.PLACE,
    "nouns": Tag.NOUN,
    "plural_nouns": Tag.PLURAL,
    "standing_verbs": Tag.LOCATED,
    "verbal_nouns": Tag.ING_OR_NOUN,
    "place_things": Tag.PLACE_OR_THING,
    "nouns_in_s": Tag.FORM_IN_S_OR_NOUN,
}
SINGULAR = {
    "to": Tag.TO,
    "than": Tag.TO,
    "can": Tag.CAN,
    "of": Tag.OF,
    "one": Tag.ONE,
    "her": Tag.HER,
    "that": Tag.THAT,
    "lies": Tag.LIES,
    "whose": Tag.WHOSE,
    "s": Tag.POSSESSIVE,
    "'s": Tag.POSSESSIVE,
    "’s": Tag.POSSESSIVE,
}
"""Words that are a class of their own."""

WHOLES = {"animates": ("people", "animals")}
"""Lists that are unions of others."""

FUNCTION_TAGS = frozenset("DBICRWKSTOhtlcu")
"""The tags of function words, which describe nothing in the scene by themselves."""

PENN = {
    "JJ": Tag.ADJECTIVE,
    "JJR": Tag.ADJECTIVE,
    "JJS": Tag.ADJECTIVE,
    "NN": Tag.NOUN,
    "NNS": Tag.PLURAL,
    "RB": Tag.ADVERB,
    "VB": Tag.BASE_OR_NOUN,
    "VBZ": Tag.FORM_IN_S_OR_NOUN,
    "VBG": Tag.POSTURE,
    "VBN": Tag.PARTICIPLE,
    "VBD": Tag.PARTICIPLE,
}
"""The tags of Brill's lexicon as ours, for words that are in no list."""

ENDINGS = (
    (re.compile(r".{2,}ing"), Tag.POSTURE),
    (re.compile(r".{3,}ed"), Tag.PARTICIPLE),
    (re.compile(r".{3,}ly"), Tag.ADVERB),
    (re.compile(r".{2,}(?:less|ful|ous|ish|able|ible|ist?ic|est)"), Tag.ADJECTIVE),
    (re.compile(r".{2,}[^s]s"), Tag.PLURAL),
    (re.compile(r"\d+(?:st|nd|rd|th)"), Tag.ADJECTIVE),
    (re.compile(r"[\d.,/:]*\d[\d.,/:]*"), Tag.NUMBER),
    (re.compile(r"[\W_]*"), Tag.PUNCTUATION),
)


@functools.cache
def words(name: str) -> frozenset[str]:
    """Return the words of the list `name`; the words of a group are separated by a space."""
    parts = WHOLES.get(name, (name,))
    return frozenset(entry.replace("_", " ") for part in parts for line in lines(part) for entry in line.split())


def lines(name: str) -> list[str]:
    text = resources.files("parsers").joinpath("words", "lists", f"{name}.txt").read_text(encoding="utf8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@functools.cache
def renamings(name: str) -> dict[str, str]:
    """Return a list of lines "written = wanted" as a dictionary; "wanted" may be empty."""
    pairs = (line.partition("=") for line in lines(name))
    return {written.strip(): wanted.strip() for written, _, wanted in pairs}


@functools.cache
def tags() -> dict[str, Tag]:
    """Return every listed word with its tag; if lists disagree, the closed class wins."""
    known: dict[str, Tag] = verb_forms()
    for table in (OPEN, CLOSED):
        for name, tag in table.items():
            known |= {word: tag for word in sorted(words(name)) if " " not in word}
    return known | SINGULAR


def verb_forms() -> dict[str, Tag]:
    """Return the forms of every listed verb with their tags."""
    before_noun = words("intransitive_verbs")
    often_noun = words("ambiguous_verbs") | before_noun - words("verbs")
    forms: dict[str, Tag] = {}
    for base, (third, gerund, *pasts) in verb_paradigms().items():
        forms[third] = Tag.VERB
        forms[gerund] = Tag.POSTURE if base in before_noun else Tag.ING
        forms |= dict.fromkeys(pasts, Tag.PARTICIPLE)
        forms[base] = Tag.BASE_OR_NOUN if base in often_noun else Tag.VERB
    return forms | {"has": Tag.VERB, "had": Tag.VERB, "having": Tag.ING}


def verb_paradigms() -> dict[str, tuple[str, ...]]:
    """Return every listed verb with its forms in -s and -ing, its regular past and its irregular forms."""
    irregular = {base: rest for base, *rest in map(str.split, lines("irregular_verbs"))}
    found: dict[str, tuple[str, ...]] = {}
    for base in sorted(words("verbs") | words("ambiguous_verbs") | words("intransitive_verbs") | set(irregular)):
        stem = base[:-1] if base.endswith("e") and not base.endswith("ee") else base
        doubled = base + base[-1] if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", base) else stem
        gerund = "lying" if base == "lie" else doubled + "ing"
        past = base[:-1] + "ied" if re.search(r"[^aeiou]y$", base) else doubled + "ed"
        found[base] = (third_person(base), gerund, past, *irregular.get(base, ()))
    return found


def third_person(base: str) -> str:
    if re.search(r"[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "o", "z")) else "s")


def entries(name: str) -> Iterator[tuple[str, str]]:
    """Yield the two columns of a data file."""
    try:
        # `importlib.resources` would import the package, and with it all of nltk.
        path = Path(str(metadata.distribution("textblob").locate_file(name)))
    except metadata.PackageNotFoundError as error:
        raise UserError("the lexical parser needs a lexicon: pip install textblob") from error
    for line in path.read_text(encoding="utf8").splitlines():
        columns = line.split(" ")
        if len(columns) == 2 and not line.startswith(";;;"):
            yield columns[0], columns[1]


@functools.cache
def brill_tags() -> dict[str, str]:
    """Return the tags of all words that Brill's lexicon has in lower case."""
    return {word: tag for word, tag in entries(BRILL) if word == word.lower()}


@functools.cache
def frequencies() -> dict[str, int]:
    return {word: int(count) for word, count in entries(FREQUENCIES)}


def brill_tag(word: str) -> str:
    """Return the tag of a lower-case word in Brill's lexicon, or an empty string."""
    return brill_tags().get(word, "")


@functools.lru_cache(maxsize=1 << 16)
def tag_of(word: str) -> Tag:
    """Return the tag of a lower-case word on its own; an unknown word is a noun."""
    known = tags().get(word)
    if known is not None:
        return known
    last = re.split(r"[-/ ]+", word)[-1]
    if last != word and last in tags() and tags()[last] in (Tag.ADJECTIVE, Tag.PARTICIPLE):
        return Tag.ADJECTIVE
    penn = PENN.get(brill_tag(word))
    if penn is not None:
        return penn
    return next((tag for ending, tag in ENDINGS if ending.fullmatch(word)), Tag.NOUN)


@functools.cache
def listed() -> frozenset[str]:
    """Return every word of the lists of classes, compounds, animals, clothes, parts and things."""
    groups = ("compounds", "animates", "clothes", "body_parts", "things")
    return frozenset(tags()) | {part for name in groups for entry in words(name) for part in entry.split()}


def is_known(word: str) -> bool:
    return word in listed()


@functools.lru_cache(maxsize=1 << 16)
def is_content_word(word: str) -> bool:
    """Return whether the word describes the scene, as determiners, auxiliaries and punctuation do not."""
    return tag_of(word.lower()) not in FUNCTION_TAGS


@functools.lru_cache(maxsize=1 << 16)
def is_listed(word: str, name: str) -> bool:
    """Return whether the word, or its singular, is in the list `name`."""
    word = word.lower()
    listed = words(name)
    return word in listed or any(word.endswith(end) and word[: -len(end)] in listed for end in ("s", "es"))


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
