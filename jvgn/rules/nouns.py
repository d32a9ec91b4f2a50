"""What a node's noun may mean among the regions: the rules of the group `names`.

Shape suffixes: N regions.
"""

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
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
from jvgn.rules.comparisons import EXTREMES, ORDINALS
from jvgn.rules.scene import Floats, Scene
from parsers.scene_graph import Edge, SceneGraph
from parsers.words.lexicon import words

Kind = Literal["thing", "part", "viewer", "unknown"]
COMPOUND = 0.5
"""How far the last word of a compound, or a noun before an unknown one, may stand for the whole."""
KINDRED = 0.6
"""How well two words for the same category of COCO fit each other: a region named "woman" and the noun "man"."""
ALIKE = 0.86
"""How much of a misspelt noun is the known one, as `difflib` measures it."""
EYEWEAR = frozenset({"glasses", "eyeglasses", "spectacles"})
WORN = frozenset({"in", "wearing", "wears", "dressed in", "with", "without"})


@dataclass(frozen=True)
class Noun:
    """The noun of a node, with what it may mean."""

    word: str
    """In the singular; for "the other one", the noun that it repeats."""
    kind: Kind
    """A `part` is a piece of clothing, a body part or, as in "in red", a colour: it is found in its owner's box."""
    meanings: dict[str, float]
    """Categories that it may mean, with a degree from 0 to 1."""

    @property
    def is_unknown(self) -> bool:
        return self.kind == "unknown" and not self.meanings

    def degrees(self, scene: Scene) -> Floats:
        """Return (N,): how well the name of each region fits."""
        if self.word in ANYTHING:
            return np.ones(len(scene))
        return np.array([self.degree(name.lower()) for name in scene.names])

    def degree(self, category: str) -> float:
        if category == self.word:
            return 1.0
        own = self.meanings.get(category, self.meanings.get("", 0.0))
        if category in SYNONYMS:
            return own
        shared = (
            min(degree, self.meanings.get(name, 0.0)) * (1.0 if name == self.word else KINDRED)
            for name, degree in meanings_of_category(category).items()
        )
        return max(own, *shared, 0.0)


def nouns(graph: SceneGraph, scene: Scene) -> list[Noun]:
    """Return the noun of each node."""
    names = {name.lower() for name in scene.names}
    return [noun_of(graph, node, names) for node in range(len(graph.nodes))]


def noun_of(graph: SceneGraph, index: int, names: Collection[str]) -> Noun:
    """Return the noun of a node; a noun that is the name of some region is that thing, whatever else it may be."""
    node = graph.nodes[source_of_noun(graph, index)]
    head = node.noun
    is_worn = any(edge.object == index and edge.relation.lower() in WORN for edge in graph.edges)
    if is_worn and head in EYEWEAR and wearer_is_person(graph, index):
        return Noun(head, "part", {"person": 1.0})
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
    if is_placeholder(head):
        return Noun("thing", "thing", {})
    return respelt_noun(head) or related_noun(head, attributes)


def is_adjective(head: str) -> bool:
    """Return whether the parser took a superlative or a number for a noun: "the smallest of the dogs"."""
    return head in EXTREMES or head in ORDINALS


def is_placeholder(head: str) -> bool:
    return head in PLACEHOLDERS or is_adjective(head)


def is_selection(graph: SceneGraph, edge: Edge) -> bool:
    """Return whether an edge only names what is chosen from: "the smallest of the dogs"."""
    return edge.relation.lower() == "of" and is_placeholder(graph.nodes[edge.subject].head.lower())


def wearer_is_person(graph: SceneGraph, index: int) -> bool:
    heads = [graph.nodes[edge.subject].head.lower() for edge in graph.edges if edge.object == index]
    return any("person" in found[1] for found in map(meanings, heads) if found)


def source_of_noun(graph: SceneGraph, index: int) -> int:
    """Return the node that names what this node means: "one" repeats the noun of the mention that it is related to."""
    seen = {index}
    while is_placeholder(graph.nodes[index].head.lower()):
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


@cache
def meanings_of_category(category: str) -> dict[str, float]:
    """Return the categories of COCO that a region of another category may be: "woman" is a person."""
    found = meanings(category) or meanings(category.split()[-1])
    return found[1] if found else {}


def part_of(head: str) -> Noun | None:
    """Return the noun of a body part or a piece of clothing."""
    for form in singulars(head):
        if form in words("clothes") | PERSON_PARTS:
            return Noun(form, "part", {"person": 1.0})
        if form in words("body_parts"):
            return Noun(form, "part", dict.fromkeys(OWNERS_OF_PARTS, 1.0) | {"": 0.4})
    return None


def respelt_noun(head: str) -> Noun | None:
    """Return the known noun that an unknown one is almost spelt like: "lap top", "bannana"."""
    alike = [] if len(head) < 5 else get_close_matches(head, [*SYNONYMS, *categories_of()], n=1, cutoff=ALIKE)
    for phrase in (head.replace(" ", ""), *alike):
        if found := meanings(phrase):
            return Noun(found[0], "thing", found[1])
    return None


def related_noun(head: str, attributes: list[str]) -> Noun:
    """Return an unknown noun; its last word, or a noun before it, says what it may be."""
    last = head.split()[-1]
    for phrase in ([last] if last != head else []) + attributes:
        if found := meanings(phrase):
            return Noun(singulars(head)[-1], "unknown", {name: COMPOUND * value for name, value in found[1].items()})
    return Noun(singulars(head)[-1], "unknown", {})
