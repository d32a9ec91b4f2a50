"""What a word is right after a person or an animal: what they do, or a thing that is named after them."""

from parsers.words.lexicon import Tag, is_listed, tag_of, words

DEEDS_OR_THINGS = frozenset({Tag.NOUN, Tag.BASE_OR_NOUN, Tag.FORM_IN_S_OR_NOUN, Tag.ING_OR_NOUN})
DEEDS = DEEDS_OR_THINGS | {Tag.ING, Tag.POSTURE}
OPENING_OBJECTS = frozenset("DIMANnhovzq")
"""The tags of words that may open what somebody acts on."""
OWN = frozenset({"its", "it", "his", "her", "their"})


def deed_or_thing(lower: list[str], start: int, label: Tag, somebody: str) -> Tag:
    """The tag of the word at `start`, which on its own has the tag `label`, one of `DEEDS`, after `somebody`."""
    if opens_compound(lower, start) or is_named_after(lower, start, somebody):
        return Tag.PLURAL if label is Tag.FORM_IN_S_OR_NOUN else Tag.NOUN
    return deed(lower, start, label) if label in DEEDS_OR_THINGS else label


def opens_compound(lower: list[str], start: int) -> bool:
    """Whether two words name a thing: "the girl sewing machine"."""
    pair = lower[start : start + 2]
    return len(pair) == 2 and is_listed(" ".join(pair), "named_after")


def is_named_after(lower: list[str], start: int, somebody: str) -> bool:
    """Whether the word names a thing: "a dog treat". A person paints, but "the bear painting" is a picture."""
    if not is_listed(lower[start], "named_after") or opens_object(lower, start + 1):
        return False
    if not lower[start].endswith("ing"):
        return True
    with_trunk = lower[start + 1 : start + 2] == ["with"] and not OWN.isdisjoint(lower[start + 2 : start + 3])
    return is_listed(somebody.rpartition(" ")[2], "animals") and not with_trunk  # only elephants paint


def opens_object(lower: list[str], start: int) -> bool:
    is_preposition = " ".join(lower[start : start + 2]) in words("prepositions")
    return start < len(lower) and tag_of(lower[start]) in OPENING_OBJECTS and not is_preposition


def deed(lower: list[str], start: int, label: Tag) -> Tag:
    """What somebody just named does is no thing: "people shopping", "a child sleep on a bed"."""
    following = tag_of(lower[start + 1]) if start + 1 < len(lower) else Tag.PUNCTUATION
    if lower[start].endswith("ing"):
        return label if lower[start] in words("nouns") and following is not Tag.DETERMINER else Tag.POSTURE
    return Tag.VERB if label is not Tag.NOUN and following in "PTDIX" else label


def opens_deed(lower: list[str], end: int) -> bool:
    """Whether what somebody does comes next: "people all wearing helmets"."""
    return end < len(lower) and tag_of(lower[end]) in (Tag.ING, Tag.POSTURE)
