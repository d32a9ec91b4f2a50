"""Descriptions: the meaning of a sentence before it has words, and a search for all objects that it is true of."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from jvgn.shapes.relations import LOOSE, STRICT, related
from jvgn.shapes.scenes import Scene, Thing

FURTHER: dict[str, Callable[[Thing], float]] = {
    "left": lambda thing: -thing.x,
    "right": lambda thing: thing.x,
    "above": lambda thing: -thing.y,
    "below": lambda thing: thing.y,
}
"""The position of an object along each direction."""


class Phrase(NamedTuple):
    """The words for one mentioned object; None is not mentioned."""

    shape: str
    colour: str | None = None
    size: str | None = None


class Description(NamedTuple):
    """Mention 0 is the referent; mention `subjects[k]` has the relation `relations[k]` to mention k + 1."""

    phrases: tuple[Phrase, ...]
    subjects: tuple[int, ...]
    relations: tuple[str, ...]


class Facts:
    """The facts of a scene for the search: sets of objects, each as the bits of an integer."""

    def __init__(self, scene: Scene) -> None:
        self.things = scene.things
        self.strict = related(scene, STRICT)
        self.loose = related(scene, LOOSE)
        self.having: defaultdict[str, int] = defaultdict(int)
        for index, thing in enumerate(scene.things):
            for word in (thing.size, thing.colour, thing.shape):
                self.having[word] |= 1 << index

    def fitting(self, phrase: Phrase) -> int:
        """Return the objects that the phrase alone fits."""
        fitting = self.having[phrase.shape]
        if phrase.colour:
            fitting &= self.having[phrase.colour]
        if phrase.size:
            fitting &= self.having[phrase.size]
        return fitting


def members(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


def joint_solutions(description: Description, facts: Facts) -> Iterator[tuple[int, ...]]:
    """Yield every choice of objects for the mentions that makes the description true in the loose reading.

    Two mentions may be of one object: nothing in a sentence forbids it, and a model need not exclude it.
    """
    fitting = [facts.fitting(phrase) for phrase in description.phrases]

    def extend(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        mention = len(chosen)
        if mention == len(fitting):
            yield chosen
            return
        options = fitting[mention]
        if mention:
            subject = chosen[description.subjects[mention - 1]]
            options &= facts.loose[description.relations[mention - 1]][subject]
        for index in members(options):
            yield from extend((*chosen, index))

    return extend(())


def only_solution(description: Description, facts: Facts) -> tuple[int, ...] | None:
    """Return the only solution of the loose reading; None if there is another one, if it is not true in the strict
    reading, or if it mentions an object twice."""
    found = list(islice(joint_solutions(description, facts), 2))
    if len(found) != 1:
        return None
    (chosen,) = found
    if len(set(chosen)) < len(chosen):
        return None
    links = zip(description.subjects, description.relations, chosen[1:], strict=True)
    if all(facts.strict[relation][chosen[subject]] >> index & 1 for subject, relation, index in links):
        return chosen
    return None


def is_ambiguous(phrase: Phrase, facts: Facts) -> bool:
    """Return whether the phrase alone fits several objects."""
    return facts.fitting(phrase).bit_count() > 1


def is_decisive(description: Description, facts: Facts) -> bool:
    """Return whether the last relation is needed: without it, several objects may be the referent."""
    shorter = Description(description.phrases[:-1], description.subjects[:-1], description.relations[:-1])
    solutions = joint_solutions(shorter, facts)
    first = next(solutions)[0]
    return any(solution[0] != first for solution in solutions)


def is_foremost(description: Description, referent: int, facts: Facts) -> bool:
    """Return whether a direction alone finds the referent: it is the outermost of the objects that its phrase fits."""
    rivals = [facts.things[index] for index in members(facts.fitting(description.phrases[0])) if index != referent]
    for subject, relation in zip(description.subjects, description.relations, strict=True):
        if subject == 0 and relation in FURTHER:
            own = FURTHER[relation](facts.things[referent])
            if all(FURTHER[relation](rival) <= own for rival in rivals):
                return True
    return False
