"""The state of the walk over a sentence, and the subjects that a relation has in this state.

Phrases are named by their index, in the order in which they were found. By default a relation belongs to the nearest
phrase before it; `subjects_of` holds the exceptions. A preposition may belong to the phrase just before it or to the
one that this is related to: in "man holding a bat on the field" the man is on the field, in "man holding a bat with a
logo" the bat has the logo.
"""

from dataclasses import dataclass, field

from parsers.lexical.phrases import Phrase, Relation
from parsers.lexical.tagger import Word
from parsers.words.attachment import is_far
from parsers.words.lexicon import Tag, is_listed, verb_base, words

NO_TARGET = frozenset({"none"})
PERSONAL = frozenset({"who", "whom"})
"""Relative words that stand for a person or an animal."""
PERSONAL_PRONOUNS = frozenset({"him", "her", "himself", "herself"})
EMERGING = frozenset({"coming", "sticking", "hanging", "protruding", "growing", "flowing", "pouring", "rising"})
"""Verbs whose subject is what a thing has: "a train with smoke coming out of it"."""
SAYING = frozenset({"says", "say", "saying", "said"})
"""Verbs of signs as well as of people: "a man by a sign that says stop"."""
WEARING = frozenset({"wearing", "wears", "dressed", "wrapped"})
NUMBER_OF_VERB = {"is": Tag.NOUN, "was": Tag.NOUN, "has": Tag.NOUN, "are": Tag.PLURAL, "were": Tag.PLURAL}


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between two phrases."""

    subject: int
    words: tuple[Word, ...]
    object: int


@dataclass
class ClauseState:
    phrases: list[Phrase] = field(default_factory=list)
    said: dict[int, list[tuple[Word, ...]]] = field(default_factory=dict)
    """Attributes that stand apart from their phrase, such as "standing" and "on the left"."""
    links: list[Link] = field(default_factory=list)
    referent: int | None = None

    clause: list[int] = field(default_factory=list)
    """The subjects of the current clause."""
    nearest: list[int] = field(default_factory=list)
    """The last phrase, with those coordinated with it as subjects."""
    anchor: list[int] = field(default_factory=list)
    """The subjects of the last relation."""
    pending: tuple[list[int], Relation] | None = None
    """The subjects and the relation whose object comes next."""
    answered: dict[int, tuple[list[int], Relation]] = field(default_factory=dict)
    """For each phrase that is an object: the subjects and the relation it completes."""
    gap: int | None = None
    """The phrase that a clause with a subject of its own is about: "the bench the woman sits on"."""
    fronted: tuple[Relation, int] | None = None
    """A relation and its object that came before any subject: "under the window is a bench"."""
    announced: list[Word] = field(default_factory=list)
    """Locations before any phrase: "in the corner is a lamp"."""
    piped: tuple[Word, ...] = ()
    """The preposition before "which": "the sofa on which a dog sits"."""
    holder: int | None = None
    """What "it" meant just before: "a horse with a man on it close to the camera"."""
    has_verb: bool = False
    """Whether the clause's subjects have a finite verb."""
    is_apart: bool = False
    """Whether the last conjunction was only a comma."""
    joined: bool = False
    """Whether a conjunction came just before."""
    conjunction: str = ""
    """The last conjunction."""
    negation: Word | None = None
    """A "not" that waits for what it denies, or may deny what follows "or"."""
    contrasted: int | None = None
    """What the referent is said not to be, before it is named: "not the man , the woman"."""
    relative: str = ""
    """The relative word that came just before."""
    opened: bool = False
    """Whether a subordinator came just before."""

    def add(self, phrase: Phrase) -> int:
        """Append the phrase after its owners, link them, and return its index."""
        chain = [phrase]
        while chain[-1].owner is not None:
            chain.append(chain[-1].owner)
        for part in reversed(chain):
            self.phrases.append(part)
            index = len(self.phrases) - 1
            if part.owner is not None and part.mark is not None:
                self.links.append(Link(index - 1, (part.mark,), index))
        return index

    def answer(self, subjects: list[int], relation: Relation, object_: int) -> None:
        self.answered[object_] = (subjects, relation)
        self.link(self.holders(subjects) if relation.text == "of" else subjects, relation, object_)

    def holders(self, subjects: list[int]) -> list[int]:
        """In "two cakes and a vase of flowers", only the vase holds flowers; but "leaves and branches of a tree"."""
        holds = [is_listed(self.phrases[index].head.text, "holders") for index in subjects]
        is_apart = (
            len(subjects) == 2 and self.phrases[subjects[0]].is_determined < self.phrases[subjects[1]].is_determined
        )
        return subjects[-1:] if is_apart or (subjects and holds[-1] and not all(holds)) else subjects

    def link(self, subjects: list[int], relation: Relation, object_: int) -> None:
        for subject in subjects:
            ends = (object_, subject) if relation.is_passive else (subject, object_)
            denied = self.phrases[object_].denied
            self.links.append(Link(ends[0], (*((denied,) if denied else ()), *relation.spoken), ends[1]))

    def say(self, subjects: list[int], spoken: tuple[Word, ...]) -> None:
        for subject in subjects:
            self.said.setdefault(subject, []).append(spoken)

    def inbound(self) -> tuple[list[int], Relation | None]:
        """Return the subjects and the relation that have the last phrase as their object."""
        return self.answered.get(self.nearest[-1], ([], None)) if self.nearest else ([], None)

    def are_animate(self, indices: list[int]) -> bool:
        return bool(indices) and all(self.phrases[index].is_animate for index in indices)

    def nearest_animate(self) -> list[int]:
        for index in range(len(self.phrases) - 1, -1, -1):
            if self.phrases[index].is_animate:
                return self.clause if index in self.clause else [index]
        return []

    def are_linked(self, one: int, other: int) -> bool:
        return any({link.subject, link.object} == {one, other} for link in self.links)


def subjects_of(state: ClauseState, relation: Relation, target: Phrase | None) -> list[int]:
    if state.holder is not None and not state.joined and not state.relative:
        return actors(state, relation, [state.holder])
    if state.joined and state.anchor:
        return actors(state, relation, state.anchor)
    if state.opened and state.clause and relation.preposition and not relation.verb:
        return state.clause  # "a man touching his lips while on a phone"
    if state.relative:
        agreeing = agreeing_with(state, relation)
        return agreeing if relation.verb == Tag.POSTURE else actors(state, relation, agreeing)
    if relation.is_finite:
        return agreeing_clause(state, relation) or state.nearest
    if relation.verb:
        return actors(state, relation, past_what_is_carried(state, relation))
    return attachment(state, relation, target)


def agreeing_clause(state: ClauseState, relation: Relation) -> list[int]:
    """Return the clause's subjects that agree with the verb; in "a man with a bag and a woman is", only the last.

    In "a man watching the dogs run", the dogs run.
    """
    clause = state.clause
    if state.are_animate(state.nearest) and is_let_do(state, relation):
        return state.nearest
    subjects, inbound = state.inbound()
    if inbound is not None and inbound.text == "of" and subjects == clause and is_gathering(state.phrases[clause[-1]]):
        return state.nearest
    is_apart = len(clause) > 1 and clause[-1] - clause[-2] > 1
    return clause[-1:] if is_apart and NUMBER_OF_VERB.get(relation.words[0].text) is Tag.NOUN else clause


def is_let_do(state: ClauseState, relation: Relation) -> bool:
    """Return whether the verb is a bare infinitive, as after "watching" or "helping"."""
    _, inbound = state.inbound()
    verb = relation.words[relation.tags.index(Tag.VERB)].text if Tag.VERB in relation.tags[:2] else ""
    is_base = verb != "" and relation.tags[0] in "VT" and verb_base(verb) == verb
    return is_base and inbound is not None and inbound.verb in (Tag.ING, Tag.POSTURE)


def is_gathering(phrase: Phrase) -> bool:
    """Return whether it is a group of members: a "line of cars"."""
    return is_listed(phrase.head.text, "gatherings")


def agreeing_with(state: ClauseState, relation: Relation) -> list[int]:
    """Return the subjects of a relative clause: the nearest phrase, or the one before it that the verb agrees with."""
    if state.relative in PERSONAL and not any(state.phrases[index].is_animate for index in state.nearest):
        return state.nearest_animate() or state.nearest
    number = NUMBER_OF_VERB.get(relation.words[0].text)
    subjects, _ = state.inbound()
    if number is None or len(subjects) != 1:
        return state.nearest
    here, before = (state.phrases[index].head.tag for index in (state.nearest[-1], subjects[0]))
    agrees = before is number and here in NUMBER_OF_VERB.values() and here is not number
    return subjects if agrees else state.nearest


def past_what_is_carried(state: ClauseState, relation: Relation) -> list[int]:
    """Skip what the subject carries: in "a vase with flowers sitting on a table", the vase sits."""
    subjects, inbound = state.inbound()
    if not subjects or inbound is None or state.phrases[state.nearest[-1]].is_animate:
        return state.nearest
    if inbound.text == "of":
        holds = is_content(state.phrases[subjects[-1]], state.phrases[state.nearest[-1]], relation)
        return subjects if holds and relation.verb in (Tag.POSTURE, Tag.PARTICIPLE) else state.nearest
    if inbound.text in words("naming"):
        return subjects  # "a boat named tempest docked at a pier"
    if inbound.text not in words("carrying") and inbound.text != "on":
        return state.nearest
    if state.phrases[state.nearest[-1]].is_absent:
        return subjects  # "a plant with no leaves sticking out of the snow"
    here, first = state.phrases[state.nearest[-1]], relation.spoken[0].text
    is_limb = is_listed(here.head.text, "acting_parts") and not here.is_animate
    if is_limb and (first in words("limb_verbs") or (relation.verb == Tag.ING and here.possessive is not None)):
        return state.nearest  # "with his hand touching his face", "with head leaning over a fence"
    is_with = inbound.text == "with"
    describes = relation.verb == Tag.PARTICIPLE and (
        is_with or (state.phrases[subjects[-1]].is_animate and first not in words("placing_verbs"))
    )
    is_turned = first in words("turned") and not state.phrases[subjects[-1]].is_animate
    return state.nearest if describes or (is_with and (first in EMERGING or is_turned)) else subjects


def is_content(phrase: Phrase, of: Phrase, relation: Relation) -> bool:
    """Return whether it is a thing and its content ("plate of food"), not members ("line of cars") or a place."""
    stands = relation.verb == Tag.POSTURE and is_listed(phrase.head.text, "holders")
    is_thing = (of.head.tag is Tag.NOUN or stands) and not of.is_setting
    return is_thing and not is_gathering(phrase) and not is_listed(phrase.head.text, "places")


def actors(state: ClauseState, relation: Relation, default: list[int]) -> list[int]:
    """Return who does an action: the default if it can, otherwise the nearest person or animal."""
    first = relation.spoken[0].text
    if first in words("animate_participles"):
        return default if state.are_animate(default) else state.nearest_animate() or default
    is_action = relation.verb in ("V", "G", "g") and first not in words("having") | EMERGING | SAYING
    if not (is_action or first in WEARING):
        return default
    if any(can_do(state.phrases[index], first) for index in default):
        return default
    return state.nearest_animate() or default


def can_do(phrase: Phrase, verb: str) -> bool:
    """Return whether it is a person, an animal or an acting body part: a hand holds, but wears nothing."""
    is_acting = is_listed(phrase.head.text.rpartition(" ")[2], "acting_parts") and verb not in WEARING
    return phrase.is_animate or is_acting


def attachment(state: ClauseState, relation: Relation, target: Phrase | None) -> list[int]:
    """Return the subjects of a preposition without a verb."""
    subjects, inbound = state.inbound()
    if not subjects or inbound is None or relation.text == "of":
        return state.nearest
    here, subject = state.phrases[state.nearest[-1]], state.phrases[subjects[-1]]
    if inbound.text == "of":
        return subjects if is_whole(subject, here) else state.nearest
    aim = target.classes if target is not None else NO_TARGET
    lack = {"absent"} if inbound.is_denied else frozenset()  # "a cup without a handle on the table"
    return (
        subjects
        if is_far(relation.classes, aim, here.classes | lack, inbound.classes, subject.classes)
        else state.nearest
    )


def is_whole(phrase: Phrase, of: Phrase) -> bool:
    """Return whether the next relation is about the plate of a "plate of food"; not of a "line of cars"."""
    is_part = phrase.is_body_part or is_gathering(phrase)
    return is_listed(phrase.head.text, "images") or not (is_part or of.is_determined or of.is_animate)


def owner(state: ClauseState, index: int) -> int | None:
    """Return the owner that "his" refers to: the clause's person or animal, otherwise the nearest before it."""
    earlier = [other for other in range(index) if state.phrases[other].is_animate]
    found = [other for other in earlier if other in state.clause] or earlier
    return found[-1] if found else None


def meant(state: ClauseState, subjects: list[int], pronoun: str) -> int | None:
    """Return the antecedent of a pronoun: the phrase that the subject is related to, or a nearer one that fits."""
    if not subjects:
        return None
    related, _ = state.answered.get(subjects[-1], ([], None))
    before = related[-1] if related else state.referent
    if pronoun in PERSONAL_PRONOUNS:
        people = [index for index in range(subjects[-1]) if state.phrases[index].is_animate]
        return people[-1] if people and people[-1] not in subjects else before
    if before in subjects:
        return None
    if before is None or not state.phrases[before].is_animate:
        return before
    if not state.phrases[before].is_person:
        return before
    above = state.answered.get(before, ([], None))[0]
    if above and pronoun == "it":  # "the tray in front of the man with flowers on it"
        return above[-1]
    between = range(subjects[-1] - 1, before, -1)
    return next((index for index in between if not state.phrases[index].is_animate), before)
