"""Which of two phrases a preposition belongs to: the one just before it, or the one that this is related to.

"man holding a bat on the field": the man is on the field. "man holding a bat with a logo": the bat has the logo.
"""

from parsers.lexical.phrases import Phrase, Relation
from parsers.words.lexicon import Tag, words

HAVING = frozenset({"has", "have", "having", "had"})
"""Verbs that anything may do: "a dress that has a hood"."""
BESIDE = frozenset(
    {"at", "near", "by", "behind", "beside", "next to", "in front of", "infront of", "along", "across", "down", "above"}
)
"""Prepositions that place a whole scene rather than the thing before them."""


def passes_over(relation: Relation, target: Phrase | None, here: Phrase, inbound: Relation, subject: Phrase) -> bool:
    """Whether the relation says something of `subject`, not of `here`, which the `inbound` relation ties to it."""
    target_is_worn, target_is_setting = target is not None and target.is_worn, target is not None and target.is_setting
    if target_is_setting and brings_along(here, inbound) and relation.text in ("in", "on", "at"):
        return True
    if here.is_animate:
        return False
    if here.is_colour and inbound.text != "with":
        return True  # "a word written in blue on a sign", but "with white on its face"
    if relation.text == "with" and target is not None and target.is_animate:
        return True
    if inbound.text in HAVING:
        return False
    if not subject.is_animate:
        return places(relation) and (passes_over_things(here, inbound) or hangs_above(relation, here))
    if target is not None and target.is_body_part:
        return relation.text == "with"  # but "a bag on his back"
    if here.is_body_part and inbound.verb:
        return False
    if here.is_setting and inbound.preposition:
        return True
    if target is not None and target.is_marking:
        return inbound.text == "in" and not here.is_worn
    if relation.text in ("with", "without"):
        return not here.is_worn or inbound.preposition == "in" or (inbound.text in words("carrying") and target_is_worn)
    if relation.text == "in" and (target_is_worn or target_is_setting):
        return target_is_worn or not (inbound.verb and inbound.preposition)
    if inbound.text in words("carrying") and here.is_worn:
        return places(relation) or relation.text in ("on", "in")
    if inbound.verb and not inbound.preposition:
        return places(relation) or relation.text == "on"
    return places(relation) and not target_is_setting


def brings_along(here: Phrase, inbound: Relation) -> bool:
    """ "a couple with a dog on the beach", but "a tree with leaves on the ground"."""
    return inbound.text == "with" and here.head.tag is Tag.NOUN and not here.is_body_part


def passes_over_things(here: Phrase, inbound: Relation) -> bool:
    """Whether what is beside another is not what a thing has, or the ground it is on, but the thing."""
    return inbound.text == "with" or (here.is_setting and inbound.preposition in ("on", "in"))


def hangs_above(relation: Relation, here: Phrase) -> bool:
    """ "a mirror on the wall above a sink": the mirror."""
    return relation.text == "above" and here.head.text == "wall"


def places(relation: Relation) -> bool:
    return relation.text in BESIDE or relation.words[-1].text.endswith((" left of", " right of", " side of"))
