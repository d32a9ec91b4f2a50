"""Expressions about a scene: true of exactly one choice of objects, and hardly longer than needed."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from numpy.random import Generator

from jvgn.shapes.descriptions import (
    Description,
    Facts,
    Phrase,
    is_ambiguous,
    is_decisive,
    is_foremost,
    members,
    only_solution,
)
from jvgn.shapes.relations import RELATIONS
from jvgn.shapes.scenes import Scene, pick
from jvgn.shapes.wording import Sentence, choose_wording, put_into_words

STRUCTURES: dict[int, tuple[tuple[int, ...], ...]] = {
    1: ((),),
    2: ((0,),),
    3: ((0, 1), (0, 0)),
    4: ((0, 1, 2), (0, 0, 2)),
}
"""For each number of mentions, the `subjects` that the grammar allows."""
MENTIONS = (1, 1, 1, 2, 2, 2, 2, 3, 3, 4)  # the frequent ones several times
PAIR_MENTIONS = (2, 2, 2, 3, 3)
MOST_SINGLE = 0.4
DECISIVE = 0.75
"""Share of the sentences with relations whose last relation must be needed; the others are free."""
CONTRARY = 0.4
"""Share of these whose referent must not be found by a prior, such as "left of" means the leftmost."""
DIRECTIONS, NEAR = RELATIONS[:4], RELATIONS[4:]
NEARNESS = 0.2
WORDY = 0.12
"""Probability that an unneeded word stays: people are not perfectly brief."""
CHOICES_TRIED = 200


@dataclass(frozen=True)
class Outline:
    """The structure of a sentence, chosen before its scene, so that easy sentences do not displace hard ones."""

    subjects: tuple[int, ...]
    relations: tuple[tuple[str, ...], ...]
    """The options for each relation."""
    decisive: bool
    contrary: bool

    @classmethod
    def sample(cls, mentions: int, decisive: bool, generator: Generator) -> "Outline":
        subjects = pick(STRUCTURES[mentions], generator)
        relations = tuple(NEAR if generator.random() < NEARNESS else DIRECTIONS for _ in subjects)
        contrary = decisive and relations[0] == DIRECTIONS and generator.random() < CONTRARY
        return cls(subjects, relations, decisive, contrary)

    def admits(self, description: Description, chosen: tuple[int, ...], facts: Facts) -> bool:
        if self.contrary and is_foremost(description, chosen[0], facts):
            return False
        return not self.decisive or is_decisive(description, facts)

    def ease(self) -> int:
        """Return a sort key: the hardest outlines come first, so that unsuitable scenes are rejected early."""
        return -len(self.subjects) * (self.decisive + self.contrary)


@dataclass(frozen=True)
class Expression:
    sentence: Sentence
    chosen: tuple[int, ...]
    """The object of each mention; the first is the referent."""


Solved = tuple[Description, tuple[int, ...]]
"""A description and the objects of its only solution."""


def sample_outlines(number: int, generator: Generator) -> list[Outline]:
    """Sample outlines of single sentences, with a limited share about one object only."""
    mentions = [pick(MENTIONS, generator) for _ in range(number)]
    single = [position for position, count in enumerate(mentions) if count == 1]
    for position in single[int(MOST_SINGLE * number) :]:
        mentions[position] = 2
    decisive = [count > 1 and generator.random() < DECISIVE for count in mentions]
    outlines = [Outline.sample(*both, generator) for both in zip(mentions, decisive, strict=True)]
    return sorted(outlines, key=Outline.ease)


def sample_pair_outlines(number: int, generator: Generator) -> list[Outline]:
    outlines = [Outline.sample(pick(PAIR_MENTIONS, generator), True, generator) for _ in range(number)]
    return sorted(outlines, key=Outline.ease)


def tell(scene: Scene, outlines: list[Outline], generator: Generator) -> list[Expression] | None:
    """Return a different sentence for each outline; None if the scene does not have them."""
    facts = Facts(scene)
    expressions: dict[tuple[str, ...], Expression] = {}
    for outline in outlines:
        for description, chosen in propose(facts, outline, generator):
            sentence = put_into_words(description, choose_wording(description.subjects, generator))
            if sentence.tokens not in expressions:
                expressions[sentence.tokens] = Expression(sentence, chosen)
                break
        else:
            return None
    return list(expressions.values())


def tell_twice(scene: Scene, outlines: list[Outline], generator: Generator) -> list[Expression] | None:
    """Return two sentences for each outline: same words, another structure and referent; None as for `tell`."""
    facts = Facts(scene)
    pairs: dict[tuple[str, ...], list[Expression]] = {}
    for outline in outlines:
        for solved in propose(facts, outline, generator):
            twin = find_twin(*solved, facts, generator)
            if twin is None:
                continue
            wording = choose_wording(outline.subjects, generator)
            pair = [Expression(put_into_words(description, wording), chosen) for description, chosen in (solved, twin)]
            words = tuple(sorted(pair[0].sentence.tokens))
            if words not in pairs:
                pairs[words] = pair
                break
        else:
            return None
    return [expression for pair in pairs.values() for expression in pair]


def propose(facts: Facts, outline: Outline, generator: Generator) -> Iterator[Solved]:
    """Yield short descriptions of random objects that have one solution and fit the outline."""
    tried = set()
    for _ in range(CHOICES_TRIED):
        relations = tuple(pick(options, generator) for options in outline.relations)
        chosen = choose_objects(facts, outline.subjects, relations, generator)
        if chosen is None or (relations, chosen) in tried:
            continue
        tried.add((relations, chosen))
        things = [facts.things[index] for index in chosen]
        briefest = Description(tuple(Phrase(thing.shape) for thing in things), outline.subjects, relations)
        if not outline.admits(briefest, chosen, facts):  # a longer one would not fit either
            continue
        fullest = briefest._replace(phrases=tuple(Phrase(thing.shape, thing.colour, thing.size) for thing in things))
        if only_solution(fullest, facts):
            description = shorten(fullest, facts, generator)
            if outline.admits(description, chosen, facts):
                yield description, chosen


def choose_objects(
    facts: Facts, subjects: tuple[int, ...], relations: tuple[str, ...], generator: Generator
) -> tuple[int, ...] | None:
    """Sample distinct objects that have these relations in the strict reading; None if there are none."""
    chosen = [pick(range(len(facts.things)), generator)]
    for subject, relation in zip(subjects, relations, strict=True):
        options = [index for index in members(facts.strict[relation][chosen[subject]]) if index not in chosen]
        if not options:
            return None
        chosen.append(pick(options, generator))
    return tuple(chosen)


def shorten(description: Description, facts: Facts, generator: Generator) -> Description:
    """Drop words, in random order, that the only solution does not need."""
    words = [(mention, word) for mention in range(len(description.phrases)) for word in ("colour", "size")]
    for position in generator.permutation(len(words)).tolist():
        mention, word = words[position]
        if generator.random() < WORDY:
            continue
        phrases = list(description.phrases)
        phrases[mention] = phrases[mention]._replace(**{word: None})
        shorter = description._replace(phrases=tuple(phrases))
        if only_solution(shorter, facts):
            description = shorter
    return description


def find_twin(description: Description, chosen: tuple[int, ...], facts: Facts, generator: Generator) -> Solved | None:
    """Return the same words in another structure, with one solution about another referent that needs its relations."""
    twins = rearrangements(description)
    for position in generator.permutation(len(twins)).tolist():
        twin = twins[position]
        if is_ambiguous(twin.phrases[0], facts):
            twin_chosen = only_solution(twin, facts)
            if twin_chosen and twin_chosen[0] != chosen[0]:
                return twin, twin_chosen
    return None


def rearrangements(description: Description) -> list[Description]:
    """Return every rearrangement of the words once."""
    phrases = description.phrases
    places = product(
        permutations([phrase.shape for phrase in phrases]),
        permutations([phrase.colour for phrase in phrases]),
        permutations([phrase.size for phrase in phrases]),
        permutations(description.relations),
    )
    return [
        Description(tuple(map(Phrase, shapes, colours, sizes)), description.subjects, relations)
        for shapes, colours, sizes, relations in dict.fromkeys(places)
    ]
