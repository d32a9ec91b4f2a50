"""Tagged words -> noun phrases and relations, the items that clauses are made of.

Both are patterns over the string of tags. A phrase may have an owner ("the man's watch"), and a measure such as
"group of" is part of the phrase it measures.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from parsers.lexical.tagger import Word
from parsers.words.attachment import Classes, colour_classes, noun_classes, relation_classes
from parsers.words.lexicon import Tag, is_listed, words
from parsers.words.negation import NO, is_denial, is_nobody

MODIFIERS = r"(?:[XZ]*(?:A(?:[CK]{1,3}(?=X?A))?|(?<=D)AK(?=N)|(?<=AK)NK(?=[AN])|M(?:K(?=A))?|L))*"
LEADING_WORDS = r"(?:Z?D|Z(?=[Nn]))*"
NOUN_PHRASE = rf"{LEADING_WORDS}{MODIFIERS}(?:N+[AL]+(?=[Nn]))?[Nn]+"
# Without a noun the last modifier is the head: "man in black", "the tallest".
HEADLESS = rf"(?:Z?D)+{MODIFIERS}[AML]|(?:(?<=[PTOS])|^)(?:{MODIFIERS}A|[ML]+)|(?<=G){MODIFIERS}[AM]"
# Words that start no phrase are skipped at once. To try each of them takes quadratic time in "not not not …".
NO_PHRASE = rf"(?P<nothing>(?=[DAMLXZ]){LEADING_WORDS}{MODIFIERS}(?:X|Z(?![DNn]))*)"
PHRASE = re.compile(rf"(?:{NOUN_PHRASE}|{HEADLESS}|p)(?:S(?:{NOUN_PHRASE}|{HEADLESS}))*|{NO_PHRASE}")
# "the couch | a boy is sitting on": before a verb that has no object, a run of nouns is two phrases.
STRANDED = re.compile(r"(?:CD*A*[Nn]+)?B[XZ]*(?:[GgEV]+X*[PT]|G|P)K*$")
TWO_PHRASES = re.compile(r"[Nn](?=A*[Nn]$)")

VERBAL = r"[BXZ]*(?:P?T(?=V))?[VGgE](?:T[VGgE])*[XLZ]*[PTO]*"
PREPOSITIONAL = r"[BXZ]*[PTO]+"
ADJECTIVAL = r"[BXZ]*[AML](?:[CK]{0,2}X?[AML])*(?:T(?=[NI]))?"
RELATION = re.compile(rf"{VERBAL}|{PREPOSITIONAL}|{ADJECTIVAL}|[BXZ]*B[XZ]*|(?P<nothing>[XZ]+)")

POSSESSIVES = frozenset({"his", "her", "its", "their"})
SHORTEST_FRAGMENT = 2
"""Least number of words before the last one in "guy blue shirt"."""
LEADING = frozenset({Tag.DETERMINER, Tag.NEGATION})
SILENT = frozenset({Tag.AUXILIARY, Tag.ADVERB, Tag.CONJUNCTION, Tag.PUNCTUATION, Tag.DETERMINER})
"""The tags of words that a relation or an attribute leaves out."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: one object of the scene."""

    head: Word
    modifiers: tuple[Word, ...] = ()
    owner: "Phrase | None" = None
    mark: Word | None = None
    """The 's between the owner and the phrase."""
    determiner: Word | None = None
    denied: Word | None = None
    """The "not" before it."""
    worn: tuple[Word, ...] = ()
    """Clothes that follow without a preposition: "guy blue shirt"."""

    @property
    def attributes(self) -> list[tuple[Word, ...]]:
        """Return the words of each modifier; "not" is with the one that it denies."""
        found: list[tuple[Word, ...]] = []
        negations: tuple[Word, ...] = ()
        for word in self.modifiers:
            if word.tag is Tag.NEGATION:
                negations = (word,)
            else:
                found.append((*negations, word))
                negations = ()
        return [*found, self.worn] if self.worn else found

    @property
    def is_determined(self) -> bool:
        return self.determiner is not None

    @property
    def is_definite(self) -> bool:
        """Return whether it names one object, as "the dog" and "the one" do, not a kind of it."""
        is_kind = self.determiner is None or self.determiner.text in words("indefinite_articles")
        return not is_kind or self.head.text in words("placeholders")

    @property
    def possessive(self) -> Word | None:
        """Return the "his" before it."""
        return self.determiner if self.determiner is not None and self.determiner.text in POSSESSIVES else None

    @property
    def is_absent(self) -> bool:
        """Return whether it is "no hat" or "nobody"."""
        return is_nobody(self.head.text) or any(word.text == NO for word in self.modifiers)

    @property
    def classes(self) -> Classes:
        """Return what attachment knows of the phrase."""
        found = colour_classes(self.head.text) if self.is_colour else self.noun_classes
        return found | {"absent"} if self.is_absent else found

    @property
    def noun_classes(self) -> Classes:
        return noun_classes(self.head.text, self.head.tag is not Tag.NOUN)

    @property
    def is_animate(self) -> bool:
        return is_listed(self.head.text.rpartition(" ")[2], "animates") and not is_listed(self.head.text, "inanimates")

    @property
    def is_person(self) -> bool:
        return self.is_animate and is_listed(self.head.text.rpartition(" ")[2], "people")

    @property
    def is_colour(self) -> bool:
        """Return whether it is a colour alone: "in red"."""
        return self.head.tag is Tag.ADJECTIVE and self.head.text.rpartition(" ")[2] in words("colours")

    @property
    def is_worn(self) -> bool:
        """Return whether a person wears it; a colour alone means clothes."""
        return self.is_colour or is_listed(self.head.text.rpartition(" ")[2], "clothes")

    @property
    def is_setting(self) -> bool:
        return is_listed(self.head.text.rpartition(" ")[2], "settings")

    @property
    def is_body_part(self) -> bool:
        return is_listed(self.head.text.rpartition(" ")[2], "body_parts")


@dataclass(frozen=True)
class Relation:
    """Words that relate the phrases around them, or describe the one before them."""

    words: tuple[Word, ...]
    tags: str

    @cached_property
    def spoken(self) -> tuple[Word, ...]:
        """Return the words that carry the relation; of a bare "is", that word."""
        return tuple(word for word in self.words if word.tag not in SILENT) or self.words

    @cached_property
    def text(self) -> str:
        return " ".join(word.text for word in self.spoken)

    @property
    def last(self) -> "Relation":
        """Return its last word as a relation."""
        return Relation(self.words[-1:], self.tags[-1:])

    @property
    def without_last(self) -> "Relation":
        return Relation(self.words[:-1], self.tags[:-1])

    @cached_property
    def classes(self) -> Classes:
        """Return what attachment knows of the relation."""
        return relation_classes(self.text, bool(self.verb), self.preposition)

    @property
    def is_denied(self) -> bool:
        return any(word.tag is Tag.NEGATION or is_denial(word.text) for word in self.words)

    @property
    def is_place(self) -> bool:
        """Return whether it has only words for a place: "man in red left"."""
        return not self.tags.strip(Tag.PLACE)

    @property
    def is_finite(self) -> bool:
        return "B" in self.tags or self.verb == Tag.VERB

    @cached_property
    def verb(self) -> str:
        """Return the tag of its first verb, or an empty string."""
        return next((tag for tag in self.tags if tag in "VGgE"), "")

    @property
    def preposition(self) -> str:
        """Return the text of its last word if that is a preposition."""
        return self.words[-1].text if self.tags[-1] in "PTO" else ""

    @property
    def is_passive(self) -> bool:
        """Return whether the object is the agent: "covered in snow", "held by a man"."""
        if self.verb != Tag.PARTICIPLE:
            return False
        participle = next(word.text for word in self.words if word.tag is Tag.PARTICIPLE)
        if self.preposition == "by":
            return participle not in words("placing_verbs")
        is_enclosed = self.preposition in ("in", "with") and participle in words("enclosing_verbs")
        return is_enclosed and self.spoken[-2].text == participle  # but "lined up in a row"


Item = Phrase | Relation | Word


def items(tagged: Sequence[Word]) -> list[Item]:
    """Return the phrases, the relations and the words between them, in order."""
    return relations(measured(noun_phrases(tagged)))


def letters(parts: Sequence[Item]) -> str:
    return "".join("N" if isinstance(part, Phrase) else part.tag for part in parts if not isinstance(part, Relation))


def matches(pattern: re.Pattern[str], tags: str) -> Iterator[re.Match[str]]:
    return (match for match in pattern.finditer(tags) if match["nothing"] is None)


def noun_phrases(tagged: Sequence[Word]) -> list[Item]:
    tags = "".join(word.tag for word in tagged)
    found: list[Item] = []
    end = 0
    for match in matches(PHRASE, tags):
        found.extend(tagged[end : match.start()])
        cut = TWO_PHRASES.search(match.group()) if STRANDED.match(tags, match.end()) else None
        middle = match.start() + cut.end() if cut else match.start()
        if cut:
            found.append(owned_phrase(tagged[match.start() : middle]))
        found.extend(colours_apart(tagged[middle : match.end()]))
        end = match.end()
    return [*found, *tagged[end:]]


def colours_apart(span: Sequence[Word]) -> list[Item]:
    """Return the phrase of a span; colours alone, "in red and white", are two phrases."""
    whole = fragment(span)
    if not whole.is_colour:
        return [whole]
    cut = next((place for place, word in enumerate(span) if word.tag is Tag.CONJUNCTION), 0)
    if cut and span[cut - 1].text in words("colours"):
        return [owned_phrase(span[:cut]), span[cut], owned_phrase(span[cut + 1 :])]
    return [whole]


def fragment(span: Sequence[Word]) -> Phrase:
    """Return the phrase of a span; what a person wears, "guy blue shirt", becomes one attribute of the person."""
    whole = owned_phrase(span)
    if len(whole.modifiers) < SHORTEST_FRAGMENT or whole.mark is not None:
        return whole
    cut = next((place for place, word in enumerate(span) if word.tag in (Tag.NOUN, Tag.PLURAL)), len(span)) + 1
    worn = tuple(word for word in span[cut:] if word.tag not in SILENT)
    is_described = len(worn) > 1 and worn[0].tag is Tag.ADJECTIVE
    if not is_described or not (whole.is_worn or whole.is_body_part):
        return whole
    person = owned_phrase(span[:cut])
    return replace(person, worn=worn) if person.is_animate else whole


def owned_phrase(span: Sequence[Word]) -> Phrase:
    """Return the phrase of a span; the part before an 's is the owner of the part after it."""
    owner: Phrase | None = None
    mark: Word | None = None
    part: list[Word] = []
    for word in span:
        if word.tag is Tag.POSSESSIVE:
            owner, mark, part = phrase(part, owner, mark), word, []
        else:
            part.append(word)
    return phrase(part, owner, mark)


def phrase(span: Sequence[Word], owner: Phrase | None, mark: Word | None) -> Phrase:
    opening = next((place for place, word in enumerate(span) if word.tag not in LEADING), len(span))
    denied = next((word for word in span[:opening] if word.tag is Tag.NEGATION), None)
    kept = [word for word in span if (word.tag not in SILENT and word is not denied) or word.text == NO]
    determiner = next((word for word in span[:opening] if word.tag is Tag.DETERMINER), None)
    return Phrase(kept[-1], tuple(kept[:-1]), owner, mark, determiner, denied)


def measured(parts: list[Item]) -> list[Item]:
    """Join "a group of people" and "two of the men" into one phrase about people."""
    for match in reversed(list(re.finditer("(?=NON)", letters(parts)))):
        start = match.start()
        measure, inner = parts[start], parts[start + 2]
        if not (isinstance(measure, Phrase) and isinstance(inner, Phrase)):
            continue
        if not start and measure.modifiers and measure.head.text in words("views"):  # "a blurry picture of a cat"
            parts = [replace(inner, modifiers=(*measure.modifiers, *inner.modifiers)), *parts[3:]]
        elif is_measure(measure, inner):
            whole = replace(inner, modifiers=(*measure.modifiers, measure.head, *inner.modifiers))
            parts = [*parts[:start], whole, *parts[start + 3 :]]
    return parts


def is_measure(count: Phrase, counted: Phrase) -> bool:
    is_number = count.head.text in words("quantifiers") and not count.is_determined and not count.modifiers
    endings = {Tag.ADJECTIVE: ("er", "est", "most"), Tag.PLACE: ("most",)}.get(count.head.tag, ())
    is_ranked = count.head.text.endswith(endings) or count.head.text in words("ordinals")
    is_chosen = is_ranked and counted.is_determined  # "the taller of the two"
    return count.head.text in words("measures") or is_chosen or (is_number and counted.is_determined)


def relations(parts: list[Item]) -> list[Item]:
    found: list[Item] = []
    end = 0
    for match in matches(RELATION, letters(parts)):
        found.extend(parts[end : match.start()])
        span = tuple(part for part in parts[match.start() : match.end()] if isinstance(part, Word))
        found.append(Relation(span, match.group()))
        end = match.end()
    return [*found, *parts[end:]]
