"""Passes that make units of words: groups, particles, chains of verbs, negation, quantities.

Each is a function that rewrites the dependencies; `passes.PASSES` holds the order and an example of each.
"""

from parsers.lexical.tagger import tag
from parsers.trees.dependencies import Dependencies
from parsers.trees.tree import ROOT
from parsers.words.lexicon import Tag, is_listed, words
from parsers.words.negation import NO, is_negation

CLASS_OF_GROUP = {
    Tag.PREPOSITION: "ADP",
    Tag.PRONOUN: "PRON",
    Tag.PLACE: "PLACE",
    Tag.ADVERB: "ADV",
    Tag.ADJECTIVE: "ADJ",
    Tag.NOUN: "NOUN",
    Tag.PLURAL: "NOUN",
    Tag.LOCATION: "LOCATION",
    Tag.INTRODUCTION: "INTRODUCTION",
    Tag.POSSESSIVE: "PART",
    Tag.NEGATION: "PART",
}
NOUNS = frozenset({"NOUN", "PROPN"})
SUBJECTS = ("nsubj", "nsubj:pass")
CLAUSES = ("acl", "acl:relcl")
BE = frozenset({"is", "are", "was", "were"})
OBLIQUE = ("obl", "nmod", "obl:tmod", "obl:npmod", "obl:agent", "obl:unmarked")


def join_groups(sentence: Dependencies) -> None:
    """Join the words that the lexicon joins; mark words for a place."""
    for word in tag(sentence.tokens):
        if word.tag in (Tag.AUXILIARY, Tag.ADVERB) and sentence.upos(word.tokens[0]) == "VERB":
            sentence.linking.add(word.tokens[0])
        if len(word.tokens) > 1:
            sentence.join(word.tokens, word.text, CLASS_OF_GROUP.get(word.tag, "NOUN"))
        elif word.tag is Tag.INTRODUCTION:
            sentence.units[word.tokens[0]].upos = "INTRODUCTION"
        elif word.tag is Tag.PLACE and not sentence.children(word.tokens[0], "case", "det", "nmod:poss", "amod"):
            sentence.units[word.tokens[0]].upos = "PLACE"


def leave_out_introductions(sentence: Dependencies) -> None:
    """ "there is a man", "a photo of a bus": the noun takes the place of the introduction."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) != "INTRODUCTION" or len(sentence.units) == 1:
            continue
        below = sentence.children(unit)
        if below:
            announced = next((child for child in below if sentence.upos(child) in NOUNS), below[0])
            sentence.promote(announced, "discourse")
        sentence.leave_out(unit)


def name_nouns(sentence: Dependencies) -> None:
    """ "everyone", "he" and "the tallest" are objects of the scene, as nouns are."""
    for unit in sentence.units_in_order():
        word = sentence.units[unit]
        is_head = sentence.children(unit, "det", "case") or sentence.head(unit) == ROOT
        if (
            word.upos == "ADJ"
            and is_head
            and not sentence.children(unit, "nsubj")
            and sentence.relation(unit) != "amod"
        ):
            word.upos = "NOUN"
        if word.upos == "PRON" and (is_listed(word.text, "nouns") or word.text in words("subject_pronouns")):
            word.upos = "NOUN"


def join_particles(sentence: Dependencies) -> None:
    """ "picking up", "facing left": the verb and the particle or place next to it are one unit."""
    for unit in sentence.units_in_order():
        if sentence.upos(unit) != "VERB":
            continue
        for child in sentence.children(unit):
            follows = sentence.units[child].tokens[0] == sentence.units[unit].tokens[-1] + 1
            if follows and not sentence.children(child) and is_particle(sentence, child):
                unit = sentence.join([unit, child], f"{sentence.text(unit)} {sentence.text(child)}", "VERB")


def is_particle(sentence: Dependencies, unit: int) -> bool:
    if sentence.relation(unit) == "compound:prt" or sentence.upos(unit) == "PLACE":
        return True
    return sentence.text(unit) in words("prepositions")


def join_verbs(sentence: Dependencies) -> None:
    """ "trying to catch", "about to hit" become one unit, which has the objects of the last verb."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if sentence.upos(unit) != "VERB" or above == ROOT or above > unit or sentence.children(unit, "nsubj"):
            continue
        between = [mark for mark in sentence.children(unit, "mark") if sentence.text(mark) == "to"]
        opens = sentence.upos(above) == "VERB" or sentence.text(above) in words("opening_verbs")
        chained = sentence.relation(unit) == "xcomp" or (between and sentence.relation(unit) in ("advcl", "acl"))
        if opens and chained and not sentence.children(above, "obj"):
            members = [above, *between, unit]
            sentence.join(members, " ".join(sentence.text(member) for member in members), "VERB")


def join_negation(sentence: Dependencies) -> None:
    """ "not wearing" becomes one unit; in "no hat", "no" becomes an attribute of the hat."""
    for unit in sentence.units_in_order():
        above = sentence.head(unit)
        if sentence.text(unit) == NO and above != ROOT:
            sentence.attach(unit, above, "amod")
        elif is_negation(sentence.text(unit)) and above != ROOT and sentence.upos(above) in ("VERB", "ADJ"):
            sentence.join([unit, above], sentence.text(above), sentence.upos(above))


def count_quantities(sentence: Dependencies) -> None:
    """ "a lot of horses", "two of the men": the horses are the object, "lot" is their attribute."""
    for unit in sentence.units_in_order():
        counted = [child for child in sentence.children(unit, *OBLIQUE) if is_counted(sentence, unit, child)]
        if counted:
            for of in sentence.children(counted[0], "case"):
                if not sentence.children(of):
                    sentence.leave_out(of)
            sentence.promote(counted[0], "quantity")


def is_counted(sentence: Dependencies, count: int, counted: int) -> bool:
    if not any(sentence.text(case) == "of" for case in sentence.children(counted, "case")) or counted < count:
        return False
    if sentence.text(count) in words("measures"):
        return True
    is_definite = bool(sentence.children(counted, "det", "nmod:poss")) or sentence.upos(counted) == "PRON"
    is_number = sentence.text(count) in words("quantifiers") or sentence.text(count).isdecimal()
    return is_number and is_definite
