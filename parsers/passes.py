"""Passes over the dependencies that come before the rules, in their order, each with the example that proves it."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from parsers import attachment, mending, word_passes
from parsers.dependencies import Dependencies
from parsers.lexicon import is_listed, words
from parsers.tree import ROOT
from parsers.word_passes import NOUNS, OBLIQUE

SUBJECTS = ("nsubj", "nsubj:pass")
RELATIVES = frozenset({"PRON", "SCONJ", "DET", "ADV"})
CLAUSES = ("acl", "acl:relcl", "advcl", "xcomp", "ccomp", "parataxis", "dep")


def turn_prepositions(sentence: Dependencies) -> None:
    """ "in front of the bus": the bus depends on what is in front of it, and the group is its preposition."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) != "ADP":
            continue
        after = [child for child in sentence.children(unit) if child > unit and sentence.upos(child) not in ("PUNCT", "DET")]
        if after:
            taken = next((child for child in after if sentence.upos(child) in NOUNS), after[0])
            sentence.promote(taken, "case")
            above = sentence.head(taken)
            if above != ROOT and sentence.relation(taken) != "conj":
                sentence.parent[taken] = (above, modifying(sentence, above))
        elif sentence.relation(unit) != "case" and len(sentence.units[unit].tokens) > 1:
            following = sentence.units[unit].tokens[-1] + 1
            taken = mending.noun_from(sentence, following)
            if taken is not None:
                sentence.move(unit, taken, "case")


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
                sentence.parent[places[0]] = (above, modifying(sentence, above))


def name_modifiers(sentence: Dependencies) -> None:
    """A preposition after a noun is that noun's, whatever a parser calls it; after "and" it is a conjunct."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if above == ROOT or sentence.upos(above) not in NOUNS:
            continue
        is_modifier = sentence.relation(unit) in (*OBLIQUE, "acl:relcl", "acl") and sentence.children(unit, "case")
        if is_modifier and sentence.children(unit, "cc") and sentence.children(above, "case"):
            sentence.parent[unit] = (above, "conj")
        elif sentence.relation(unit) in OBLIQUE:
            sentence.parent[unit] = (above, "nmod")


def join_cases(sentence: Dependencies) -> None:
    """ "holding on to": the prepositions of one noun are one unit."""
    for unit in sentence.units_in_order():
        cases = [case for case in sentence.children(unit, "case") if case < unit and not sentence.children(case)]
        if len(cases) > 1:
            sentence.join(cases, " ".join(sentence.text(case) for case in cases), "ADP")


def find_main_clause(sentence: Dependencies) -> None:
    """ "the tree by the boat is green": a clause that no relative word opens is about the head of the sentence."""
    for unit in sentence.units_in_order():
        if sentence.relation(unit) not in ("acl:relcl", "acl") or sentence.children(unit, *SUBJECTS):
            continue
        finite = [child for child in sentence.children(unit, "cop", "aux", "aux:pass") if sentence.text(child) in ("is", "are", "was", "were")]
        top = sentence.root
        if finite and sentence.upos(top) in NOUNS and not any(sentence.text(child) in words("relatives") for child in sentence.children(unit)):
            sentence.move(unit, top, "acl")


def place_locations(sentence: Dependencies) -> None:
    """ "man on the left", "bowl bottom right": a place in the picture is said of the noun that it depends on."""
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
    """The noun that something after it describes: not what is only worn, but who wears it."""
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


def turn_passives(sentence: Dependencies) -> None:
    """ "held by a man", "covered in snow": the oblique is the one who does it."""
    for unit in sentence.units_in_order():
        for child in sentence.children(unit, *OBLIQUE):
            prepositions = {sentence.text(case) for case in sentence.children(child, "case")}
            verb = sentence.text(unit).split()[-1]
            by = "by" in prepositions and sentence.upos(unit) == "VERB" and not verb.endswith("ing")
            if (by and verb not in words("placing_verbs")) or (
                verb in words("enclosing_verbs") and prepositions & {"in", "with", "by"}
            ):
                sentence.parent[child] = (unit, "agent")


def name_antecedents(sentence: Dependencies) -> None:
    """ "it" and "that" stand for a noun: a relative word for the one its clause describes, "it" for the one before."""
    for unit in sentence.units_in_order():
        is_relative = sentence.text(unit) in words("relatives") and sentence.upos(unit) in RELATIVES
        if not is_relative and sentence.text(unit) not in ("it", "them"):
            continue
        above = [unit, *sentence.ancestors(unit)]
        nouns = [
            noun
            for below, noun in itertools.pairwise(above)
            if sentence.upos(noun) in NOUNS and noun < unit and sentence.relation(below) != "conj"
        ]
        subjects = [child for verb in above[1:] for child in sentence.children(verb, *SUBJECTS) if child < unit]
        found = (nouns if is_relative else nouns[1:]) or [noun for noun in subjects if noun not in nouns]
        if found:
            refer(sentence, unit, found[0])


def refer(sentence: Dependencies, pronoun: int, noun: int) -> None:
    sentence.stands_for[pronoun] = noun
    sentence.units[pronoun].upos = "NOUN"


def fill_gaps(sentence: Dependencies) -> None:
    """ "the bench the woman is sitting on": a clause with a subject of its own acts on what it describes."""
    for unit in sentence.units_in_order():
        if not sentence.relation(unit).startswith("acl") or sentence.upos(unit) != "VERB":
            continue
        stranded = [
            child
            for child in sentence.children(unit)
            if child > unit and not sentence.children(child) and sentence.text(child) in words("prepositions")
        ]
        own = [child for child in sentence.children(unit, *SUBJECTS) if child not in sentence.stands_for]
        if own and not sentence.children(unit, "obj", "obl"):
            noun = sentence.head(unit)
            for child in stranded[:1]:
                unit = sentence.join([unit, child], f"{sentence.text(unit)} {sentence.text(child)}", "VERB")
            sentence.share(unit, "obj", noun)


def share_conjuncts(sentence: Dependencies) -> None:
    """ "a cat and a dog on a bed", "wearing a hat and holding a cup": conjuncts share what relates them to others."""
    for unit in sentence.units_in_order():
        first = sentence.head(unit)
        if sentence.relation(unit) != "conj":
            continue
        if sentence.upos(unit) == "VERB" and sentence.upos(first) in NOUNS and not sentence.children(unit, *SUBJECTS):
            verb = next((above for above in sentence.ancestors(first) if sentence.upos(above) == "VERB"), None)
            if verb is None:
                sentence.move(unit, (sentence.ancestors(first) or [first])[-1], "acl")
                continue
            sentence.move(unit, verb, "conj")
            first = verb
        has_own = bool(sentence.children(unit, "case"))
        for relation, above in list(sentence.heads(first)):
            sentence.share(above, "loose" if has_own and relation == "obl" else relation, unit)
        if not has_own:
            for case in sentence.children(first, "case"):
                sentence.share(unit, "case", case)
        if not sentence.children(unit, *SUBJECTS):
            for relation, child in list(sentence.dependents(first)):
                if relation in SUBJECTS:
                    sentence.share(unit, relation, child)
        share_modifiers(sentence, first, unit)


def share_modifiers(sentence: Dependencies, first: int, unit: int) -> None:
    """What follows coordinated subjects is said of them all, and so is what refers back: "a knife and fork on it"."""
    for relation, child in list(sentence.dependents(unit)):
        if child in sentence.stands_for and relation == "nmod":
            sentence.share(first, relation, child)
    if sentence.relation(first) not in ("root", *SUBJECTS) or sentence.upos(first) not in NOUNS:
        return
    for relation, child in list(sentence.dependents(first)):
        if child > unit and relation in ("nmod", "acl", "acl:relcl"):
            sentence.share(unit, relation, child)
    for relation, child in list(sentence.dependents(unit)):
        if child > unit and relation in ("nmod", "acl", "acl:relcl"):
            sentence.share(first, relation, child)


def share_subjects(sentence: Dependencies) -> None:
    """ "walking while holding a cup": a clause without a subject has that of the verb it depends on."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if sentence.relation(unit) not in CLAUSES or sentence.upos(unit) != "VERB" or above == ROOT:
            continue
        if sentence.upos(above) in NOUNS:
            sentence.share(above, "acl", unit)
        elif not sentence.children(unit, *SUBJECTS):
            for relation, child in list(sentence.dependents(above)):
                if relation in SUBJECTS:
                    sentence.share(unit, relation, child)
            for relation, noun in list(sentence.heads(above)):
                if relation.startswith("acl"):
                    sentence.share(noun, "acl", unit)


def loosen_obliques(sentence: Dependencies) -> None:
    """ "holding a bat on a field": what follows a verb's first object says where, without the verb."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) in ("ADJ", "ADV"):
            for child in sentence.children(unit, *OBLIQUE):
                prepositions = {sentence.text(case) for case in sentence.children(child, "case")}
                sentence.parent[child] = (unit, "compared" if prepositions & {"to", "than"} else "loose")
        objects = sentence.children(unit, "obj", "agent")
        for number, child in enumerate(sentence.children(unit, *OBLIQUE)):
            if sentence.upos(unit) == "VERB":
                is_first = not number and not any(other < child for other in objects)
                sentence.parent[child] = (unit, "obl" if is_first else "loose")


@dataclass(frozen=True)
class Pass:
    name: str
    apply: Callable[[Dependencies], None]
    example: str
    tree: str
    expected: str


PASSES = (
    word_passes.join_groups,
    word_passes.leave_out_introductions,
    word_passes.name_nouns,
    word_passes.count_quantities,
    turn_prepositions,
    leave_out_linking,
    name_modifiers,
    mending.mend_stranded,
    mending.mend_subjects,
    mending.mend_adjectives,
    mending.mend_actions,
    mending.mend_objects,
    mending.mend_gaps,
    join_cases,
    attachment.attach_prepositions,
    place_locations,
    word_passes.join_negation,
    word_passes.join_particles,
    word_passes.join_verbs,
    turn_passives,
    find_main_clause,
    attachment.attach_participles,
    name_antecedents,
    fill_gaps,
    loosen_obliques,
    share_subjects,
    share_conjuncts,
)


def rewrite(sentence: Dependencies) -> None:
    for apply in PASSES:
        apply(sentence)
