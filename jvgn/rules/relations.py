"""Relations between two regions, from their boxes: the rules of the group `relations`.

Entry (i, j) of a degree says how well "i relation j" fits. Shape suffixes: N regions.
"""

from collections.abc import Callable, Mapping

import numpy as np

from jvgn.rules.comparisons import touching
from jvgn.rules.scene import Floats, Scene
from parsers.words.lexicon import verb_base

Degree = Callable[[Scene], Floats]


def sigmoid(value: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(value, -30, 30)))


def towards(axis: int, sign: int) -> Degree:
    """Return the degree of a direction: a cone around it, wider for larger boxes."""

    def degree(scene: Scene) -> Floats:
        side, other = scene.size[axis], scene.size[1 - axis]
        offset_NN2 = scene.centre_N2[:, None] - scene.centre_N2
        along_NN = sign * offset_NN2[..., axis]
        extent_N = scene.side_N2[:, 1 - axis]
        slack_NN = 0.25 * (extent_N[:, None] + extent_N)
        across_NN = np.maximum(np.abs(offset_NN2[..., 1 - axis]) - slack_NN, 0)
        cone_NN = np.exp(-np.maximum(across_NN - 0.8 * np.maximum(along_NN, 0), 0) / (0.1 * other))
        near_NN = 0.75 + 0.25 * np.exp(-scene.gap_NN / 0.2)
        # A centre beside the other box is better than one before or behind it.
        beyond_NN = 0.7 + 0.3 * sigmoid((along_NN - scene.side_N2[None, :, axis] / 2) / side / 0.02)
        return sigmoid((along_NN / side - 0.03) / 0.015) * cone_NN * near_NN * beyond_NN

    return degree


def nearby(scene: Scene) -> Floats:
    return 0.7 * np.exp(-scene.gap_NN / 0.08) + 0.3 * np.exp(-scene.distance_NN / 0.2)


def beneath_overlap(scene: Scene) -> Floats:
    """Return the share of i's width that is above or below j."""
    left_NN = np.maximum(scene.box_N4[:, None, 0], scene.box_N4[None, :, 0])
    right_NN = np.minimum(scene.box_N4[:, None, 2], scene.box_N4[None, :, 2])
    narrower_NN = np.minimum(scene.side_N2[:, None, 0], scene.side_N2[None, :, 0])
    return np.clip((right_NN - left_NN) / narrower_NN, 0, 1)


def on(scene: Scene) -> Floats:
    """i stands on j: its lower edge is between the edges of j, which is below it."""
    height = scene.size[1]
    foot_N, top_N, bottom_N = scene.box_N4[:, 3], scene.box_N4[:, 1], scene.box_N4[:, 3]
    reached_NN = sigmoid(((foot_N[:, None] - top_N) / height + 0.03) / 0.01)
    not_below_NN = sigmoid(((bottom_N - foot_N[:, None]) / height + 0.06) / 0.02)
    higher_NN = sigmoid(((scene.centre_N2[:, 1] - scene.centre_N2[:, None, 1]) / height + 0.05) / 0.05)
    return beneath_overlap(scene) * reached_NN * not_below_NN * (0.8 + 0.2 * higher_NN)


def under(scene: Scene) -> Floats:
    """i is what j stands on, or below j, best in the same columns."""
    below_NN = towards(1, 1)(scene) * (0.6 + 0.4 * beneath_overlap(scene))
    return np.maximum(on(scene).T, below_NN)


def inside(scene: Scene) -> Floats:
    return 0.8 * scene.inside_NN + 0.2 * touching(scene)


def behind(scene: Scene) -> Floats:
    """i is farther from the camera: its lower edge is higher in the picture. It is near j."""
    foot_N = scene.box_N4[:, 3] / scene.size[1]
    return sigmoid((foot_N - foot_N[:, None] + 0.01) / 0.03) * nearby(scene)


def beside(scene: Scene) -> Floats:
    """i is near j, and neither is above the other."""
    across_NN = np.abs(scene.centre_N2[:, None, 1] - scene.centre_N2[:, 1]) / scene.size[1]
    return nearby(scene) * np.exp(-across_NN / 0.8)


def ride(scene: Scene) -> Floats:
    higher_NN = sigmoid((scene.centre_N2[:, 1] - scene.centre_N2[:, None, 1]) / scene.size[1] / 0.03)
    return touching(scene) * (0.5 + 0.5 * higher_NN)


def hold(scene: Scene) -> Floats:
    """i touches j; higher if their centres are close."""
    size_N = np.hypot(scene.side_N2[:, 0], scene.side_N2[:, 1]) / np.hypot(*scene.size)
    centred_NN = np.exp(-scene.distance_NN / np.maximum(size_N[:, None], size_N))
    return touching(scene) * (0.5 + 0.5 * centred_NN)


def centred(scene: Scene) -> Floats:
    """i is inside j, and in its middle."""
    offset_NN2 = np.abs(scene.centre_N2[:, None] - scene.centre_N2) / scene.side_N2[None]
    return inside(scene) * np.exp(-2 * offset_NN2.max(axis=2))


def closeness(scene: Scene) -> Floats:
    return -(scene.gap_NN + 0.5 * scene.distance_NN)


RELATIONS: Mapping[str, Degree] = {
    "left": towards(0, -1),
    "right": towards(0, 1),
    "above": towards(1, -1),
    "below": towards(1, 1),
    "on": on,
    "under": under,
    "in": inside,
    "near": nearby,
    "beside": beside,
    "behind": behind,
    "front": lambda scene: behind(scene).T,
    "ride": ride,
    "hold": hold,
    "touch": touching,
    "toward": nearby,
    "centre": centred,
    "same": lambda scene: scene.same_NN.astype(float),
    "between": nearby,
    "closest": nearby,
    "farthest": lambda scene: 1 - nearby(scene),
}
"""Kinds of relations. `closest`, `farthest` and `between` compare further regions; see `rule_potentials`."""

PLACE_OF_RELATION = {
    "left": "left",
    "right": "right",
    "above": "top",
    "below": "bottom",
    "behind": "high foot",
    "front": "low foot",
    "under": "bottom",
}
"""The place in the picture that a relation suggests if its object is not found."""

PHRASES: Mapping[str, str] = {
    "left of": "left", "left side of": "left", "left from": "left", "to the left": "left", "on left of": "left",
    "left-hand side of": "left", "left hand side of": "left", "left end of": "left", "left edge of": "left",
    "right of": "right", "right side of": "right", "right from": "right", "to the right": "right",
    "right-hand side of": "right", "right hand side of": "right", "right end of": "right", "right edge of": "right",
    "above": "above", "over": "above", "higher than": "above", "top of": "on", "on top of": "on", "atop": "on",
    "on": "on", "upon": "on", "onto": "on", "below": "below", "beneath": "under", "underneath": "under",
    "under": "under", "lower than": "below", "in": "in", "inside": "in", "inside of": "in", "into": "in",
    "within": "in", "inside the": "in", "next to": "beside", "beside": "beside", "besides": "beside",
    "adjacent to": "beside", "alongside": "beside", "side of": "beside", "near": "near", "near to": "near",
    "nearby": "near", "close to": "near", "around": "near", "behind": "behind", "in back of": "behind",
    "back of": "behind", "other side of": "behind", "opposite": "behind", "across from": "behind",
    "opposite side of": "behind", "far side of": "behind", "far end of": "behind", "near end of": "front",
    "middle of": "centre", "center of": "centre", "centre of": "centre", "part of": "in", "full of": "hold",
    "filled with": "hold", "covered with": "touch", "covered in": "touch", "amid": "near", "ahead of": "near",
    "in front of": "front", "front of": "front", "before": "front", "between": "between", "in between": "between",
    "closest to": "closest", "nearest": "closest", "nearest to": "closest", "closer to": "closest",
    "nearer to": "closest", "nearer": "closest", "farthest from": "farthest", "furthest from": "farthest",
    "farther from": "farthest", "further from": "farthest", "far from": "farthest", "away from": "farthest",
    "farthest away from": "farthest", "against": "touch", "through": "touch", "across": "near", "past": "near",
    "toward": "near", "towards": "near", "among": "near", "off": "near", "along": "near", "outside": "near",
}  # fmt: skip
"""Words of relations; of several that occur, the longest counts."""

VERBS: Mapping[str, str] = {
    "hold": "hold", "carry": "hold", "wear": "hold", "have": "hold", "use": "hold", "swing": "hold", "ride": "ride",
    "drive": "in", "push": "hold", "pull": "hold", "catch": "hold", "throw": "hold", "eat": "hold", "drink": "hold",
    "grab": "hold", "grip": "hold", "handle": "hold", "play": "hold", "hit": "hold", "touch": "hold", "own": "hold",
    "look": "toward", "watch": "toward", "face": "toward", "follow": "near", "chase": "near", "approach": "near",
    "contain": "hold", "support": "hold", "lead": "near", "talk": "near", "surround": "near", "mount": "ride",
}  # fmt: skip
LOOSE_PHRASES: Mapping[str, str] = {
    "with": "hold", "without": "hold", "no": "hold", "of": "hold", "'s": "hold", "’s": "hold", "by": "near",
    "at": "near",
    "from": "near", "to": "near", "for": "near", "not": "same", "other than": "same", "except": "same",
    "except for": "same",
}  # fmt: skip
"""Words that say something only if no verb does: "held by" is holding."""
HAVING = frozenset({"with", "has", "have", "having"})
STAYING = frozenset({
    "stand", "sit", "seat", "park", "wait", "rest", "walk", "run", "lie", "lay", "kneel", "crouch", "sleep", "stop",
    "be", "gather", "pose", "graze", "dock", "perch",
})  # fmt: skip
"""Verbs that leave a relation to the preposition after them: "standing by" is near."""


def kind_of(relation: str) -> str | None:
    """Return the kind of a relation by its words; None if they are unknown."""
    spoken = relation.lower().split()
    if found := longest(spoken, PHRASES):
        return found
    verbs = [VERBS[verb_base(word)] for word in spoken if verb_base(word) in VERBS]
    if verbs:
        return verbs[-1]
    if found := LOOSE_PHRASES.get(" ".join(spoken)):
        return found
    is_near = verb_base(spoken[0]) in STAYING and spoken[-1] in LOOSE_PHRASES if spoken else False
    return "near" if is_near else None


def longest(spoken: list[str], table: Mapping[str, str]) -> str | None:
    for length in range(len(spoken), 0, -1):
        for start in range(len(spoken) - length, -1, -1):
            if found := table.get(" ".join(spoken[start : start + length])):
                return found
    return None


def is_owning(relation: str) -> bool:
    """Return whether a relation to a part or a piece of clothing says that the subject has it: "with", "wearing"."""
    return kind_of(relation) in (None, "hold") or is_reversed(relation)


def is_reversed(relation: str) -> bool:
    """Return whether the words after "with" are about the object: "cow with a calf drinking underneath it"."""
    spoken = relation.lower().split()
    return len(spoken) > 1 and spoken[0] == "with"


def between(scene: Scene) -> Floats:
    """Return (N, N, N): how well i is between j and k: the way from j to k through i is hardly longer."""
    point_N2 = scene.centre_N2 / np.array(scene.size) * np.array([1.0, 0.6])
    offset_NN2 = point_N2[:, None] - point_N2
    length_NN = np.hypot(offset_NN2[..., 0], offset_NN2[..., 1])
    detour_NNN = (length_NN[:, :, None] + length_NN[:, None, :] - length_NN) / np.maximum(length_NN, 0.05)
    return np.exp(-2.5 * detour_NNN)
