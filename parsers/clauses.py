"""Phrases and relations -> who is related to whom: one walk from left to right.

Phrases are named by their index in the walk. A relation belongs, by default, to the phrase nearest before it;
`Walk.subjects` holds the exceptions.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from parsers.lexicon import Tag, is_listed
from parsers.phrases import Item, Phrase, Relation
from parsers.tagging import Word

CARRIED = frozenset({"in", "with", "wearing"})
HAVING = frozenset({"has", "have", "having", "had"})
"""Verbs that anything may do: "a dress that has a hood"."""
LOOSE = frozenset({"on", "in", "at", "near", "by", "behind", "beside", "next to", "in front of"})
"""Prepositions that, after what a person wears or holds, place the person: "man in hat on bench"."""
PERSONAL = frozenset({"who", "whom"})
"""Relative words that only a person or an animal answers to."""
NUMBER_OF_VERB = {"is": Tag.NOUN, "was": Tag.NOUN, "has": Tag.NOUN, "are": Tag.PLURAL, "were": Tag.PLURAL}


@dataclass(frozen=True)
class Link:
    """A relation found between two phrases."""

    subject: int
    words: tuple[Word, ...]
    object: int


@dataclass
class Walk:
    """What has been read so far, and where the next relation may attach."""

    phrases: list[Phrase] = field(default_factory=list)
    said: dict[int, list[tuple[Word, ...]]] = field(default_factory=dict)
    """Attributes that stand apart from their phrase, such as "standing" and "on the left"."""
    links: list[Link] = field(default_factory=list)
    referent: int | None = None

    clause: list[int] = field(default_factory=list)
    """The subjects of the clause being read."""
    nearest: list[int] = field(default_factory=list)
    """The phrase just read, with those coordinated with it as subjects."""
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
    joined: bool = False
    relative: str = ""
    opened: bool = False
    """A conjunction, a relative word, a subordinator came just before."""

    def phrase(self, phrase: Phrase) -> None:
        index = self.add(phrase)
        if self.pending is not None:
            self.complete(*self.pending, index)
        elif self.joined and self.nearest and not self.opened:
            self.coordinate(index)
        elif self.opened or not self.nearest:
            self.clause, self.nearest, self.gap = [index], [index], None
        else:  # two phrases in a row: the second opens a clause about the first
            self.gap = self.nearest[-1]
            self.clause, self.nearest = [index], [index]
        if self.referent is None:
            self.referent = index
            self.said[index] = [(word,) for word in self.announced]
        self.joined, self.relative, self.opened = False, "", False

    def add(self, phrase: Phrase) -> int:
        """The index of the phrase, after its owners, which are linked to it."""
        chain = [phrase]
        while chain[-1].owner is not None:
            chain.append(chain[-1].owner)
        for part in reversed(chain):
            self.phrases.append(part)
            index = len(self.phrases) - 1
            if part.owner is not None and part.mark is not None:
                self.links.append(Link(index - 1, (part.mark,), index))
        return index

    def complete(self, subjects: list[int], relation: Relation, index: int) -> None:
        """The pending relation gets its object."""
        self.pending = None
        if not subjects:
            self.fronted = (relation, index)
        elif self.fronted is not None and relation.tags.strip("XZ") == "B":
            self.referent = index
            self.answer([index], *self.fronted)
            self.clause, self.fronted = [index], None
        else:
            self.answer(subjects, relation, index)
        self.nearest = [index]
        if relation.tags == Tag.WHOSE:
            self.clause = [index]

    def answer(self, subjects: list[int], relation: Relation, object_: int) -> None:
        self.answered[object_] = (subjects, relation)
        self.link(subjects, relation, object_)

    def link(self, subjects: list[int], relation: Relation, object_: int) -> None:
        for subject in subjects:
            ends = (object_, subject) if relation.is_passive else (subject, object_)
            self.links.append(Link(ends[0], relation.spoken, ends[1]))

    def coordinate(self, index: int) -> None:
        """ "and a dog": one more object of the same relation, or one more subject of the next."""
        before = self.answered.get(self.nearest[-1])
        if before is None:
            grown = [*self.nearest, index]
            self.clause = grown if self.clause == self.nearest else self.clause
            self.nearest = grown
        else:
            self.answer(*before, index)
            self.nearest = [index]

    def relation(self, relation: Relation, following: Item | None) -> None:
        target = following if isinstance(following, Phrase) else None
        refers_back = isinstance(following, Word) and following.tag is Tag.PRONOUN and relation.preposition != ""
        names_thing = refers_back and isinstance(following, Word) and following.text in ("it", "them")
        subjects = self.nearest if names_thing and relation.verb else self.subjects(relation, target)
        self.joined, self.relative = False, ""
        if target is not None and not is_predicate(relation):
            self.pending = (subjects, relation)
            self.anchor = self.anchor if relation.text == "of" and self.anchor else subjects
        elif refers_back:
            self.refer_back(subjects, relation)
        elif self.gap is not None and not is_predicate(relation):
            self.link(subjects, relation, self.gap)
            self.gap = None
        else:
            for spoken in split_predicate(relation):
                self.say(subjects, spoken)
            self.anchor = subjects
            self.nearest = subjects if relation.is_finite and subjects else self.nearest

    def refer_back(self, subjects: list[int], relation: Relation) -> None:
        """ "with a sticker on it": the pronoun is what the subject was related to."""
        before = self.answered.get(subjects[-1]) if subjects else None
        if before is not None and before[0]:
            together = [index for index, other in self.answered.items() if other[1] is before[1]]
            self.link(together, relation, before[0][-1])
        else:
            self.say(subjects, relation.spoken)

    def say(self, subjects: list[int], spoken: tuple[Word, ...]) -> None:
        kept = tuple(word for word in spoken if word.tag is not Tag.AUXILIARY)
        for subject in subjects:
            if kept:
                self.said.setdefault(subject, []).append(kept)

    def subjects(self, relation: Relation, target: Phrase | None) -> list[int]:
        if self.joined and self.anchor:
            return self.actors(relation, self.anchor)
        if self.relative:
            agreeing = self.agreeing(relation)
            return agreeing if relation.verb == Tag.POSTURE else self.actors(relation, agreeing)
        if relation.is_finite:
            return self.clause or self.nearest
        if relation.verb:
            return self.actors(relation, self.passing_over(relation))
        return self.attachment(relation, target)

    def agreeing(self, relation: Relation) -> list[int]:
        """What a relative clause is about: the nearest phrase, or the one before it that its verb agrees with."""
        if self.relative in PERSONAL and not any(self.phrases[index].is_animate for index in self.nearest):
            return self.nearest_animate() or self.nearest
        number = NUMBER_OF_VERB.get(relation.words[0].text)
        subjects = self.answered[self.nearest[-1]][0] if self.nearest and self.nearest[-1] in self.answered else []
        if number is None or len(subjects) != 1:
            return self.nearest
        here, before = (self.phrases[index].head.tag for index in (self.nearest[-1], subjects[0]))
        return subjects if before is number and here in NUMBER_OF_VERB.values() and here is not number else self.nearest

    def passing_over(self, relation: Relation) -> list[int]:
        """Of "a vase with flowers sitting on a table", the vase: what only says where or with what is passed over."""
        subjects, inbound = self.answered.get(self.nearest[-1], ([], None)) if self.nearest else ([], None)
        if not subjects or inbound is None or inbound.text not in CARRIED or self.phrases[self.nearest[-1]].is_animate:
            return self.nearest
        described = relation.verb == Tag.PARTICIPLE and self.phrases[subjects[-1]].is_animate
        return self.nearest if described else subjects

    def actors(self, relation: Relation, default: list[int]) -> list[int]:
        """Somebody does what an action says: the default, or else the nearest person or animal."""
        first = relation.spoken[0].text
        is_action = (relation.verb in ("V", "G", "g") and first not in HAVING) or first == "dressed"
        if not is_action or any(
            self.phrases[index].is_animate or self.phrases[index].is_body_part for index in default
        ):
            return default
        return self.nearest_animate() or default

    def nearest_animate(self) -> list[int]:
        for index in range(len(self.phrases) - 1, -1, -1):
            if self.phrases[index].is_animate:
                return self.clause if index in self.clause else [index]
        return []

    def attachment(self, relation: Relation, target: Phrase | None) -> list[int]:
        """Where a preposition without a verb belongs."""
        before = self.answered.get(self.nearest[-1]) if self.nearest else None
        if before is None:
            return self.nearest
        subjects, inbound = before
        here = self.phrases[self.nearest[-1]]
        is_image = bool(subjects) and is_listed(self.phrases[subjects[-1]].head.text, "images")
        if inbound.text == "of" and (is_image or not (here.is_determined or here.is_animate)):
            return subjects  # "a plate of food on the table", but "the leg of the man on the bench"
        if not subjects or not self.phrases[subjects[-1]].is_animate:
            return self.nearest
        return subjects if places_the_person(relation, target, here, inbound) else self.nearest

    def location(self, word: Word) -> None:
        """ "on the left", of the phrase it stands by or of the one that wears it."""
        if not self.nearest:
            self.announced.append(word)
            return
        before = self.answered.get(self.nearest[-1])
        if before is not None and before[0] and before[1].text in CARRIED and self.phrases[self.nearest[-1]].is_worn:
            self.say(before[0], (word,))
        else:
            self.say(self.anchor if self.joined and self.anchor else self.nearest, (word,))


def places_the_person(relation: Relation, target: Phrase | None, here: Phrase, inbound: Relation) -> bool:
    """Whether a preposition passes over what a person wears, holds or sits on, to the person."""
    if here.is_animate or (here.is_body_part and inbound.verb):
        return False
    in_clothes = inbound.text in CARRIED and here.is_worn
    if target is not None and target.is_body_part:
        return relation.text == "with"  # but "a bag on his back"
    if relation.text in ("with", "without"):
        return not in_clothes or (target is not None and target.is_worn)
    if relation.text == "in" and target is not None and target.is_worn:
        return True
    holds = inbound.verb != "" and not inbound.preposition
    return relation.text in LOOSE and (in_clothes or holds)


def is_predicate(relation: Relation) -> bool:
    """Whether it describes its subject whatever follows: "is red"."""
    return relation.tags[-1] in "AML"


def split_predicate(relation: Relation) -> list[tuple[Word, ...]]:
    """Adjectives are an attribute each, the words of a verb are one."""
    return [relation.spoken] if relation.verb or not is_predicate(relation) else [(word,) for word in relation.spoken]


def walk(items: Sequence[Item]) -> Walk:
    """Everything that the items say."""
    state = Walk()
    for item, following in itertools.zip_longest(items, items[1:]):
        if isinstance(item, Phrase):
            state.phrase(item)
        elif isinstance(item, Relation) and item.is_place:
            for word in item.words:
                state.location(word)
        elif isinstance(item, Relation):
            state.relation(item, following)
        elif item.tag is Tag.LOCATION:
            state.location(item)
        elif item.tag is Tag.WHOSE and isinstance(following, Phrase):
            state.pending = (state.nearest, Relation((item,), "H"))
        elif item.tag in (Tag.CONJUNCTION, Tag.PUNCTUATION):
            state.joined = True
        elif item.tag is Tag.RELATIVE:
            state.relative = item.text
        elif item.tag is Tag.SUBORDINATOR:
            state.opened = True
    return state
