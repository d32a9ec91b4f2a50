"""Of whom a relation is said: by default of the phrase nearest before it; the exceptions are here."""

from parsers.lexical.clause_state import Reading
from parsers.lexical.phrases import Phrase, Relation
from parsers.words.lemmas import verb_base
from parsers.words.lexicon import Tag, is_listed, words
from parsers.words.negation import NO

PERSONAL = frozenset({"who", "whom"})
"""Relative words that only a person or an animal answers to."""
PERSONAL_PRONOUNS = frozenset({"him", "her", "himself", "herself"})
EMERGING = frozenset({"coming", "sticking", "hanging", "protruding", "growing", "flowing", "pouring", "rising"})
"""Verbs of what a thing has rather than of the thing: "a train with smoke coming out of it"."""
SAYING = frozenset({"says", "say", "saying", "said"})
"""What signs do as well: "a man by a sign that says stop"."""
WEARING = frozenset({"wearing", "wears", "dressed"})
NUMBER_OF_VERB = {"is": Tag.NOUN, "was": Tag.NOUN, "has": Tag.NOUN, "are": Tag.PLURAL, "were": Tag.PLURAL}


def subjects_of(reading: Reading, relation: Relation, target: Phrase | None) -> list[int]:
    if reading.joined and reading.anchor:
        return actors(reading, relation, reading.anchor)
    if reading.opened and reading.clause and relation.preposition and not relation.verb:
        return reading.clause  # "a man touching his lips while on a phone"
    if reading.relative:
        agreeing = agreeing_with(reading, relation)
        return agreeing if relation.verb == Tag.POSTURE else actors(reading, relation, agreeing)
    if relation.is_finite:
        return agreeing_clause(reading, relation) or reading.nearest
    if relation.verb:
        return actors(reading, relation, past_what_is_carried(reading, relation))
    return attachment(reading, relation, target)


def agreeing_clause(reading: Reading, relation: Relation) -> list[int]:
    """The clause's subjects; of "a man with a bag and a woman is", only the last, for something stands between them.

    Whom somebody watches or helps do something does it: "a man watching the dogs run".
    """
    clause = reading.clause
    if reading.are_animate(reading.nearest) and is_let_do(reading, relation):
        return reading.nearest
    subjects, inbound = reading.inbound()
    if (
        inbound is not None
        and inbound.text == "of"
        and subjects == clause
        and is_gathering(reading.phrases[clause[-1]])
    ):
        return reading.nearest
    is_apart = len(clause) > 1 and clause[-1] - clause[-2] > 1
    return clause[-1:] if is_apart and NUMBER_OF_VERB.get(relation.words[0].text) is Tag.NOUN else clause


def is_let_do(reading: Reading, relation: Relation) -> bool:
    """Whether a verb in its base form says what the one just named is watched, helped or told to do."""
    _, inbound = reading.inbound()
    verb = relation.words[relation.tags.index(Tag.VERB)].text if Tag.VERB in relation.tags[:2] else ""
    is_base = verb != "" and relation.tags[0] in "VT" and verb_base(verb) == verb
    return is_base and inbound is not None and inbound.verb in (Tag.ING, Tag.POSTURE)


def is_gathering(phrase: Phrase) -> bool:
    """Whether it is only its members: a "line of cars"."""
    return is_listed(phrase.head.text, "gatherings")


def agreeing_with(reading: Reading, relation: Relation) -> list[int]:
    """What a relative clause is about: the nearest phrase, or the one before it that its verb agrees with."""
    if reading.relative in PERSONAL and not any(reading.phrases[index].is_animate for index in reading.nearest):
        return reading.nearest_animate() or reading.nearest
    number = NUMBER_OF_VERB.get(relation.words[0].text)
    subjects, _ = reading.inbound()
    if number is None or len(subjects) != 1:
        return reading.nearest
    here, before = (reading.phrases[index].head.tag for index in (reading.nearest[-1], subjects[0]))
    agrees = before is number and here in NUMBER_OF_VERB.values() and here is not number
    return subjects if agrees else reading.nearest


def past_what_is_carried(reading: Reading, relation: Relation) -> list[int]:
    """Of "a vase with flowers sitting on a table", the vase: what only says where or with what is passed over."""
    subjects, inbound = reading.inbound()
    if not subjects or inbound is None or reading.phrases[reading.nearest[-1]].is_animate:
        return reading.nearest
    if inbound.text == "of":
        holds = is_content(reading.phrases[subjects[-1]], reading.phrases[reading.nearest[-1]])
        return subjects if holds and relation.verb in (Tag.POSTURE, Tag.PARTICIPLE) else reading.nearest
    if inbound.text not in words("carrying") and inbound.text != "on":
        return reading.nearest
    if any(word.text == NO for word in reading.phrases[reading.nearest[-1]].modifiers):
        return subjects  # "a plant with no leaves sticking out of the snow"
    first, is_with = relation.spoken[0].text, inbound.text == "with"
    describes = relation.verb == Tag.PARTICIPLE and (
        is_with or (reading.phrases[subjects[-1]].is_animate and first not in words("placing_verbs"))
    )
    return reading.nearest if describes or (is_with and first in EMERGING) else subjects


def is_content(phrase: Phrase, of: Phrase) -> bool:
    """Whether "plate of food" names a thing and what it is of, not some members ("line of cars") or a place of it."""
    is_thing = of.head.tag is Tag.NOUN and not of.is_setting
    return is_thing and not is_gathering(phrase) and not is_listed(phrase.head.text, "places")


def actors(reading: Reading, relation: Relation, default: list[int]) -> list[int]:
    """Somebody does what an action says: the default, or else the nearest person or animal."""
    first = relation.spoken[0].text
    is_action = relation.verb in ("V", "G", "g") and first not in HAVING | EMERGING | SAYING
    if not (is_action or first in WEARING):
        return default
    if any(can_do(reading.phrases[index], first) for index in default):
        return default
    return reading.nearest_animate() or default


def can_do(phrase: Phrase, verb: str) -> bool:
    """Whether it is somebody, or a part of a body that does such things: a hand holds, but wears nothing."""
    is_acting = is_listed(phrase.head.text.rpartition(" ")[2], "acting_parts") and verb not in WEARING
    return phrase.is_animate or is_acting


def attachment(reading: Reading, relation: Relation, target: Phrase | None) -> list[int]:
    """Where a preposition without a verb belongs."""
    subjects, inbound = reading.inbound()
    if not subjects or inbound is None or relation.text == "of":
        return reading.nearest
    here, subject = reading.phrases[reading.nearest[-1]], reading.phrases[subjects[-1]]
    if inbound.text == "of":
        return subjects if is_whole(subject, here) else reading.nearest
    return subjects if passes_over(relation, target, here, inbound, subject) else reading.nearest


def is_whole(phrase: Phrase, of: Phrase) -> bool:
    """Whether what is said next is said of a "plate of food", not of the food; but "line of cars", "leg of the man"."""
    is_part = phrase.is_body_part or is_gathering(phrase)
    return is_listed(phrase.head.text, "images") or not (is_part or of.is_determined or of.is_animate)


def owner(reading: Reading, index: int) -> int | None:
    """Whose "his" before a phrase is: the clause's person or animal, or else the nearest before it."""
    earlier = [other for other in range(index) if reading.phrases[other].is_animate]
    found = [other for other in earlier if other in reading.clause] or earlier
    return found[-1] if found else None


def meant(reading: Reading, subjects: list[int], pronoun: str) -> int | None:
    """What a pronoun stands for: what the subject was related to, unless only something nearer can be him or it."""
    if not subjects:
        return None
    related, _ = reading.answered.get(subjects[-1], ([], None))
    before = related[-1] if related else reading.referent
    if pronoun in PERSONAL_PRONOUNS:
        people = [index for index in range(subjects[-1]) if reading.phrases[index].is_animate]
        return people[-1] if people and people[-1] not in subjects else before
    if before in subjects:
        return None
    if before is None or not reading.phrases[before].is_animate:
        return before
    between = range(subjects[-1] - 1, before, -1)
    return next((index for index in between if not reading.phrases[index].is_animate), before)


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
