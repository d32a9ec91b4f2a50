"""The pass that gives a preposition its noun by the table of `parsers.words.attachment`, as the lexical parser does.

It overrules the tree, so only the trees of a model go through it, not those that a user brings.
"""

from dataclasses import dataclass

from parsers.trees.dependencies import ROOT, Dependencies
from parsers.trees.unit_passes import NOUNS, OBLIQUE, SUBJECTS
from parsers.words.attachment import Classes, colour_classes, is_far, noun_classes, relation_classes
from parsers.words.lexicon import words


@dataclass(frozen=True)
class Inbound:
    """What relates a noun to another one: "holding" in "man holding a bat"."""

    subject: int
    place: int
    """The unit that a preposition of the subject depends on: the verb, or the subject itself."""
    classes: Classes


def attach_prepositions(sentence: Dependencies) -> None:
    """ "man holding a bat on the field": move "field" to the noun that the table names."""
    for target in sentence.in_order():
        cases = sentence.children(target, "case")
        above = sentence.head(target)
        if len(cases) != 1 or above == ROOT or sentence.relation(target) not in OBLIQUE:
            continue
        here = noun_before(sentence, above, cases[0])
        inbound = inbound_of(sentence, here) if here is not None else None
        if here is None or inbound is None or sentence.text(cases[0]) == "of":
            continue
        text = sentence.text(cases[0])
        asked = relation_classes(text, False, text), classes(sentence, target), classes(sentence, here)
        if is_far(*asked, inbound.classes, classes(sentence, inbound.subject)):
            is_noun = sentence.upos(inbound.place) in NOUNS
            sentence.move(target, inbound.place, "nmod" if is_noun else "obl")
        else:
            sentence.move(target, here, "nmod")


def noun_before(sentence: Dependencies, above: int, case: int) -> int | None:
    """Return the last noun before a preposition: the head of its noun, or what that is related to just before."""
    found = [above] if sentence.upos(above) in NOUNS else []
    found += [child for child in sentence.children(above, "obj", *OBLIQUE) if sentence.upos(child) in NOUNS]
    before = [noun for noun in found if noun < case]
    return max(before, default=None)


def inbound_of(sentence: Dependencies, noun: int) -> Inbound | None:
    """Return what relates the noun to its subject, if it has one."""
    above, relation = sentence.parent[noun]
    cases = " ".join(sentence.text(case) for case in sentence.children(noun, "case"))
    if above == ROOT or cases == "of":
        return None
    if relation == "nmod" and sentence.upos(above) in NOUNS:
        return Inbound(above, above, relation_classes(cases, False, cases))
    if sentence.upos(above) != "VERB" or relation not in ("obj", *OBLIQUE):
        return None
    subjects = sentence.children(above, *SUBJECTS)
    subject = subjects[0] if subjects else sentence.head(above)
    if subject == ROOT or sentence.upos(subject) not in NOUNS:
        return None
    text = " ".join(filter(None, (sentence.text(above), cases)))
    return Inbound(subject, above, relation_classes(text, True, cases))


def classes(sentence: Dependencies, unit: int) -> Classes:
    text = sentence.text(unit)
    return colour_classes(text) if text in words("colours") else noun_classes(text, text.endswith("s"))
