"""Passes for clauses: agents, antecedents of pronouns, what conjuncts share."""

import itertools

from parsers.trees.dependencies import ROOT, Dependencies
from parsers.trees.unit_passes import NOUNS, OBLIQUE, SUBJECTS
from parsers.words.lexicon import words

RELATIVES = frozenset({"PRON", "SCONJ", "DET", "ADV"})
CLAUSES = ("acl", "acl:relcl", "advcl", "xcomp", "ccomp", "parataxis", "dep")


def turn_passives(sentence: Dependencies) -> None:
    """ "held by a man", "covered in snow": the oblique is the agent."""
    for unit in sentence.in_order():
        for child in sentence.children(unit, *OBLIQUE):
            prepositions = {sentence.text(case) for case in sentence.children(child, "case")}
            verb = sentence.text(unit).rpartition(" ")[2]
            by = "by" in prepositions and sentence.upos(unit) == "VERB" and not verb.endswith("ing")
            if (by and verb not in words("placing_verbs")) or (
                verb in words("enclosing_verbs") and prepositions & {"in", "with", "by"}
            ):
                sentence.attach(child, unit, "agent")


def name_antecedents(sentence: Dependencies) -> None:
    """ "it" and "that" refer to a noun: a relative word for the one its clause describes, "it" for the one before."""
    for unit in sentence.in_order():
        is_relative = sentence.text(unit) in words("relatives") | words("whose") and sentence.upos(unit) in RELATIVES
        if not is_relative and sentence.text(unit) not in ("it", "them"):
            continue
        above = [unit, *sentence.ancestors(unit)]
        nouns = [
            noun
            for below, noun in itertools.pairwise(above)
            if sentence.upos(noun) in NOUNS and noun < unit and sentence.relation(below) != "conj"
        ]
        verbs = above[1:] if is_relative else above[2:]  # "it" is not what the phrase belongs to
        subjects = [child for verb in verbs for child in sentence.children(verb, *SUBJECTS) if child < unit]
        found = (nouns if is_relative else nouns[1:]) or [noun for noun in subjects if noun not in nouns]
        if found:
            refer(sentence, unit, found[0])


def refer(sentence: Dependencies, pronoun: int, noun: int) -> None:
    sentence.stands_for[pronoun] = noun
    sentence.units[pronoun].upos = "NOUN"


def fill_gaps(sentence: Dependencies) -> None:
    """ "the bench the woman is sitting on": a clause with a subject of its own acts on what it describes."""
    for unit in sentence.in_order():
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


def loosen_obliques(sentence: Dependencies) -> None:
    """ "holding a bat on a field": a preposition after a verb's object relates without the verb."""
    for unit in sentence.in_order():
        if sentence.upos(unit) in ("ADJ", "ADV"):
            for child in sentence.children(unit, *OBLIQUE):
                prepositions = {sentence.text(case) for case in sentence.children(child, "case")}
                sentence.attach(child, unit, "compared" if prepositions & {"to", "than"} else "loose")
        objects = sentence.children(unit, "obj", "agent")
        for number, child in enumerate(sentence.children(unit, *OBLIQUE)):
            if sentence.upos(unit) == "VERB":
                is_first = not number and not any(other < child for other in objects)
                sentence.attach(child, unit, "obl" if is_first else "loose")


def share_subjects(sentence: Dependencies) -> None:
    """ "walking while holding a cup": a clause without a subject has that of the verb it depends on."""
    for unit in sentence.in_order():
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


def share_conjuncts(sentence: Dependencies) -> None:
    """ "a cat and a dog on a bed", "wearing a hat and holding a cup": conjuncts share what relates them to others."""
    for unit in sentence.in_order():
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
    """Share modifiers after coordinated subjects, and those that refer back: "a knife and fork on it"."""
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
