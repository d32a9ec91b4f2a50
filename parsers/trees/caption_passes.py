"""Passes that correct typical errors of parsers in captions, which are mostly noun phrases, not whole sentences.

If word order and the tree contradict each other, they follow word order. They change nothing in a correct tree.
"""

from parsers.trees.dependencies import Dependencies
from parsers.trees.tree import ROOT
from parsers.trees.word_passes import BE, CLAUSES, NOUNS, OBLIQUE, SUBJECTS
from parsers.words.lexicon import is_listed, words
from parsers.words.tokens import APOSTROPHES

MODIFIERS = ("amod", "compound", "nmod", "conj")


def fix_subjects(sentence: Dependencies) -> None:
    """ "woman in a shirt is sitting": a noun after a preposition is a modifier, not a subject or conjunct."""
    for unit in sentence.units_in_order():
        before = [case for case in sentence.children(unit, "case") if case < unit and sentence.upos(case) == "ADP"]
        above = sentence.head(unit)
        subjects = sentence.children(unit, *SUBJECTS)
        if sentence.relation(unit) == "conj" and subjects and above < subjects[0] and is_bare(sentence, above):
            sentence.move(subjects[0], above, "conj")
            sentence.move(unit, above, "acl")
        if not before or above == ROOT:
            continue
        is_new = sentence.relation(unit) == "conj" and not sentence.children(above, "case") and above < before[0]
        if is_new and sentence.upos(above) in NOUNS:
            sentence.move(unit, above, "nmod")
        elif sentence.relation(unit) in SUBJECTS and above > unit:
            nouns = [noun for noun in sentence.members() if noun < before[0] and sentence.upos(noun) in NOUNS]
            if nouns:
                sentence.move(unit, nouns[-1], "nmod")


def is_bare(sentence: Dependencies, unit: int) -> bool:
    """Return whether a noun has no copula, preposition, modifier or subject."""
    said = ("cop", "case", "nmod", "acl", "acl:relcl", *SUBJECTS)
    return sentence.upos(unit) in NOUNS and not sentence.children(unit, *said)


def fix_objects(sentence: Dependencies) -> None:
    """ "a man wearing a hat is smiling": a noun right after a verb without an object is its object."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) != "VERB" or sentence.children(unit, "obj", "agent", *OBLIQUE):
            continue
        following = noun_from(sentence, sentence.units[unit].tokens[-1] + 1)
        if following is None or following == unit:
            continue
        above, relation = sentence.parent[following]
        if sentence.children(following, "case"):
            if relation == "nmod" and above == sentence.head(unit) and sentence.relation(unit) in CLAUSES:
                sentence.move(following, unit, "obl")
            continue
        if relation in SUBJECTS and sentence.relation(unit) in CLAUSES and above > following:
            sentence.move(above, sentence.head(unit), "acl")
            sentence.move(following, unit, "obj")
        elif above == unit:
            if relation == "xcomp" and sentence.children(following, "det"):
                sentence.move(following, unit, "obj")
        elif relation in ("nmod", "appos", "dep", "conj") and sentence.relation(unit) in CLAUSES:
            sentence.move(following, unit, "obj")


def noun_from(sentence: Dependencies, token: int) -> int | None:
    """Return the noun whose phrase starts at a token; among several, the one that the others depend on."""
    found = [
        unit
        for unit in sentence.members()
        if sentence.upos(unit) in (*NOUNS, "PRON", "ADJ") and sentence.start(unit) == token
    ]
    return min(found, key=lambda unit: (len(sentence.ancestors(unit)), unit), default=None)


def fix_actions(sentence: Dependencies) -> None:
    """ "trees surrounding lake", "platter holding desserts": an action between two nouns relates them."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if sentence.upos(unit) != "VERB" or not sentence.text(unit).endswith("ing"):
            continue
        if above == ROOT and not sentence.children(unit, *SUBJECTS):
            astray = [
                word
                for child in sentence.children(unit)
                for word in sentence.children(child)
                if word < unit < child and sentence.relation(word) in MODIFIERS
            ]
            astray += [child for child in sentence.children(unit, *MODIFIERS) if child < unit]
            if astray:
                sentence.units[astray[-1]].upos = "NOUN"
                sentence.move(astray[-1], unit, "nsubj")
        elif sentence.relation(unit) == "amod" and sentence.start(above) == sentence.units[unit].tokens[0]:
            governor = sentence.head(above)
            is_bare = sentence.relation(above) in ("nmod", "appos", "dep") and not sentence.children(above, "case")
            if governor != ROOT and is_bare and governor < unit and sentence.upos(governor) in NOUNS:
                sentence.attach(unit, governor, "acl")
                sentence.attach(above, unit, "obj")


def fix_adjectives(sentence: Dependencies) -> None:
    """ "wearing blue and green outfit": an adjective before a noun of the same phrase describes that noun."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if above == ROOT:
            continue
        if sentence.relation(unit) in ("amod", "compound") and sentence.relation(above) == "compound":
            sentence.move(unit, sentence.head(above), sentence.relation(unit))
        if sentence.upos(unit) != "ADJ":
            continue
        if sentence.relation(unit) == "xcomp" and above < unit:
            nouns = [noun for noun in sentence.children(above, "obj", "obl") if noun > unit]
            if nouns and sentence.start(nouns[0]) <= sentence.units[unit].tokens[-1] + 2:
                sentence.move(unit, nouns[0], "amod")
        elif sentence.relation(unit) == "amod" and sentence.upos(above) == "ADJ" and unit < above:
            described = sentence.head(above)
            if sentence.relation(above) == "amod" and described != ROOT:
                sentence.move(unit, described, "amod")


def fix_stranded(sentence: Dependencies) -> None:
    """ "with a hat on": a preposition after its noun relates it to nothing."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if above != ROOT and sentence.relation(unit) == "case" and above < unit and sentence.upos(unit) == "ADP":
            sentence.attach(unit, above, "compound:prt")


def fix_marks(sentence: Dependencies) -> None:
    """ "the boy's father's hat": an 's is of the noun just before it; "in a man's hand": the "in" is the hand's."""
    ends = {unit.tokens[-1]: index for index, unit in sentence.units.items() if unit.upos in NOUNS}
    for unit in sentence.units_in_order():
        owner = ends.get(sentence.units[unit].tokens[0] - 1)
        is_mark = sentence.upos(unit) == "PART" and sentence.text(unit)[:1] in APOSTROPHES
        if owner is None or not is_mark:
            continue
        sentence.move(unit, owner, "case")
        if sentence.relation(owner) == "nmod:poss":
            for case in sentence.children(owner, "case"):
                if case < owner:
                    sentence.move(case, sentence.head(owner), "case")


def fix_gaps(sentence: Dependencies) -> None:
    """ "the cushion the remotes are on": two nouns in a row open a clause, whose subject is the second."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) not in ("VERB", "AUX"):
            continue
        stranded = [
            child
            for child in sentence.children(unit)
            if child > unit and sentence.text(child) in words("prepositions") and not sentence.children(child)
        ]
        nouns = [noun for noun in sentence.members() if noun < unit and sentence.upos(noun) in NOUNS]
        if sentence.upos(unit) == "AUX" and stranded and sentence.text(unit) in BE:
            sentence.units[unit] = sentence.units[stranded[0]]
            sentence.units[unit].upos = "VERB"
            sentence.leave_out(stranded[0])
        if sentence.relation(unit) in CLAUSES and len(nouns) > 1 and not sentence.children(unit, *SUBJECTS):
            second, first = nouns[-1], sentence.head(nouns[-1])
            bare = sentence.relation(second) in ("nmod", "dep", "appos") and not sentence.children(second, "case")
            if bare and first != ROOT and first < second and sentence.upos(first) in NOUNS:
                sentence.move(unit, first, "acl:relcl")
                sentence.move(second, unit, "nsubj")
        elif sentence.head(unit) == ROOT and stranded:
            split_subject(sentence, unit)


def split_subject(sentence: Dependencies, verb: int) -> None:
    """ "boardwalk person is walking on": a clause whose preposition lacks its noun is about the first noun of a run."""
    for subject in sentence.children(verb, *SUBJECTS):
        first = [noun for noun in sentence.children(subject, "compound") if sentence.upos(noun) in NOUNS]
        if first and is_listed(sentence.text(subject), "animates"):
            sentence.attach(first[-1], ROOT, "root")
            sentence.attach(verb, first[-1], "acl:relcl")
            for other in first[:-1]:
                sentence.move(other, first[-1], "compound")
