"""Rules over dependencies: patterns of paths, and the matcher that finds them. It knows no English.

A pattern is a path of words and steps: "subject:NOUN >acl relation:VERB >obj object:NOUN". A word is `name:UPOS`,
with `|` between several classes, `*` for any, and `@list` after it if the word must be in that word list, `@!list` if
it must not. `>relation` steps to a dependent, `<relation` to a head; `|` separates several relations. A `!>relation`
after a word says that the word has no such dependent. A `^` before the first word says that it is the root.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from parsers.words.lexicon import words


class Graph(Protocol):
    """The dependency graph that the matcher reads; words are named by numbers."""

    @property
    def root(self) -> int: ...
    def members(self) -> Sequence[int]: ...
    def upos(self, word: int) -> str: ...
    def text(self, word: int) -> str: ...
    def dependents(self, word: int) -> Sequence[tuple[str, int]]: ...
    def heads(self, word: int) -> Sequence[tuple[str, int]]: ...


@dataclass(frozen=True)
class Step:
    """One word of a path, and the step that leads to it."""

    step: str
    """`>`, `<`, or nothing for the first word."""
    relations: frozenset[str]
    name: str
    classes: frozenset[str]
    listed: str = ""
    unlisted: str = ""
    lacks: frozenset[str] = frozenset()

    def admits(self, graph: Graph, word: int) -> bool:
        return (
            ("*" in self.classes or graph.upos(word) in self.classes)
            and (not self.listed or graph.text(word) in words(self.listed))
            and (not self.unlisted or graph.text(word) not in words(self.unlisted))
            and not any(relation in self.lacks for relation, _ in graph.dependents(word))
        )


@functools.cache
def compiled(pattern: str) -> tuple[Step, ...]:
    places: list[Step] = []
    step, relations = "", frozenset[str]()
    for part in pattern.split():
        if part.startswith("!>"):
            last = places.pop()
            lacks = last.lacks | frozenset(part[2:].split("|"))
            places.append(Step(last.step, last.relations, last.name, last.classes, last.listed, last.unlisted, lacks))
        elif part[0] in "<>":
            step, relations = part[0], frozenset(part[1:].split("|"))
        else:
            name, _, rest = part.partition(":")
            classes, _, listing = rest.partition("@")
            listed, unlisted = ("", listing[1:]) if listing.startswith("!") else (listing, "")
            places.append(Step(step, relations, name, frozenset(classes.split("|")), listed, unlisted))
    return tuple(places)


def matches(pattern: str, graph: Graph) -> Iterator[Mapping[str, int]]:
    """Yield every match of the path as the word of each name, leftmost first."""
    path = compiled(pattern.removeprefix("^"))
    for word in [graph.root] if pattern.startswith("^") else graph.members():
        if path[0].admits(graph, word):
            yield from extended(path[1:], graph, word, {path[0].name: word})


def extended(path: Sequence[Step], graph: Graph, word: int, found: dict[str, int]) -> Iterator[Mapping[str, int]]:
    if not path:
        yield found
        return
    place = path[0]
    for relation, other in graph.dependents(word) if place.step == ">" else graph.heads(word):
        if relation in place.relations and other not in found.values() and place.admits(graph, other):
            yield from extended(path[1:], graph, other, {**found, place.name: other})


@dataclass(frozen=True)
class Rule:
    """The meaning of a path through the dependencies.

    The words of `path` are those of UD, after the passes, which add the classes PLACE ("left") and LOCATION ("on the
    left") and the relations place, quantity, agent, loose and compared. `emits` is an edge "{subject} -{relation}->
    {object}", an attribute "{noun}({attribute})" or the referent "*{head}". The example, with this rule alone, emits
    what is expected.
    """

    name: str
    path: str
    emits: str
    example: str
    tree: str
    expected: str


NOUN = "NOUN|PROPN"
THING = "NOUN|PROPN|NUM|ADJ|PLACE|X|SYM"
"""Classes of words that may be an object of the scene: "man in black", "the two on the left"."""
