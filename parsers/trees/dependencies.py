"""A dependency tree in Universal Dependencies (UD), and its dependencies while passes rewrite them.

The dependencies stay a tree when words are joined or moved. `share` adds arcs outside the tree, as the enhanced
dependencies of UD do ("a coat and a hat": both are worn).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ROOT = -1
MOST_HEADS = 50
"""Limit for one unit: in a list of thousands of words, every pair would be an arc."""


@dataclass(frozen=True, slots=True)
class TreeWord:
    text: str
    upos: str
    head: int
    """The index of the word that it depends on, or `ROOT`."""
    deprel: str


@dataclass(frozen=True, slots=True)
class Tree:
    """Words that all lead to one root."""

    words: tuple[TreeWord, ...]

    @property
    def root(self) -> int:
        return next(index for index, word in enumerate(self.words) if word.head == ROOT)


@dataclass
class Unit:
    """One word, or several that were joined."""

    text: str
    """In lower case, to be looked up."""
    upos: str
    tokens: tuple[int, ...]


class Dependencies:
    """Units are named by the index of a token of theirs, which never changes."""

    def __init__(self, tree: Tree) -> None:
        self.tokens = tuple(word.text for word in tree.words)
        self.units = {index: Unit(word.text.lower(), word.upos, (index,)) for index, word in enumerate(tree.words)}
        self.parent = {index: (word.head, word.deprel) for index, word in enumerate(tree.words)}
        self.parent[tree.root] = (ROOT, "root")
        self.shared_below: dict[int, list[tuple[str, int]]] = {}
        self.shared_above: dict[int, list[tuple[str, int]]] = {}
        """Arcs outside the tree: relation and dependent by head, relation and head by dependent."""
        self.stands_for: dict[int, int] = {}
        """The noun that a pronoun refers to."""
        self.linking: set[int] = set()
        """Verbs that mean no more than "is": "located under", "that lies above"."""
        self.below: dict[int, list[int]] | None = None
        """Cache of `children`."""

    # Queries: `children` and `head` are of the tree, `dependents` and `heads` also have the shared arcs.
    def upos(self, unit: int) -> str:
        return self.units[unit].upos

    def text(self, unit: int) -> str:
        return self.units[unit].text

    def in_order(self) -> Iterator[int]:
        """Yield the units from left to right; skip those that are joined or left out meanwhile."""
        return (unit for unit in sorted(self.units, key=lambda unit: self.units[unit].tokens) if unit in self.units)

    @property
    def root(self) -> int:
        return next(unit for unit, (head, _) in self.parent.items() if head == ROOT)

    def head(self, unit: int) -> int:
        return self.parent[unit][0]

    def relation(self, unit: int) -> str:
        return self.parent[unit][1]

    def children(self, unit: int, *relations: str) -> list[int]:
        """Return the unit's dependents in the tree, from left to right; only by these relations if any are given."""
        if self.below is None:
            self.below = {}
            for other in sorted(self.parent):
                self.below.setdefault(self.parent[other][0], []).append(other)
        found = self.below.get(unit, [])
        return [other for other in found if self.parent[other][1] in relations] if relations else list(found)

    def dependents(self, unit: int) -> list[tuple[str, int]]:
        """Return relation and dependent, from left to right."""
        own = [(self.relation(child), child) for child in self.children(unit)]
        return sorted([*own, *self.shared_below.get(unit, ())], key=lambda arc: (arc[1], arc[0]))

    def heads(self, unit: int) -> list[tuple[str, int]]:
        """Return relation and head; the root has no head."""
        head, relation = self.parent[unit]
        return [*([] if head == ROOT else [(relation, head)]), *self.shared_above.get(unit, ())]

    def ancestors(self, unit: int) -> list[int]:
        found = []
        while (unit := self.head(unit)) != ROOT:
            found.append(unit)
        return found

    # Changes.
    def attach(self, unit: int, head: int, relation: str) -> None:
        """Make the unit depend on another one, which must not depend on it."""
        self.parent[unit] = (head, relation)
        self.below = None

    def move(self, unit: int, head: int, relation: str) -> None:
        """Attach the unit to another one, unless that depends on it."""
        if unit != head and unit not in self.ancestors(head):
            self.attach(unit, head, relation)

    def share(self, head: int, relation: str, unit: int) -> None:
        """Add another head to the unit, unless it has `MOST_HEADS`."""
        heads = self.heads(unit)
        if head != unit and len(heads) < MOST_HEADS and (relation, head) not in heads:
            self.shared_below.setdefault(head, []).append((relation, unit))
            self.shared_above.setdefault(unit, []).append((relation, head))

    def join(self, members: Iterable[int], text: str, upos: str) -> int:
        """Make the members one unit, in the place of the one nearest to the root."""
        together = sorted(set(members))
        top = min(together, key=lambda unit: (len(self.ancestors(unit)), unit))
        tokens = sorted(token for unit in together for token in self.units[unit].tokens)
        for unit in together:
            for child in self.children(unit):
                if child != top:
                    self.attach(child, top, self.relation(child))
        for unit in together:
            if unit != top:
                self.leave_out(unit)
        self.units[top] = Unit(text, upos, tuple(tokens))
        return top

    def promote(self, unit: int, relation: str) -> None:
        """Put the unit in the place of its head; the head and its other dependents now depend on the unit."""
        above = self.head(unit)
        place = self.parent[above]
        for child in self.children(above):
            self.attach(child, unit, self.relation(child))
        self.attach(unit, *place)
        self.attach(above, unit, relation)

    def leave_out(self, unit: int) -> None:
        """Remove a unit, on which nothing may depend."""
        del self.units[unit], self.parent[unit]
        self.below = None
