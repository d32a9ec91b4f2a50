"""What a node's noun may mean among the regions: the rules of the group `names`.

Shape suffixes: N regions.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np

from jvgn.rules.category_words import (
    ANYTHING,
    OWNERS_OF_PARTS,
    PERSON_PARTS,
    PLACEHOLDERS,
    SYNONYMS,
    VIEWERS,
    categories_of,
    head_of,
    singulars,
)
from jvgn.rules.colours import COLOURS, OTHER_WORDS
from jvgn.rules.scene import Floats, Scene
from parsers.scene_graph import SceneGraph
from parsers.words.lexicon import words

Kind = Literal["thing", "part", "viewer", "unknown"]
COMPOUND = 0.5
"""How far the last word of a compound, or a noun before an unknown one, may stand for the whole."""
WORN = frozenset({"in", "wearing", "wears", "not wearing", "dressed in", "with", "without"})


@dataclass(frozen=True)
class Noun:
    """The noun of a node, with what it may mean."""

    word: str
    """In the singular; for "the other one", the noun that it repeats."""
    kind: Kind
    """A `part` is a piece of clothing, a body part or, as in "in red", a colour: it is found in its owner's box."""
    meanings: dict[str, float]
    """Categories that it may mean, with a degree from 0 to 1."""

    def degrees(self, scene: Scene) -> Floats:
        """Return (N,): how well the name of each region fits."""
        if self.word in ANYTHING:
            return np.ones(len(scene))
        return np.array([self.degree(name.lower()) for name in scene.names])

    def degree(self, category: str) -> float:
        if category == self.word:
            return 1.0
        return self.meanings.get(category, self.meanings.get("", 0.0))


def nouns(graph: SceneGraph, scene: Scene) -> list[Noun]:
    """Return the noun of each node."""
    names = {name.lower() for name in scene.names}
    return [noun_of(graph, node, names) for node in range(len(graph.nodes))]


def noun_of(graph: SceneGraph, index: int, names: Collection[str]) -> Noun:
    """Return the noun of a node; a noun that is the name of some region is that thing, whatever else it may be."""
    node = graph.nodes[source_of_noun(graph, index)]
    head = node.head.lower()
    is_worn = any(edge.object == index and edge.relation.lower() in WORN for edge in graph.edges)
    if is_worn and OTHER_WORDS.get(head, head) in COLOURS:
        return Noun(head, "part", {"person": 1.0, "": 0.3})
    if any(form in VIEWERS for form in singulars(head)):
        return Noun(head, "viewer", {})
    attributes = [attribute.lower() for attribute in node.attributes]
    for phrase, degree in [(f"{attribute} {head}", 1.0) for attribute in attributes] + [(head, 1.0)]:
        found = meanings(phrase)
        if found:
            return Noun(found[0], "thing", {name: degree * value for name, value in found[1].items()})
        if form := next((form for form in singulars(phrase) if form in names), None):
            return Noun(form, "thing", {})
    if part := part_of(head) or next(filter(None, map(part_of, attributes)), None):
        return part
    return related_noun(head, attributes)


def source_of_noun(graph: SceneGraph, index: int) -> int:
    """Return the node that names what this node means: "one" repeats the noun of the mention that it is related to."""
    seen = {index}
    while graph.nodes[index].head.lower() in PLACEHOLDERS:
        linked = [
            edge.subject if edge.object == index else edge.object
            for edge in graph.edges
            if index in (edge.subject, edge.object)
        ]
        before = sorted((node for node in range(len(graph.nodes)) if node < index), reverse=True)
        following = next((node for node in [*sorted(linked), *before] if node not in seen), None)
        if following is None:
            return index
        seen.add(following)
        index = following
    return index


def meanings(phrase: str) -> tuple[str, dict[str, float]] | None:
    """Return the singular of a known noun, and the categories that it may mean."""
    for form in singulars(phrase):
        found = dict(categories_of().get(form, {}))
        if form in SYNONYMS:
            found[form] = 1.0
        elif form in head_of():
            found.setdefault(head_of()[form], 1.0)
        if found:
            return form, found
    return None


def part_of(head: str) -> Noun | None:
    """Return the noun of a body part or a piece of clothing."""
    for form in singulars(head):
        if form in words("clothes") | PERSON_PARTS:
            return Noun(form, "part", {"person": 1.0})
        if form in words("body_parts"):
            return Noun(form, "part", dict.fromkeys(OWNERS_OF_PARTS, 1.0) | {"": 0.4})
    return None


def related_noun(head: str, attributes: list[str]) -> Noun:
    """Return an unknown noun; its last word, or a noun before it, says what it may be."""
    last = head.split()[-1]
    for phrase in ([last] if last != head else []) + attributes:
        if found := meanings(phrase):
            return Noun(singulars(head)[-1], "unknown", {name: COMPOUND * value for name, value in found[1].items()})
    return Noun(singulars(head)[-1], "unknown", {})
