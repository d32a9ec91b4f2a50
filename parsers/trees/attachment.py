"""Passes that attach prepositions and participles to one of the two nouns that they may describe.

The tree gives the two candidates: a thing, and what that thing is related to. The rules come from captions with graphs
that people wrote; parsers trained on other text often choose the wrong one.
"""

from parsers.trees.dependencies import Dependencies
from parsers.trees.tree import ROOT
from parsers.trees.word_passes import CLAUSES, NOUNS, OBLIQUE, SUBJECTS
from parsers.words.lexicon import Tag, is_listed, tag_of, words


def attach_prepositions(sentence: Dependencies) -> None:
    """ "man holding a bat on a field" is about the man, "face on a cupcake in a wrapper" about the cupcake."""
    for unit in sentence.units_in_order():
        found = two_candidates(sentence, unit)
        if found is not None:
            governor, thing = found
            wanted = governor if passes_over(sentence, governor, thing, unit) else thing
            if wanted != sentence.head(unit):
                sentence.move(unit, wanted, "nmod" if sentence.upos(wanted) in NOUNS else "obl")


def two_candidates(sentence: Dependencies, unit: int) -> tuple[int, int] | None:
    """Return the noun or verb, and the thing that depends on it, to either of which the preposition may belong."""
    above = sentence.head(unit)
    if sentence.relation(unit) not in OBLIQUE or above == ROOT or above > unit:
        return None
    if sentence.children(unit, "cc"):
        return None  # "below a ring and left of a star": after "and" it is the governor's, as the tree says
    before = [
        child
        for child in sentence.children(above, "obj", *OBLIQUE)
        if above < child < unit and sentence.upos(child) in NOUNS
    ]
    if before:
        return above, before[-1]
    first = first_conjunct(sentence, above)
    is_thing = sentence.upos(above) in NOUNS and sentence.relation(first) in ("obj", *OBLIQUE)
    return (sentence.head(first), above) if is_thing and ROOT < sentence.head(first) < above else None


def passes_over(sentence: Dependencies, governor: int, thing: int, unit: int) -> bool:
    """Return whether the preposition before `unit` belongs to the governor, not to the thing."""
    first = first_conjunct(sentence, thing)
    preposition, inbound = prepositions(sentence, unit), prepositions(sentence, first)
    person = subject(sentence, governor)
    if inbound == "of":
        is_definite = bool(sentence.children(thing, "det", "nmod:poss")) or is_a(sentence, thing, "animates")
        is_part = is_a(sentence, governor, "gatherings") or is_a(sentence, governor, "body_parts")
        return not (is_definite or is_part) or is_a(sentence, governor, "images")
    if is_a(sentence, thing, "animates") or refers_back(sentence, unit):
        return False
    is_object = sentence.relation(first) == "obj"
    link = inbound or sentence.text(governor)
    in_clothes = link in words("carrying") and is_worn(sentence, thing)
    if is_a(sentence, unit, "body_parts") or (is_object and is_a(sentence, thing, "body_parts")):
        return preposition == "with"
    if preposition in ("with", "without"):
        return not in_clothes or is_worn(sentence, unit)
    if not is_a(sentence, person, "animates"):
        return preposition == "above" and sentence.text(thing) == "wall"  # "a mirror on the wall above a sink"
    if preposition == "in" and is_worn(sentence, unit):
        return True
    return preposition in words("loose_prepositions") and (in_clothes or is_object)


def attach_participles(sentence: Dependencies) -> None:
    """ "people in the rain carrying umbrellas": attach an action, and a clause with "who", to people."""
    for unit in sentence.units_in_order():
        noun = sentence.head(unit)
        if sentence.relation(unit) not in CLAUSES or noun == ROOT:
            continue
        opening = [sentence.text(child) for child in sentence.children(unit, *SUBJECTS)]
        verb = sentence.text(unit).partition(" ")[0]
        is_action = verb.endswith("ing") and verb != "having"
        if not opening:
            pass_over_carried(sentence, unit, is_action)
        if opening == ["who"] or (not opening and (is_action or verb == "dressed")):
            find_actor(sentence, unit)


def pass_over_carried(sentence: Dependencies, unit: int, is_action: bool) -> None:
    """ "line of cars parked": the cars are parked; "vase with flowers sitting": the vase sits."""
    noun = sentence.head(unit)
    counted = [
        child
        for child in sentence.children(noun, "nmod")
        if prepositions(sentence, child) == "of" and child < unit and not is_content(sentence, noun, child)
    ]
    is_carried = prepositions(sentence, noun) in words("carrying") and sentence.relation(noun) == "nmod"
    if counted:
        sentence.move(unit, counted[-1], sentence.relation(unit))
    elif is_action and is_carried and sentence.relation(unit) == "acl" and not is_a(sentence, noun, "animates"):
        sentence.move(unit, sentence.head(noun), "acl")


def is_content(sentence: Dependencies, whole: int, unit: int) -> bool:
    """Return whether a unit is the content of a whole, as food of a plate, not somebody or one of many."""
    is_one = tag_of(sentence.text(unit).rpartition(" ")[2]) is Tag.NOUN
    is_known = any(is_a(sentence, unit, name) for name in ("animates", "settings"))
    is_place = any(is_a(sentence, whole, name) for name in ("gatherings", "places"))
    return is_one and not is_known and not is_place


def find_actor(sentence: Dependencies, unit: int) -> None:
    noun = sentence.head(unit)
    if is_actor(sentence, noun):
        return
    within = [child for child in sentence.children(noun, "nmod") if child < unit]
    within += [child for other in within for child in sentence.children(other, "conj") if child < unit]
    people = [other for other in (*sentence.ancestors(noun), *within) if is_a(sentence, other, "animates")]
    if people:
        sentence.move(unit, max((other for other in people if other < unit), default=noun), sentence.relation(unit))


def first_conjunct(sentence: Dependencies, unit: int) -> int:
    while sentence.relation(unit) == "conj" and sentence.head(unit) < unit:
        unit = sentence.head(unit)
    return unit


def subject(sentence: Dependencies, governor: int) -> int:
    """Return the subject of a verb, or the noun itself."""
    subjects = sentence.children(governor, *SUBJECTS)
    if subjects:
        return subjects[0]
    above = sentence.head(governor)
    is_clause = sentence.upos(governor) not in NOUNS and sentence.relation(governor) in CLAUSES
    return above if is_clause else governor


def prepositions(sentence: Dependencies, unit: int) -> str:
    return " ".join(sentence.text(case) for case in sentence.children(unit, "case") if case < unit)


def refers_back(sentence: Dependencies, unit: int) -> bool:
    """ "with a logo on it": the pronoun is the thing."""
    return any(sentence.text(child) in ("it", "them") for child in sentence.children(unit, *OBLIQUE))


def is_a(sentence: Dependencies, unit: int, name: str) -> bool:
    return is_listed(sentence.text(unit).rpartition(" ")[2], name)


def is_actor(sentence: Dependencies, unit: int) -> bool:
    return is_a(sentence, unit, "animates") or is_a(sentence, unit, "body_parts")


def is_worn(sentence: Dependencies, unit: int) -> bool:
    return is_a(sentence, unit, "clothes") or sentence.text(unit) in words("colours")
