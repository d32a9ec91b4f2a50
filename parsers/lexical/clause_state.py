"""The state of the walk over a sentence: phrases and relations found so far, and where the next words may belong.

Phrases are named by their index, in the order in which they were found.
"""

from dataclasses import dataclass, field

from parsers.lexical.phrases import Phrase, Relation
from parsers.lexical.tagger import Word
from parsers.words.lexicon import is_listed


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
    has_verb: bool = False
    """Whether the clause's subjects have a finite verb."""
    is_apart: bool = False
    """Whether the last conjunction was only a comma."""
    joined: bool = False
    """Whether a conjunction came just before."""
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
        return subjects[-1:] if subjects and holds[-1] and not all(holds) else subjects

    def link(self, subjects: list[int], relation: Relation, object_: int) -> None:
        for subject in subjects:
            ends = (object_, subject) if relation.is_passive else (subject, object_)
            self.links.append(Link(ends[0], relation.spoken, ends[1]))

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
