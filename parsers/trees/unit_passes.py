"""Passes that make units of words and give prepositions and places in the picture their nouns.

A pass rewrites the dependencies of one sentence; `tree_graph.PASSES` holds the order.
"""

from parsers.lexical.tagger import tag
from parsers.trees.dependencies import ROOT, Dependencies
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
OBLIQUE = ("obl", "nmod", "obl:tmod", "obl:npmod", "obl:agent", "obl:unmarked")
NO_OBJECTS = frozenset({"PUNCT", "DET", "CCONJ"})
"""Classes of words after a preposition that are not its object."""


def join_groups(sentence: Dependencies) -> None:
    """Join the words that the lexicon joins; mark words for a place."""
    for word in tag(sentence.tokens):
        if not all(token in sentence.units for token in word.tokens):
            continue  # the 's of "t - shirt's", which was joined just before
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
    for unit in sentence.in_order():
        if sentence.upos(unit) != "INTRODUCTION" or len(sentence.units) == 1:
            continue
        below = sentence.children(unit)
        if below:
            announced = next((child for child in below if sentence.upos(child) in NOUNS), below[0])
            sentence.promote(announced, "discourse")
        sentence.leave_out(unit)


def name_nouns(sentence: Dependencies) -> None:
    """ "everyone", "he" and "the tallest" are objects of the scene, as nouns are."""
    for unit in sentence.in_order():
        word = sentence.units[unit]
        opens_phrase = sentence.children(unit, "det", "case") or sentence.head(unit) == ROOT
        is_said_or_modifies = sentence.children(unit, "nsubj") or sentence.relation(unit) == "amod"
        if word.upos == "ADJ" and opens_phrase and not is_said_or_modifies:
            word.upos = "NOUN"
        if word.upos == "PRON" and (is_listed(word.text, "nouns") or word.text in words("subject_pronouns")):
            word.upos = "NOUN"


def join_particles(sentence: Dependencies) -> None:
    """ "picking up", "facing left": the verb and the particle or place next to it are one unit."""
    for unit in sentence.in_order():
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


def join_negation(sentence: Dependencies) -> None:
    """ "not wearing" becomes one unit; in "no hat", "no" becomes an attribute of the hat."""
    for unit in sentence.in_order():
        above = sentence.head(unit)
        if sentence.text(unit) == NO and above != ROOT:
            sentence.attach(unit, above, "amod")
        elif is_negation(sentence.text(unit)) and above != ROOT and sentence.upos(above) in ("VERB", "ADJ"):
            sentence.join([unit, above], sentence.text(above), sentence.upos(above))


def count_quantities(sentence: Dependencies) -> None:
    """ "a lot of horses", "two of the men": the horses are the object, "lot" is their attribute."""
    for unit in sentence.in_order():
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


def turn_prepositions(sentence: Dependencies) -> None:
    """ "in front of the bus": the bus depends on what is in front of it, and the group is its preposition."""
    for unit in sentence.in_order():
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
            following = next((noun for noun in sentence.in_order() if noun > unit and is_head(sentence, noun)), None)
            if following is not None:
                sentence.move(unit, following, "case")


def is_head(sentence: Dependencies, unit: int) -> bool:
    """Return whether it is a noun, but not the "ham" of "ham sandwich"."""
    is_first = sentence.relation(unit) == "compound" and sentence.upos(sentence.head(unit)) in NOUNS
    return sentence.upos(unit) in NOUNS and not is_first


def modifying(sentence: Dependencies, head: int) -> str:
    return "nmod" if sentence.upos(head) in NOUNS else "obl"


def leave_out_linking(sentence: Dependencies) -> None:
    """ "star located above a ring": verbs that only link are left out, as "is" is."""
    for unit in sentence.in_order():
        places = sentence.children(unit, *OBLIQUE)
        if unit in sentence.linking and places and sentence.head(unit) != ROOT:
            sentence.promote(places[0], "cop")
            above = sentence.head(places[0])
            if sentence.relation(places[0]) != "conj":
                sentence.attach(places[0], above, modifying(sentence, above))


def name_modifiers(sentence: Dependencies) -> None:
    """Attach a preposition after a noun as the noun's modifier; after "and" it is a conjunct."""
    for unit in sentence.in_order():
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
    for unit in sentence.in_order():
        cases = [case for case in sentence.children(unit, "case") if case < unit and not sentence.children(case)]
        if len(cases) > 1:
            sentence.join(cases, " ".join(sentence.text(case) for case in cases), "ADP")


def place_locations(sentence: Dependencies) -> None:
    """ "man on the left", "bowl bottom right": a place in the picture belongs to the noun that it depends on."""
    for unit in sentence.in_order():
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
