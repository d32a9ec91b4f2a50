"""Part-of-speech tagger: tokens -> tagged words.

The first pass (`lookup`) joins groups of tokens and looks up their tags. The second (`decide`) resolves ambiguous tags
by their neighbours: it rewrites the string of tags by the patterns of `CHOICES`.
"""

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from parsers.lexical.word_groups import (
    NUMBER_SIGNS,
    PLACE_PREPOSITIONS,
    group,
    groups,
    introduction,
    number,
    place,
    spelled_apart,
)
from parsers.words.lexicon import Tag, is_listed, tag_of, words
from parsers.words.spelling import respelled
from parsers.words.tokens import APOSTROPHES, Quotation, quotations_in


class Word(NamedTuple):
    """One token, or several that act as one word."""

    text: str
    """In lower case, to be looked up; several tokens are separated by spaces."""
    tag: Tag
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class Choice:
    """Tags that match `pattern` become `tag`; the example and its tags prove it."""

    name: str
    pattern: str
    tag: Tag
    example: str
    tags: str


CHOICES = (
    Choice("that, opening a phrase", r"(?:(?<=[PTOVG])|^)t(?=[AMLNnvzo])", Tag.DETERMINER, "on that car", "PDN"),
    Choice("that, opening a clause", r"t", Tag.RELATIVE, "car that is red", "NRBA"),
    Choice("located, before a place", r"s(?=[PTF])", Tag.ADVERB, "star located above it", "NXPI"),
    Choice("located, on its own", r"s", Tag.PARTICIPLE, "is located", "BE"),
    Choice("lies, only linking", r"(?<=R)l(?=[PTF])", Tag.AUXILIARY, "star that lies above it", "NRBPI"),
    Choice("lies, a verb", r"l", Tag.VERB, "dog lies on it", "NVPI"),
    Choice("all, between be and its verb", r"(?<=B)D(?=[GV])", Tag.ADVERB, "men are all wearing hats", "nBXGn"),
    Choice("her, an object", r"h(?=$|[PTKCBRWXFV])", Tag.PRONOUN, "behind her", "PI"),
    Choice("her, a possessive", r"h", Tag.DETERMINER, "with her dog", "PDN"),
    Choice("one, a number", r"(?<![DAML])o(?=[ANnM])", Tag.NUMBER, "one red car", "MAN"),
    Choice("one, a noun", r"o", Tag.NOUN, "the yellow one", "DAN"),
    Choice(
        "can, a noun", r"(?<=[DAML])c|^c(?=[VPTB])|(?<=[Nn])c(?=$|[PTOKCRGgE])", Tag.NOUN, "a soda can on it", "DNNPI"
    ),
    Choice("can, an auxiliary", r"c", Tag.AUXILIARY, "she can be seen", "pBBE"),
    Choice("a place that is a thing", r"(?<=A)y(?=$|[CKPTOGgEVBRXWz])", Tag.NOUN, "a black top", "DAN"),
    Choice("a place", r"y", Tag.PLACE, "top bunk", "LN"),
    Choice("you, an object", r"(?<=[PT])u", Tag.PRONOUN, "closest to you", "PI"),
    Choice("you, a subject", r"u", Tag.ADVERB, "where you see it", "RXVI"),
    Choice("has, before been", r"V(?=Z?B)", Tag.AUXILIARY, "cake that has been cut", "NRBBE"),
    Choice("a preposition after the", r"(?<=D)P(?=[NnA])", Tag.ADJECTIVE, "the opposite wall", "DAN"),
    Choice("a pronoun before 's", r"I(?=S)", Tag.DETERMINER, "with it 's head", "PDDN"),
    Choice("'s after a pronoun", r"(?<=D)S", Tag.DETERMINER, "on it 's head", "PDDN"),
    Choice("'s for is", r"(?<=[Rp])S", Tag.AUXILIARY, "child he 's holding", "NpBG"),
    Choice("a verb after to", r"(?<=T)v(?=[DPAXNnI])", Tag.VERB, "trying to catch a frisbee", "GTVDN"),
    Choice("a verb after that", r"(?<=R)v(?=[DPTIX])", Tag.VERB, "trees that line the road", "nRVDN"),
    Choice("a verb after a plural", r"(?<=[np])v(?=[DPTIMXALENn]|$)", Tag.VERB, "people watch the game", "nVDN"),
    Choice(
        "a verb after two",
        r"(?:(?<=CN)|(?<=CDN)|(?<=CDAN))v(?=[DPIX])",
        Tag.VERB,
        "a cat and a dog walk on it",
        "DNCDNVPI",
    ),
    Choice("a verb before its object", r"(?<=N)v(?=D[^BVRp]*$)", Tag.VERB, "a child ride a bike", "DNVDN"),
    Choice("nearest, before its object", r"(?<=[NnE])A(?=D)", Tag.PREPOSITION, "bed nearest the window", "NPDN"),
    Choice("a deed after to", r"(?<=[PGE]T)N(?=D)", Tag.VERB, "about to strike a ball", "PTVDN"),
    Choice("a verb after he", r"(?<=p)[Nn](?=[DPTIX]|$)", Tag.VERB, "they shroud the hills", "pVDn"),
    Choice("has, before what was done", r"V(?=X*E(?:[DPTIK]|$))", Tag.AUXILIARY, "he has just used it", "pBXEI"),
    Choice("a thing in ing that is denied", r"(?<=Z)q", Tag.POSTURE, "who is not serving", "RBZg"),
    Choice("a participle like its verb", r"(?<=[BZ])v(?=[PTF]|$)", Tag.PARTICIPLE, "pizza is cut on the left", "NBEF"),
    Choice("a form in s after a noun", r"(?<=[NnRXp])z(?=[DPTIXF])", Tag.VERB, "man stands on grass", "NVPN"),
    Choice(
        "a form in s that ends a clause",
        r"(?:(?<=WN)|(?<=WDN)|(?<=WDAN))z(?=$|[KC])",
        Tag.VERB,
        "as the batter swings",
        "WDNV",
    ),
    Choice("another form in s", r"z", Tag.PLURAL, "white skis", "An"),
    Choice("another base form", r"v", Tag.NOUN, "the watch", "DN"),
    Choice(
        "an action between nouns",
        r"(?<=[NnRBX])q(?=[DIMANn])|(?<=n)q(?=[PT])",
        Tag.ING,
        "snow covering the ground",
        "NGDN",
    ),
    Choice("a thing in ing", r"q", Tag.NOUN, "a painting", "DN"),
    Choice(
        "a participle before its noun",
        r"(?:(?<=[DAMLPTOCKVGS])|(?<=[DA]X)|^)E(?=[AMNngGLE])",
        Tag.ADJECTIVE,
        "a parked car",
        "DAN",
    ),
    Choice(
        "as, before what something is used for", r"(?<=E)W(?=D*A*[Nn]+K?$)", Tag.PREPOSITION, "used as a bed", "EPDN"
    ),
    Choice("an adverb like its adjective", r"(?<=g)A(?=P)", Tag.ADVERB, "flag flying high in it", "NgXPI"),
    Choice("an action before its noun", r"(?<=[DM])G(?=[AMNn])", Tag.ADJECTIVE, "the riding horse", "DAN"),
    Choice("after another action", r"(?<=G)[Gg](?=[Nn])", Tag.ADJECTIVE, "wearing swimming trunks", "GAn"),
    Choice(
        "a posture before its noun",
        r"(?:(?<=[DAMLPTOCS])|(?<=AK)|^)g(?=[AMNn])",
        Tag.ADJECTIVE,
        "two standing men",
        "MAn",
    ),
)
COMPILED = tuple((re.compile(choice.pattern), choice.tag.value) for choice in CHOICES)
NOUNS = frozenset({Tag.NOUN, Tag.PLURAL, Tag.FORM_IN_S_OR_NOUN})
CUTS = APOSTROPHES | {"-"}
FLOATING = frozenset({"all", "both", "each"})
"""Determiners that may stand apart from their noun."""
ACTIONS_OR_THINGS = frozenset({Tag.NOUN, Tag.BASE_OR_NOUN, Tag.FORM_IN_S_OR_NOUN, Tag.ING_OR_NOUN})
ACTIONS = ACTIONS_OR_THINGS | {Tag.ING, Tag.POSTURE}
OPENING_OBJECTS = frozenset("DIMANnhovzq")
"""The tags of words that may start the object of an action."""
OWN = frozenset({"its", "it", "his", "her", "their"})


def tag(tokens: Sequence[str]) -> list[Word]:
    """Return the words of a sentence with their final tags; a token such as "man's" is two words."""
    found = lookup(tokens)
    tags = decide("".join(word.tag for word in found))
    return [
        word if word.tag == letter else word._replace(tag=Tag(letter)) for word, letter in zip(found, tags, strict=True)
    ]


@functools.lru_cache(maxsize=1 << 16)
def decide(tags: str) -> str:
    for pattern, letter in COMPILED:
        tags = pattern.sub(letter, tags)
    return tags


def lookup(tokens: Sequence[str]) -> list[Word]:
    """Return words with the tags that they have on their own, groups of tokens joined."""
    lower = [respelled(token.lower().replace("’", "'")) for token in tokens]
    found: list[Word] = []
    start = 0
    opening, is_cut, grouped = True, not CUTS.isdisjoint(lower), groups()
    nearness = words("nearness")
    quotations = {quotation.start: quotation for quotation in quotations_in(lower)}
    while start < len(lower):
        if start in quotations:
            found.append(quoted_word(quotations[start], lower, found))
            opening, start = False, quotations[start].end
            continue
        length, label = (
            (introduction(lower, start) if opening else None)
            or (place(lower, start) if lower[start] in PLACE_PREPOSITIONS or lower[start] in nearness else None)
            or (group(lower, start) if lower[start] in grouped else None)
            or (number(lower, start) if lower[start] in NUMBER_SIGNS and found and found[-1].tag in NOUNS else None)
            or (spelled_apart(lower, start) if is_cut else None)
            or (1, tag_of(lower[start]))
        )
        end = start + length
        label = label_after(found[-1] if found else None, lower, start, end, label)
        text = " ".join(lower[start:end])
        mark = possessive_mark(lower, start, end) if label in NOUNS and text[-1] == "s" else ""
        if mark:
            found.append(Word(text[: -len(mark)], Tag.NOUN, tuple(range(start, end))))
            text, label = mark, Tag.POSSESSIVE
        found.append(Word(text, label, tuple(range(start, end))))
        opening = opening and label in (Tag.DETERMINER, Tag.INTRODUCTION)
        start = end
    return found


def is_somebody(word: Word) -> bool:
    return word.tag in NOUNS and is_listed(word.text.rpartition(" ")[2], "animates")


def label_after(before: Word | None, lower: list[str], start: int, end: int, label: Tag) -> Tag:
    """Return the tag, after the word `before`, of the tokens from `start` to `end`, whose own tag is `label`."""
    if before is not None and label in ACTIONS and end - start == 1 and is_somebody(before):
        return action_or_thing(lower, start, label, before.text)
    if lower[start] == "another" and stands_alone(lower, end):
        return Tag.NOUN
    floats = lower[start] in FLOATING and before is not None and before.tag in NOUNS
    return Tag.ADVERB if floats and opens_action(lower, end) else label


def quoted_word(quotation: Quotation, lower: list[str], before: list[Word]) -> Word:
    """Return the quotation as a noun, or as an attribute of the word or sign before it.

    The text keeps its marks, so that no list contains it.
    """
    text = " ".join(lower[quotation.start : quotation.end])
    is_said = bool(before) and before[-1].tag in NOUNS and is_listed(before[-1].text, "captioned")
    return Word(text, Tag.ADJECTIVE if is_said else Tag.NOUN, quotation.inside)


def stands_alone(lower: list[str], end: int) -> bool:
    """Return whether no noun follows: "a cat next to another"."""
    return end == len(lower) or tag_of(lower[end]) in "PTOKCRB"


def possessive_mark(lower: list[str], start: int, end: int) -> str:
    """Return the 's that ends the word; also an s alone before a body part or clothes: "a mans left arm"."""
    if lower[end - 1][-2:] in ("'s", "’s"):
        return lower[end - 1][-2:]
    if end - start > 1 or lower[start][:-1] not in words("animates"):
        return ""
    owned = end
    while owned < len(lower) and tag_of(lower[owned]) in (Tag.ADJECTIVE, Tag.PLACE):
        owned += 1
    is_owned = owned < len(lower) and any(is_listed(lower[owned], name) for name in ("body_parts", "clothes"))
    return "s" if is_owned else ""


def action_or_thing(lower: list[str], start: int, label: Tag, somebody: str) -> Tag:
    """Return the tag of the word at `start` after a person or an animal: what they do, or a thing named after them.

    On its own the word has the tag `label`, one of `ACTIONS`.
    """
    if opens_compound(lower, start) or is_named_after(lower, start, somebody):
        return Tag.PLURAL if label is Tag.FORM_IN_S_OR_NOUN else Tag.NOUN
    return action(lower, start, label) if label in ACTIONS_OR_THINGS else label


def opens_compound(lower: list[str], start: int) -> bool:
    """Return whether two words name a thing: "the girl sewing machine"."""
    pair = lower[start : start + 2]
    return len(pair) == 2 and is_listed(" ".join(pair), "named_after")


def is_named_after(lower: list[str], start: int, somebody: str) -> bool:
    """Return whether the word names a thing: "a dog treat"; a person paints, but "the bear painting" is a picture."""
    if not is_listed(lower[start], "named_after") or opens_object(lower, start + 1):
        return False
    if not lower[start].endswith("ing"):
        return True
    with_trunk = lower[start + 1 : start + 2] == ["with"] and not OWN.isdisjoint(lower[start + 2 : start + 3])
    return is_listed(somebody.rpartition(" ")[2], "animals") and not with_trunk  # only elephants paint


def opens_object(lower: list[str], start: int) -> bool:
    is_preposition = " ".join(lower[start : start + 2]) in words("prepositions")
    return start < len(lower) and tag_of(lower[start]) in OPENING_OBJECTS and not is_preposition


def action(lower: list[str], start: int, label: Tag) -> Tag:
    """Return the tag of a word after somebody, who does what it says: "people shopping", "a child sleep on a bed"."""
    following = tag_of(lower[start + 1]) if start + 1 < len(lower) else Tag.PUNCTUATION
    if lower[start].endswith("ing"):
        return label if lower[start] in words("nouns") and following is not Tag.DETERMINER else Tag.POSTURE
    return Tag.VERB if label is not Tag.NOUN and following in "PTDIX" else label


def opens_action(lower: list[str], end: int) -> bool:
    """Return whether an action comes next: "people all wearing helmets"."""
    return end < len(lower) and tag_of(lower[end]) in (Tag.ING, Tag.POSTURE)
