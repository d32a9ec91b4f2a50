"""Attachment: whether a preposition belongs to the noun before it or to the one that this is related to.

`lists/attachment.txt` is the table, for both the lexical parser and dependency trees; its first lines explain it.
"""

import functools
from collections.abc import Iterable
from dataclasses import dataclass

from parsers.words.lexicon import is_listed, lines, words

LISTS = {
    "worn": "clothes",
    "part": "body_parts",
    "setting": "settings",
    "marking": "markings",
    "pattern": "patterns",
    "dish": "dishes",
}
"""Classes of nouns and their lists."""
Classes = frozenset[str]
Alternatives = tuple[tuple[tuple[str, bool], ...], ...]
"""A cell: one of these must hold, and in it each class must be present, or absent if denied."""


@functools.lru_cache(maxsize=1 << 14)
def noun_classes(head: str, is_plural: bool = False) -> Classes:
    """Return the classes of a noun, which include its last word."""
    last = head.rpartition(" ")[2]
    found = {last, *(name for name, listed in LISTS.items() if is_listed(last, listed))}
    if is_listed(last, "animates") and not is_listed(head, "inanimates"):
        found.add("animate")
    if not is_plural:
        found.add("singular")
    return frozenset(found | ({"pattern"} if "marking" in found else set()))


def colour_classes(head: str) -> Classes:
    """Return the classes of a colour that stands for clothes: "in red"."""
    return frozenset({head, "colour", "worn", "pattern", "singular"})


@functools.lru_cache(maxsize=1 << 14)
def relation_classes(text: str, verb: bool, preposition: str) -> Classes:
    """Return the classes of a relation with these words, whether it has a verb, and its last word if a preposition."""
    found = {text}
    if text in words("beside") or text.endswith((" left of", " right of", " side of")):
        found.add("beside")
    if verb:
        found.add("verb")
    if verb and not preposition:
        found.add("verb_only")
    if preposition:
        found |= {"preposition", f"...{preposition}"}
    found |= {name for name in ("having", "carrying", "naming") if text in words(name)}
    return frozenset(found)


@dataclass(frozen=True)
class Row:
    cells: tuple[Alternatives, ...]
    is_far: bool

    def fits(self, asked: Iterable[Classes]) -> bool:
        return all(not cell or any_holds(cell, classes) for cell, classes in zip(self.cells, asked, strict=True))


def any_holds(cell: Alternatives, classes: Classes) -> bool:
    return any(all((name in classes) is wanted for name, wanted in every) for every in cell)


@functools.cache
def table() -> tuple[Row, ...]:
    found = []
    for line in lines("attachment"):
        *cells, _, noun = line.split()
        found.append(Row(tuple(map(cell_of, cells)), noun == "far"))
    return tuple(found)


def cell_of(text: str) -> Alternatives:
    if text == "*":
        return ()
    return tuple(
        tuple((name.removeprefix("!"), not name.startswith("!")) for name in every.split("+"))
        for every in text.split(",")
    )


@functools.lru_cache(maxsize=1 << 14)
def is_far(relation: Classes, target: Classes, here: Classes, inbound: Classes, subject: Classes) -> bool:
    """Return whether the relation belongs to `subject`, not to `here`, which the `inbound` relation ties to it."""
    asked = (relation, target, here, inbound, subject)
    return next((row.is_far for row in table() if row.fits(asked)), False)
