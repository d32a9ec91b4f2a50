"""Phrases and relations -> links between phrases: one walk from left to right.

`subjects` has the state and chooses the subjects of a relation; the methods here say what each kind of item does to
the state.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace

from parsers.lexical.phrases import SILENT, Item, Phrase, Relation
from parsers.lexical.subjects import (
    NUMBER_OF_VERB,
    PERSONAL_PRONOUNS,
    ClauseState,
    Link,
    meant,
    owner,
    subjects_of,
)
from parsers.lexical.tagger import Word
from parsers.words.lexicon import Tag, words
from parsers.words.negation import NO

STOPS = frozenset({".", ";", "!", "?"})
OR = frozenset({"or", "nor"})
COPULAS = frozenset({"is", "are", "was", "were"})


class Walk(ClauseState):
    """The walk over a sentence, item by item."""

    def phrase(self, phrase: Phrase, following: Item | None) -> None:
        is_new = self.has_verb or (self.is_apart and phrase.possessive is not None)
        if self.joined and self.pending is None and is_new and starts_clause(phrase, following):
            self.opened = True  # "a man is eating and his dog is sleeping", "a dog , its head is not visible"
        if self.pending is not None and self.is_description(*self.pending, phrase):
            self.describe(self.pending[0], phrase)
        elif phrase.denied is not None and self.pending is None:
            self.contrast(phrase, phrase.denied, following)
        else:
            self.take_in(phrase, following)
        self.joined, self.relative, self.opened, self.holder = False, "", False, None

    def contrast(self, phrase: Phrase, negation: Word, following: Item | None) -> None:
        """ "not the red car", "with wine , not water", "but not a motorcycle"."""
        before = self.answered.get(self.nearest[-1]) if self.nearest else None
        if self.referent is None and phrase.modifiers:
            denied = tuple(word for modifier in phrase.modifiers for word in (negation, modifier))
            self.take_in(replace(phrase, modifiers=denied, denied=None), following)
        elif self.referent is None:
            self.contrasted = self.add(phrase)
        elif before is not None and self.phrases[self.nearest[-1]].is_definite == phrase.is_definite:
            index = self.add(phrase)
            self.answer(*before, index)
            self.nearest = [index]
        elif self.relative or not (phrase.is_definite or isinstance(following, Relation)):
            self.describe(self.nearest, phrase)
        else:
            index = self.add(phrase)
            self.links += [Link(subject, (negation,), index) for subject in self.clause or self.nearest]
            self.nearest = [index]

    def is_description(self, subjects: list[int], relation: Relation, phrase: Phrase) -> bool:
        """ "the man is a rider": rider is an attribute of the man, not another object."""
        return bool(subjects) and self.fronted is None and phrase.owner is None and is_copula(relation)

    def describe(self, subjects: list[int], phrase: Phrase) -> None:
        asked = self.pending[1].words if self.pending else ()
        negation = phrase.denied or next((word for word in asked if word.tag is Tag.NEGATION), None)
        for word in (*phrase.modifiers, phrase.head):
            self.say(subjects, (negation, word) if negation else (word,))
        self.nearest, self.pending = subjects, None

    def take_in(self, phrase: Phrase, following: Item | None) -> None:
        index = self.add(phrase)
        if self.pending is not None:
            self.complete(*self.pending, index)
        elif self.joined and self.fronted is not None and self.is_apart and phrase.is_determined:
            self.announce(index)
        elif self.joined and self.nearest and not self.opened:
            self.coordinate(index, following)
        elif self.opened or not self.nearest:
            self.clause, self.nearest, self.gap, self.has_verb = [index], [index], None, False
        elif phrase.is_absent and phrase.determiner is not None:  # "guy no hat"
            self.links += [Link(subject, (phrase.determiner,), index) for subject in self.nearest]
            self.nearest = [index]
        else:  # two phrases in a row: the second starts a clause about the first
            self.gap = self.nearest[-1]
            self.clause, self.nearest = [index], [index]
        if self.referent is None:
            self.referent = index
            self.said[index] = [(word,) for word in self.announced]
            if self.contrasted is not None:
                self.links.append(Link(index, (self.phrases[self.contrasted].denied or phrase.head,), self.contrasted))
        if phrase.possessive is not None:
            self.own(index, phrase.possessive)

    def own(self, index: int, possessive: Word) -> None:
        """Link "his head" to the man; other things of his only if nothing else relates them."""
        who = owner(self, index)
        is_related = any(index in (link.subject, link.object) for link in self.links)
        if who is None or (is_related and not self.phrases[index].is_body_part) or self.are_linked(who, index):
            return
        self.links.append(Link(who, (possessive,), index))

    def complete(self, subjects: list[int], relation: Relation, index: int) -> None:
        """Give the pending relation its object."""
        self.pending = None
        if not subjects:
            self.fronted = (relation, index)
        elif is_compound(relation, self.phrases[subjects[-1]], self.phrases[index]):
            self.stand_in(subjects[-1], relation, index)
        elif self.fronted is not None and relation.tags.strip("XZ") == "B":
            self.announce(index)
        else:
            self.answer(subjects, relation, index)
        self.nearest = [index]
        if relation.tags == Tag.WHOSE:
            self.clause = [index]

    def announce(self, index: int) -> None:
        """ "under the window is a bench", "on the road , a dog runs": the referent comes second."""
        if self.fronted is not None:
            self.answer([index], *self.fronted)
        self.referent, self.fronted = index, None
        self.clause, self.nearest = [index], [index]

    def stand_in(self, before: int, relation: Relation, index: int) -> None:
        """ "a man by a snow covered hill" is by the hill, not by the snow."""
        self.links = [replace(link, object=index) if link.object == before else link for link in self.links]
        self.answered[index] = self.answered.pop(before, ([before], relation))
        self.referent = index if self.referent == before else self.referent
        self.clause = [index if other == before else other for other in self.clause]
        self.link([before], relation, index)

    def coordinate(self, index: int, following: Item | None) -> None:
        """ "and a dog": one more object of the same relation, or one more subject of the next."""
        before = self.answered.get(self.nearest[-1])
        self.share_negation(index)
        if before is not None and before[1].text == "of" and self.is_beside_whole(index):
            self.nearest, before = before[0], self.answered.get(before[0][-1])
        repeats = before is not None and self.repeats(*before, index, following)
        if before is not None and not repeats and self.are_animate([index]) and self.starts_again():
            self.nearest, before = self.clause, None
        if before is not None and repeats:
            self.stand_beside(before[0], index)
        elif before is None:
            self.share_owner(index)
            grown = [*self.nearest, index]
            self.clause = grown if self.clause == self.nearest else self.clause
            self.nearest = grown
        else:
            self.answer(*before, index)
            self.nearest = [index]

    def share_negation(self, index: int) -> None:
        """ "no bag or hat", "neither a hat nor a bag": both are denied."""
        phrase, last = self.phrases[index], self.phrases[self.nearest[-1]]
        if self.conjunction in OR and (last.denied or last.is_absent):
            no = tuple(word for word in last.modifiers if word.text == NO)
            self.phrases[index] = replace(phrase, denied=last.denied, modifiers=(*no, *phrase.modifiers))

    def repeats(self, first: list[int], relation: Relation, index: int, following: Item | None) -> bool:
        """Return whether the next phrase repeats the pattern: "a cup with tea and a jug with milk"; not in a list."""
        one, other = self.phrases[first[-1]], self.phrases[index]
        is_list = sum(said is relation for _, said in self.answered.values()) > 1
        if not isinstance(following, Relation) or relation.text == "of" or other.is_worn or is_list:
            return False
        are_people = {following.text, relation.text} <= words("carrying") and one.is_animate and other.is_animate
        is_own = (
            self.phrases[self.nearest[-1]].possessive is not None
        )  # "a strap on his back and a shovel in his trunk"
        is_like = following.text == relation.text or are_people or (is_own and not other.is_definite)
        return one.is_determined == other.is_determined and is_like

    def stand_beside(self, first: list[int], index: int) -> None:
        """Relate the phrase as the first one is; the next relation belongs to it alone."""
        before = self.answered.get(first[-1])
        if before is not None:
            self.answer(*before, index)
        elif self.clause == first:
            self.clause = [*first, index]
        self.nearest = [index]

    def is_beside_whole(self, index: int) -> bool:
        """ "a plate of food and a cup": with its article, the cup is named beside the plate, not beside the food."""
        return self.phrases[index].is_determined and not self.phrases[self.nearest[-1]].is_determined

    def share_owner(self, index: int) -> None:
        """ "the cow's eyes and nose": the nose is the cow's too."""
        first, phrase = self.nearest[0], self.phrases[index]
        mark = self.phrases[first].mark
        if mark is not None and not phrase.is_determined and phrase.owner is None:
            self.links.append(Link(first - 1, (mark,), index))

    def starts_again(self) -> bool:
        """Return whether a person joins the one at the start: "a man with a bag and a woman standing"."""
        return not self.are_animate(self.nearest) and self.are_animate(self.clause)

    def denied(self, relation: Relation) -> Relation:
        """Return the relation with the "neither" that it shares: "neither sitting nor standing"."""
        own = next((word for word in relation.words if word.tag is Tag.NEGATION), None)
        if own is None and self.negation is not None and self.joined and self.conjunction in OR:
            return Relation((self.negation, *relation.words), Tag.NEGATION + relation.tags)
        self.negation = own
        return relation

    def relation(self, relation: Relation, following: Item | None) -> None:
        relation = self.denied(relation)
        target = following if isinstance(following, Phrase) else None
        pronoun = following.text if isinstance(following, Word) and following.tag is Tag.PRONOUN else ""
        refers_back = pronoun != "" and (relation.preposition != "" or is_done_to(relation, pronoun))
        is_worn = bool(self.nearest) and all(self.phrases[index].is_worn for index in self.nearest)
        is_of_nearest = refers_back and relation.preposition != "" and self.is_apart_from(pronoun)
        if is_of_nearest and is_worn:
            is_of_nearest = False  # "a woman wearing sneakers sitting in it", "with a man in white on it"
        is_stranded = target is None and self.gap is None and not relation.tags.strip("PTO")  # "with a hat on"
        is_stranded = is_stranded and (following is None or (is_worn and not pronoun))
        subjects = self.nearest if is_of_nearest or is_stranded else subjects_of(self, relation, target)
        if not relation.verb and is_predicate(relation) and not relation.is_finite:
            subjects = self.described(subjects, relation)
        if refers_back and not self.are_animate(subjects):
            subjects = self.nearest  # "a table with a cloth covering it"
        self.joined, self.relative = False, ""
        self.has_verb = self.has_verb or (relation.is_finite and subjects == self.clause)
        if target is not None and not is_predicate(relation):
            self.expect(target, *self.split(subjects, relation))
        elif refers_back:
            self.refer_back(subjects, relation, pronoun)
        elif self.gap is not None and not is_predicate(relation):
            piped = () if relation.preposition else self.piped
            whole = Relation((*relation.words, *piped), relation.tags + Tag.PREPOSITION * len(piped))
            self.link(subjects, whole, self.gap)
            self.gap, self.piped = None, ()
        elif is_piped(relation, following):
            self.piped = relation.words
        else:
            for spoken in split_predicate(relation):
                self.say(subjects, spoken)
            wearer, inbound = self.inbound()
            is_carried = subjects == self.nearest and inbound is not None and inbound.text in words("carrying")
            self.anchor = wearer if is_carried and not relation.is_finite else subjects
            self.nearest = subjects if relation.is_finite and subjects else self.nearest

    def is_apart_from(self, pronoun: str) -> bool:
        """Return whether the last phrase is not what the pronoun means: "with a suitcase in front of him"."""
        return pronoun in ("it", "them") or (pronoun in PERSONAL_PRONOUNS and not self.are_animate(self.nearest))

    def described(self, subjects: list[int], relation: Relation) -> list[int]:
        """Return whom an adjective after clothes describes: "a man in a shirt ready to serve"."""
        wearer, inbound = self.inbound()
        is_worn = subjects == self.nearest and inbound is not None and inbound.text in words("carrying")
        is_colour = relation.spoken[0].text in words("colours")
        return wearer if is_worn and self.phrases[subjects[-1]].is_worn and not is_colour else subjects

    def expect(self, target: Phrase, subjects: list[int], relation: Relation) -> None:
        """Let the relation wait for its object; "standing in a coat" is "standing", and "in a coat"."""
        if target.is_worn and is_posture_in(relation) and self.are_animate(subjects):
            self.say(subjects, relation.spoken[:-1])
            relation = relation.last
        self.pending = (subjects, relation)
        self.anchor = self.anchor if relation.text == "of" and self.anchor else subjects

    def split(self, subjects: list[int], relation: Relation) -> tuple[list[int], Relation]:
        """ "the fork a girl is using on toast": the girl uses the fork, and the rest is about the fork."""
        prepositions = len(relation.tags) - len(relation.tags.rstrip("PTO"))
        takes_object = relation.verb == Tag.ING or relation.spoken[0].text in words("having")
        if self.gap is None or not relation.verb or prepositions < (1 if takes_object else 2):
            return subjects, relation
        gap, self.gap = self.gap, None
        self.link(subjects, relation.without_last, gap)
        is_of_gap = prepositions == 1 and relation.preposition != "with"  # "the cup a man is holding with his hand"
        return [gap] if is_of_gap else subjects, relation.last

    def refer_back(self, subjects: list[int], relation: Relation, pronoun: str) -> None:
        """ "with a sticker on it": the sticker, and what is coordinated with it, are on what has it."""
        content, inbound = self.answered.get(subjects[-1], ([], None)) if subjects else ([], None)
        if inbound is not None and inbound.text == "of" and not relation.verb:
            subjects = content  # "a table with a plate of food on it"
        what = meant(self, subjects, pronoun)
        if what is None:
            self.say(subjects, relation.spoken)
            return
        _, inbound = self.answered.get(subjects[-1], ([], None))
        together = [index for index, other in self.answered.items() if other[1] is inbound] or subjects
        if inbound is not None and inbound.text == "with":
            self.links = [
                replace(link, subject=what) if link.object in together and link.words == inbound.spoken else link
                for link in self.links
            ]
        self.link(together, relation, what)
        self.holder = what if inbound is not None and inbound.text == "with" else None

    def location(self, word: Word) -> None:
        """Add "on the left" to the last phrase, or to the person who wears it."""
        if not self.nearest:
            self.announced.append(word)
            return
        spoken = (word,) if self.negation is None else (self.negation, word)
        self.negation = None
        subjects, inbound = self.inbound()
        last = self.phrases[self.nearest[-1]]
        if word.text.rpartition(" ")[2] in words("views") and self.referent is not None:
            self.say([self.referent], spoken)  # "in the right hand picture"
        elif subjects and inbound is not None and is_placed_by(inbound, last, self.are_animate(subjects)):
            self.say(subjects, spoken)
        else:
            self.say(self.anchor if self.joined and self.anchor else self.nearest, spoken)

    def stop(self) -> None:
        """Start a new sentence, which continues about the referent."""
        self.opened, self.joined, self.relative, self.pending, self.gap = True, False, "", None, None
        if self.referent is not None:
            self.clause = self.nearest = self.anchor = [self.referent]


def is_placed_by(inbound: Relation, phrase: Phrase, is_animate: bool) -> bool:
    """Return whether a place is that of the subject: "a man in stripes on the left", "riding a bike on the left"."""
    if phrase.head.text in words("viewers"):
        return True  # "the cup nearest the camera on the left"
    if phrase.is_setting and not phrase.is_determined and inbound.preposition in ("in", "on", "at"):
        return True  # "guy on ground right"
    is_carried = is_animate and inbound.text in words("carrying")
    return (is_carried or (bool(inbound.verb) and not phrase.is_animate)) and (phrase.is_worn or not phrase.is_definite)


def starts_clause(phrase: Phrase, following: Item | None) -> bool:
    """Return whether the next relation is about the phrase alone: "is" about one, "are" about several."""
    if not isinstance(following, Relation) or not following.is_finite:
        return False
    number = NUMBER_OF_VERB.get(following.words[0].text, phrase.head.tag)
    return number is phrase.head.tag


def is_compound(relation: Relation, before: Phrase, phrase: Phrase) -> bool:
    """Return whether a noun and a participle describe the phrase after them: "snow covered hill"."""
    participle = relation.words[-1]
    follows = participle.tokens[0] == before.head.tokens[-1] + 1 and len(relation.words) == 1
    return follows and participle.text in words("compounding_participles") and not phrase.is_determined


def is_piped(relation: Relation, following: Item | None) -> bool:
    """Return whether it is the "on" of "the sofa on which a dog sits"."""
    return isinstance(following, Word) and following.text == "which" and relation.tags == Tag.PREPOSITION


def is_posture_in(relation: Relation) -> bool:
    """Return whether it is "standing in" or "walking with", which before clothes is an attribute and a relation."""
    return relation.verb == Tag.POSTURE and relation.words[-1].text in ("in", "with")


def is_done_to(relation: Relation, pronoun: str) -> bool:
    """Return whether the pronoun is the object of an action: "a woman holding it"."""
    return relation.tags[-1] in "VGg" and pronoun in ("it", "them", "him", "her")


def is_copula(relation: Relation) -> bool:
    """Return whether it is a copula; "appears to be a rider" does not make the man a rider."""
    return relation.tags.strip("XZ") == Tag.AUXILIARY and any(word.text in COPULAS for word in relation.words)


def is_predicate(relation: Relation) -> bool:
    """Return whether it describes its subject whatever follows: "is red"."""
    return relation.tags[-1] in "AML"


def split_predicate(relation: Relation) -> list[tuple[Word, ...]]:
    """Return the attributes of a predicate: each adjective, all words of a verb, "not red"; nothing for "is"."""
    spoken = tuple(word for word in relation.spoken if word.tag is not Tag.AUXILIARY)
    if relation.verb or not is_predicate(relation):
        is_said = any(word.tag is not Tag.NEGATION and word.text not in words("onlookers") for word in spoken)
        return [spoken] if is_said else []
    found: list[tuple[Word, ...]] = []
    negation: tuple[Word, ...] = ()
    for word in relation.words:
        if word.tag is Tag.NEGATION or word.text == "but":
            negation = (word,) if word.tag is Tag.NEGATION else ()
        elif word.tag not in SILENT:
            found.append((*negation, word))
    return found


def walk(items: Sequence[Item]) -> ClauseState:
    """Return the phrases, attributes and links of the items."""
    state = Walk()
    for item, following in itertools.zip_longest(items, items[1:]):
        if isinstance(item, Phrase):
            state.phrase(item, following)
        elif isinstance(item, Relation) and item.is_place:
            for word in item.words:
                state.location(word)
        elif isinstance(item, Relation):
            state.relation(item, following)
        elif item.tag is Tag.LOCATION:
            state.location(item)
        elif item.tag is Tag.WHOSE and isinstance(following, Phrase):
            state.pending = (state.nearest, Relation((item,), "H"))
        elif item.text in STOPS:
            state.stop()
        elif item.tag in (Tag.CONJUNCTION, Tag.PUNCTUATION):
            state.joined, state.is_apart, state.conjunction = True, item.tag is Tag.PUNCTUATION, item.text
        elif item.tag is Tag.RELATIVE:
            state.relative, state.joined = item.text, state.joined and not state.is_apart
        elif item.tag is Tag.NEGATION:
            state.negation = item
        elif item.tag is Tag.SUBORDINATOR:
            state.opened = True
    return state
