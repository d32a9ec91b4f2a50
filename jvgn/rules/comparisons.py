"""Unary rules that compare regions of the same name: colour, size, pose, place, order and superlatives.

Shape suffixes: N regions. `among_N` are the regions that are compared: those that the noun may mean.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from jvgn.rules.category_words import ROLES, YOUNG
from jvgn.rules.colours import CLEAR, band_of, colour_shares, colour_words
from jvgn.rules.scene import Floats, Scene, spread
from jvgn.settings.run import RuleGroup
from parsers.words.lexicon import verb_base

NEXT = 0.35
"""How well the second region fits a superlative, compared with the first."""

THERE = 0.7
"""A region is at a place if it fits at least this share of the best fit."""

Value = Callable[[Scene], Floats]

MEASURES: Mapping[str, Value] = {
    "right": lambda scene: scene.centre_N2[:, 0] / scene.size[0],
    "left": lambda scene: 1 - scene.centre_N2[:, 0] / scene.size[0],
    "bottom": lambda scene: scene.centre_N2[:, 1] / scene.size[1],
    "top": lambda scene: 1 - scene.centre_N2[:, 1] / scene.size[1],
    "near": lambda scene: scene.nearness_N,
    "far": lambda scene: 1 - scene.nearness_N,
    "large": lambda scene: np.sqrt(scene.area_N),
    "small": lambda scene: 1 - np.sqrt(scene.area_N),
    "tall": lambda scene: scene.side_N2[:, 1] / scene.size[1],
    "short": lambda scene: 1 - scene.side_N2[:, 1] / scene.size[1],
    "wide": lambda scene: scene.side_N2[:, 0] / scene.size[0],
    "narrow": lambda scene: 1 - scene.side_N2[:, 0] / scene.size[0],
    "flat": lambda scene: scene.side_N2[:, 0] / scene.side_N2.sum(axis=1),
    "high foot": lambda scene: 1 - scene.box_N4[:, 3] / scene.size[1],
    "low foot": lambda scene: scene.box_N4[:, 3] / scene.size[1],
}
"""What words compare: a number for each region."""

PLACES: Mapping[str, str] = {
    "left": "left", "right": "right", "top": "top", "upper": "top", "bottom": "bottom", "lower": "bottom",
    "front": "near", "foreground": "near", "near": "near", "back": "far", "background": "far", "rear": "far",
    "distance": "far", "behind": "far", "top-left": "top left", "top-right": "top right", "left-hand": "left",
    "right-hand": "right", "bottom-left": "bottom left", "bottom-right": "bottom right", "base": "bottom",
    "close": "near", "far": "far", "distant": "far",
}  # fmt: skip
MIDDLES = frozenset({"middle", "center", "centre", "central"})
EXTREMES: Mapping[str, str] = {
    "leftmost": "left", "rightmost": "right", "topmost": "top", "bottommost": "bottom", "highest": "top",
    "higher": "top", "lowest": "bottom", "uppermost": "top", "largest": "large", "biggest": "large", "bigger": "large",
    "larger": "large", "smallest": "small", "smaller": "small", "tiniest": "small", "tallest": "tall",
    "taller": "tall", "shortest": "short", "shorter": "short", "longest": "wide", "longer": "wide", "widest": "wide",
    "wider": "wide", "closest": "near", "nearest": "near", "closer": "near", "nearer": "near", "farthest": "far",
    "furthest": "far", "farther": "far", "further": "far", "frontmost": "near", "left-most": "left",
    "right-most": "right", "main": "large", "lower": "bottom", "upper": "top", "top-most": "top",
    "bottom-most": "bottom", "front-most": "near", "backmost": "far", "rearmost": "far",
}  # fmt: skip
"""Superlatives and comparatives: the region that has the most of a measure."""
STRESS = frozenset({"far", "very", "extreme", "most", "farthest", "furthest", "outer", "end", "corner", "edge"})
"""Words that make a place an extreme: "far left"."""
SIZES: Mapping[str, str] = {
    "big": "large", "large": "large", "huge": "large", "giant": "large", "small": "small", "little": "small",
    "tiny": "small", "mini": "small", "miniature": "small", "young": "small", "tall": "tall", "short": "short",
    "long": "wide", "wide": "wide", "narrow": "narrow", "thin": "narrow", "baby": "small", "adult": "large",
}  # fmt: skip
OPPOSITES: Mapping[str, str] = {"small": "large", "short": "tall", "narrow": "wide"}
POSES: Mapping[str, str] = {
    "lie": "flat", "lay": "flat", "sleep": "flat", "slide": "flat", "crawl": "flat", "dive": "flat", "kneel": "short",
    "sit": "short", "crouch": "short", "squat": "short", "bend": "short", "seat": "short", "jump": "top",
}  # fmt: skip
UPRIGHT = frozenset({"stand", "walk"})
ORDINALS: Mapping[str, int] = {
    "first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "seventh": 6, "eighth": 7, "ninth": 8,
    "tenth": 9, "1st": 0, "2nd": 1, "3rd": 2, "4th": 3, "5th": 4, "last": -1,
}  # fmt: skip


PLACING = frozenset({*PLACES, *MIDDLES, *EXTREMES, *STRESS, *ORDINALS})
"""All words that `spoken_places` reads."""


@dataclass(frozen=True)
class Comparison:
    """A degree for each region, with the rule and the words that it comes from."""

    rule: str
    group: RuleGroup
    words: str
    degree_N: Floats
    strength: float = 1.0
    """Share of the group's weight."""


def extreme(value_N: Floats, among_N: Floats) -> Floats:
    """Return 1 for the highest of the compared regions, less for each following one."""
    rank_N = (value_N[None, :] > value_N[:, None] + 1e-9)[:, among_N].sum(axis=1)
    return NEXT**rank_N


def placed(value_N: Floats, among_N: Floats) -> Floats:
    """Return how far each region is in a direction: in the picture, and among the compared regions."""
    return 0.3 * value_N + 0.7 * spread(value_N, among_N)


def middle(scene: Scene, among_N: Floats) -> Floats:
    """Return how near each region is to the middle of the compared regions and of the picture."""
    x_N, y_N = (scene.centre_N2 / np.array(scene.size)).T
    halfway = (x_N[among_N].min() + x_N[among_N].max()) / 2 if among_N.any() else 0.5
    return np.clip(1 - 1.4 * np.abs(x_N - halfway) - 0.4 * np.abs(x_N - 0.5) - 0.2 * np.abs(y_N - 0.5), 0, 1)


def coloured(scene: Scene, among_N: Floats, colour: str, head: str) -> Floats:
    share_N = colour_shares(scene, colour, band_of(head))
    return np.clip(share_N / max(CLEAR, share_N[among_N].max(initial=0)), 0, 1)


def sized(scene: Scene, among_N: Floats, measure: str) -> Floats:
    """Return the size of each region as a share of the largest, or for "small" the smallest as a share of it."""
    is_low = measure in OPPOSITES
    value_N = MEASURES[OPPOSITES.get(measure, measure)](scene)
    if not among_N.any():
        return np.ones(len(value_N))
    share_N = value_N[among_N].min() / value_N if is_low else value_N / value_N[among_N].max()
    return np.clip(share_N, 0, 1) ** 2


def attribute_comparisons(
    scene: Scene, among_N: Floats, attribute: str, head: str, negated: bool = False
) -> list[Comparison]:
    """Return what the colours, sizes and poses in an attribute say."""
    parts = attribute.lower().split()
    found = []
    if scene.pixels_HW3 is not None:
        found += [
            Comparison("colour", "attributes", attribute, coloured(scene, among_N, colour, head))
            for colour in colour_words(" ".join(parts))
        ]
    for word in parts:
        if measure := SIZES.get(word):
            found.append(Comparison("size", "attributes", word, sized(scene, among_N, measure)))
    found += poses(scene, among_N, parts)
    return [inverted(one) for one in found] if negated else found


def poses(scene: Scene, among_N: Floats, verbs: list[str]) -> list[Comparison]:
    found = []
    for verb in verbs:
        if measure := POSES.get(verb_base(verb)):
            found.append(Comparison("pose", "attributes", verb, spread(MEASURES[measure](scene), among_N), 0.5))
        elif verb_base(verb) in UPRIGHT:
            upright_N = scene.side_N2[:, 1] / scene.side_N2[:, 0]
            found.append(Comparison("pose", "attributes", verb, np.minimum(upright_N / 2.5, 1), 0.5))
    return found


def owner_comparisons(scene: Scene, among_N: Floats, attributes: tuple[str, ...]) -> list[Comparison]:
    """Return what the colours of a part without a box say about its owner: "the cup with the red straw"."""
    if scene.pixels_HW3 is None:
        return []
    return [
        Comparison("colour of a part", "attributes", attribute, coloured(scene, among_N, colour, ""), 0.5)
        for attribute in attributes
        for colour in colour_words(attribute.lower())
    ]


def inverted(one: Comparison) -> Comparison:
    return Comparison("negation", one.group, one.words, 1 - one.degree_N, one.strength)


def noun_comparisons(scene: Scene, among_N: Floats, noun: str) -> list[Comparison]:
    """Return what a noun says besides a category: a jockey touches a horse, a calf is smaller than a cow."""
    found = []
    if noun in YOUNG:
        found.append(Comparison("young", "attributes", noun, sized(scene, among_N, "small"), 0.5))
    things_N = np.isin(scene.names, ROLES.get(noun, ()))
    if things_N.any():
        found.append(Comparison("role", "attributes", noun, touching(scene)[:, things_N].max(axis=1)))
    return found


def touching(scene: Scene) -> Floats:
    """Return (N, N): how much two regions touch: the smaller one inside of the other, or a gap between them."""
    cover_NN = np.maximum(scene.inside_NN, scene.inside_NN.T)
    touch_NN = np.where(scene.gap_NN > 0, 0.5 * np.exp(-scene.gap_NN / 0.03), 0.5 + 0.5 * cover_NN)
    return np.asarray(touch_NN)


def place_comparisons(scene: Scene, among_N: Floats, attributes: Sequence[tuple[str, bool]]) -> list[Comparison]:
    """Return what places, ordinal numbers and superlatives say; those that are denied say the contrary."""
    said, denied = (tuple(one for one, negated in attributes if negated is wanted) for wanted in (False, True))
    return [*spoken_places(scene, among_N, said), *map(inverted, spoken_places(scene, among_N, denied))]


def spoken_places(scene: Scene, among_N: Floats, attributes: tuple[str, ...]) -> list[Comparison]:
    """Return what attributes say about places and order; they are read together: "second … from the left"."""
    spoken = [word for attribute in attributes for word in re.split(r"[ _]", attribute.lower())]
    text = " ".join(word for word in spoken if word in PLACING)
    order = next((ORDINALS[word] for word in spoken if word in ORDINALS), None)
    directions = [part for word in spoken if word in PLACES for part in PLACES[word].split()]
    is_stressed = any(word in STRESS for word in spoken)
    supers = [EXTREMES[word] for word in spoken if word in EXTREMES]
    if len(directions) > 1 and "far" in directions and "far" in spoken:
        directions.remove("far")  # "far left": only a stress
    if len(directions) > 1 and "near" in spoken:
        directions.remove("near")  # "in the background near …": the beginning of a relation
    if order is not None:
        return [ordinal(scene, among_N, order, directions, supers, text)]
    if directions and supers and supers[0] in ("far", *directions):
        supers, is_stressed = [], True  # "farthest to the right"
    found = []
    for direction in directions:
        value_N = MEASURES[direction](scene)
        degree_N = extreme(value_N, among_N) if is_stressed and len(directions) == 1 else placed(value_N, among_N)
        found.append(Comparison("place", "places", text, degree_N))
    if not directions and any(word in MIDDLES for word in spoken):
        found.append(Comparison("middle", "places", text, middle(scene, among_N)))
    for one in found:  # "the largest cup on the right" is the largest of those on the right
        among_N = among_N & (one.degree_N >= THERE * one.degree_N[among_N].max(initial=0))
    return found + [Comparison("superlative", "order", text, extreme(MEASURES[one](scene), among_N)) for one in supers]


def ordinal(
    scene: Scene, among_N: Floats, order: int, directions: list[str], supers: list[str], text: str
) -> Comparison:
    """Count from the left, unless the words name another side; "second largest" counts by size."""
    value_N = MEASURES[(supers + directions + ["left"])[0]](scene)
    rank_N = (value_N[None, :] > value_N[:, None] + 1e-9)[:, among_N].sum(axis=1)
    wanted = order if order >= 0 else max(int(among_N.sum()) - 1, 0)
    return Comparison("ordinal", "order", text, NEXT ** np.abs(rank_N - wanted))
