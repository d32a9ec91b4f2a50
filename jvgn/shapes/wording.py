"""Wording: the grammar that turns a description into words.

    NP  := ("the" | "a")? size? colour? shape          only the first NP may go without a determiner
    S   := NP | NP LINK REL NP (LINK REL NP)* | NP LINK REL NP "and" LINK2 REL NP (LINK REL NP)*

A relation's subject is the nearest NP before it; after "and", the subject of the relation before.
"""

from dataclasses import dataclass

from numpy.random import Generator

from jvgn.shapes.descriptions import Description
from jvgn.shapes.scenes import pick

RELATION_WORDS = {
    "left": ("left of", "to the left of", "on the left of"),
    "right": ("right of", "to the right of", "on the right of"),
    "above": ("above", "over"),
    "below": ("below", "under", "beneath"),
    "near": ("next to", "beside", "near", "close to"),
}
SIZE_WORDS = {"big": ("big", "large"), "small": ("small", "tiny", "little")}
FIRST_DETERMINERS = ("the", "the", "the", "a", "", "")  # the frequent ones several times
DETERMINERS = ("the", "the", "the", "a")
LINKS = ("", "", "", "", "", "", "", "that is", "which is", "that lies")
LATER_LINKS = ("", "is", "that is", "which is")


@dataclass(frozen=True)
class Wording:
    """One choice of words for all meanings, so that descriptions with the same content have the same words."""

    determiners: tuple[str, ...]
    links: tuple[str, ...]
    words: dict[str, str]
    """For each relation and size."""


@dataclass(frozen=True)
class Sentence:
    tokens: tuple[str, ...]
    heads: tuple[int, ...]
    """Position of the shape word of each mention."""


def choose_wording(subjects: tuple[int, ...], generator: Generator) -> Wording:
    determiners = [pick(FIRST_DETERMINERS, generator)]
    links: list[str] = []
    for position in range(len(subjects)):
        determiners.append(pick(DETERMINERS, generator))
        if joins(subjects, position):  # "that is left of the star and is above a ring", never "left of … and is above"
            links.append(pick(LATER_LINKS, generator) if links[-1] else "")
        else:
            links.append(pick(LINKS, generator))
    words = {meaning: pick(words, generator) for meaning, words in (RELATION_WORDS | SIZE_WORDS).items()}
    return Wording(tuple(determiners), tuple(links), words)


def joins(subjects: tuple[int, ...], position: int) -> bool:
    """Return whether "and" comes before this relation: it shares its subject with the one before."""
    return position > 0 and subjects[position] == subjects[position - 1]


def put_into_words(description: Description, wording: Wording) -> Sentence:
    tokens: list[str] = []
    heads: list[int] = []
    for mention, phrase in enumerate(description.phrases):
        if mention:
            tokens += ["and"] if joins(description.subjects, mention - 1) else []
            tokens += wording.links[mention - 1].split()
            tokens += wording.words[description.relations[mention - 1]].split()
        size = wording.words[phrase.size] if phrase.size else None
        tokens += [word for word in (wording.determiners[mention], size, phrase.colour, phrase.shape) if word]
        heads.append(len(tokens) - 1)
    return Sentence(tuple(tokens), tuple(heads))
