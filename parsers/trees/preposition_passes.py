"""Passes for prepositions and for places in the picture."""

from parsers.trees.caption_passes import noun_from
from parsers.trees.dependencies import Dependencies
from parsers.trees.tree import ROOT
from parsers.trees.word_passes import NOUNS, OBLIQUE, SUBJECTS
from parsers.words.lexicon import is_listed, words

NO_OBJECTS = frozenset({"PUNCT", "DET", "CCONJ"})


def turn_prepositions(sentence: Dependencies) -> None:
    """ "in front of the bus": the bus depends on what is in front of it, and the group is its preposition."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) != "ADP":
            continue
        after = [child for child in sentence.children(unit) if child > unit and sentence.upos(child) not in NO_OBJECTS]
        before = [noun for noun in sentence.children(unit, "compound") if noun < unit and sentence.upos(noun) in NOUNS]
        if after:
            object_ = next((child for child in after if sentence.upos(child) in NOUNS), after[0])
            if before:  # "star right of a ring", where "star right" was taken for a compound
                sentence.promote(before[-1], "nmod")
                sentence.move(object_, unit, "nmod")
            sentence.promote(object_, "case")
            above = sentence.head(object_)
            if above != ROOT and sentence.relation(object_) != "conj":
                sentence.attach(object_, above, modifying(sentence, above))
        elif sentence.relation(unit) != "case" and len(sentence.units[unit].tokens) > 1:
            following = noun_from(sentence, sentence.units[unit].tokens[-1] + 1)
            if following is not None:
                sentence.move(unit, following, "case")


def modifying(sentence: Dependencies, head: int) -> str:
    return "nmod" if sentence.upos(head) in NOUNS else "obl"


def leave_out_linking(sentence: Dependencies) -> None:
    """ "star located above a ring": verbs that only link are left out, as "is" is."""
    for unit in sentence.units_in_order():
        places = sentence.children(unit, *OBLIQUE)
        if unit in sentence.linking and places and sentence.head(unit) != ROOT:
            sentence.promote(places[0], "cop")
            above = sentence.head(places[0])
            if sentence.relation(places[0]) != "conj":
                sentence.attach(places[0], above, modifying(sentence, above))


def name_modifiers(sentence: Dependencies) -> None:
    """Attach a preposition after a noun as the noun's modifier; after "and" it is a conjunct."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if above == ROOT or sentence.upos(above) not in NOUNS:
            continue
        is_modifier = sentence.relation(unit) in (*OBLIQUE, "acl:relcl", "acl") and sentence.children(unit, "case")
        if is_modifier and sentence.children(unit, "cc") and sentence.children(above, "case"):
            sentence.attach(unit, above, "conj")
        elif sentence.relation(unit) in OBLIQUE:
            sentence.attach(unit, above, "nmod")


def join_cases(sentence: Dependencies) -> None:
    """ "holding on to": the prepositions of one noun are one unit."""
    for unit in sentence.units_in_order():
        cases = [case for case in sentence.children(unit, "case") if case < unit and not sentence.children(case)]
        if len(cases) > 1:
            sentence.join(cases, " ".join(sentence.text(case) for case in cases), "ADP")


def place_locations(sentence: Dependencies) -> None:
    """ "man on the left", "bowl bottom right": a place in the picture belongs to the noun that it depends on."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) not in ("LOCATION", "PLACE"):
            continue
        if sentence.upos(unit) == "PLACE" and (
            sentence.children(unit, "case") or sentence.relation(unit) in ("amod", "compound", *SUBJECTS)
        ):
            continue
        below = [child for child in sentence.children(unit) if sentence.upos(child) in NOUNS]
        if sentence.head(unit) == ROOT and below:
            sentence.promote(below[0], "place")
        owner = described(sentence, unit)
        if owner is not None:
            for child in sentence.children(unit):
                sentence.move(child, owner, sentence.relation(child))
            sentence.move(unit, owner, "place")


def described(sentence: Dependencies, unit: int) -> int | None:
    """Return the noun that a unit after it describes: the person rather than the clothes."""
    for above in sentence.ancestors(unit):
        subjects = sentence.children(above, *SUBJECTS)
        if subjects and subjects[0] != unit:
            return subjects[0]
        if sentence.upos(above) in NOUNS:
            return wearer(sentence, above)
    return None


def wearer(sentence: Dependencies, noun: int) -> int:
    is_worn = is_listed(sentence.text(noun), "clothes") or sentence.text(noun) in words("colours")
    above = sentence.head(noun)
    if is_worn and above != ROOT and sentence.relation(noun) == "nmod" and sentence.upos(above) in NOUNS:
        return above
    return noun
