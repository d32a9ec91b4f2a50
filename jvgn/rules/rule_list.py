"""Every rule with an example, which is also its test: a sentence, some regions, and the one that the sentence means."""

from dataclasses import dataclass

import numpy as np

from jvgn.rules.scene import Scene
from jvgn.settings.run import RuleGroup

SIZE = (200, 100)
"""Width and height of the examples' pictures."""
RGB = {"red": (220, 20, 20), "blue": (30, 60, 220), "white": (250, 250, 250), "green": (20, 160, 40)}

Placed = tuple[str, int, int, int, int]
"""A region: its name, perhaps after its colour, and its box."""


@dataclass(frozen=True)
class Rule:
    name: str
    group: RuleGroup
    says: str
    example: str
    regions: tuple[Placed, ...]
    meant: int
    """The region of the referent."""
    scores: tuple[float, ...] = ()
    also: tuple[str, ...] = ()
    """Other sentences that the rule reads, about the same region."""

    def scene(self) -> Scene:
        """Return the example's regions, painted in their colours."""
        pixels_HW3 = np.full((SIZE[1], SIZE[0], 3), 128, dtype=np.uint8)
        names = []
        for text, x1, y1, x2, y2 in self.regions:
            colour, _, name = text.partition(" ") if text.split()[0] in RGB else ("", "", text)
            names.append(name)
            if colour:
                pixels_HW3[y1:y2, x1:x2] = RGB[colour]
        box_N4 = np.array([region[1:] for region in self.regions], dtype=np.float32)
        return Scene(box_N4, tuple(names), np.array(self.scores or [1.0] * len(names)), SIZE, pixels_HW3)


def row(*names: str, bottom: int = 80) -> tuple[Placed, ...]:
    """Return regions of the same size from left to right."""
    return tuple((name, 10 + 50 * place, bottom - 30, 40 + 50 * place, bottom) for place, name in enumerate(names))


SIZES = (("dog", 10, 60, 30, 80), ("dog", 40, 10, 120, 90), ("dog", 140, 50, 180, 80))
HELD = (("person", 10, 10, 50, 90), ("person", 120, 10, 160, 90))

RULES = (
    Rule(
        "noun",
        "names",
        "the category is the noun, or a word for it",
        "the puppy",
        row("cup", "dog"),
        1,
        also=("the dogs", "the animal", "the police dog", "the lap dog", "another dog"),
    ),
    Rule("score", "names", "a detection with a higher score is likelier", "the dog", row("dog", "dog"), 1, (0.3, 0.9)),
    Rule("prominence", "names", "a larger region is likelier", "the dog", SIZES, 1),
    Rule("colour", "attributes", "the region's pixels have the colour", "the red car", row("blue car", "red car"), 1),
    Rule(
        "colour of a part",
        "attributes",
        "the owner's pixels have the colour of a part without a box",
        "the cup with the red straw",
        row("blue cup", "red cup"),
        1,
    ),
    Rule("size", "attributes", "the region is larger or smaller than others of its name", "the small dog", SIZES, 0),
    Rule(
        "pose",
        "attributes",
        "the box is flat or upright",
        "man lying on the ground",
        (("person", 10, 20, 30, 90), ("person", 60, 65, 130, 90)),
        1,
    ),
    Rule(
        "young",
        "attributes",
        "a calf is smaller than a cow",
        "the calf",
        (("cow", 10, 30, 90, 90), ("cow", 120, 50, 170, 90)),
        1,
    ),
    Rule(
        "role",
        "attributes",
        "a role implies an object that the person touches: a jockey touches a horse",
        "the jockey",
        (("person", 10, 20, 30, 90), ("person", 110, 10, 130, 60), ("horse", 90, 40, 160, 95)),
        1,
    ),
    Rule(
        "place",
        "places",
        "the region is on a side of the picture, in front or in the back",
        "cup on the right",
        (("cup", 10, 10, 30, 30), ("cup", 130, 50, 180, 95)),
        1,
        also=(
            "cup at the bottom",
            "cup in the bottom right corner",
            "cup in the foreground",
            "the near cup",
        ),
    ),
    Rule(
        "middle",
        "places",
        "the region is in the middle of those of its name",
        "the middle cup",
        row("cup", "cup", "cup"),
        1,
        also=("the cup in the center",),
    ),
    Rule("ordinal", "order", "counted from a side", "second cup from the right", row("cup", "cup", "cup"), 1),
    Rule(
        "superlative",
        "order",
        "the first by size, height or nearness",
        "the smallest dog",
        SIZES,
        0,
        also=("the lowest dog on the left", "the smallest of the dogs", "the farthest dog"),
    ),
    Rule("left", "relations", "in a cone to the left", "the cup left of the bowl", row("cup", "bowl", "cup"), 0),
    Rule(
        "right", "relations", "in a cone to the right", "the cup to the right of the bowl", row("cup", "bowl", "cup"), 2
    ),
    Rule(
        "above",
        "relations",
        "in a cone above",
        "the clock above the bench",
        (("clock", 20, 75, 35, 90), ("clock", 120, 10, 135, 25), ("bench", 100, 60, 160, 90)),
        1,
    ),
    Rule(
        "below",
        "relations",
        "in a cone below",
        "the clock below the bench",
        (("clock", 20, 10, 35, 25), ("clock", 120, 80, 135, 95), ("bench", 100, 30, 160, 60)),
        1,
    ),
    Rule(
        "on",
        "relations",
        "the lower edge is inside the other box",
        "the cup on the table",
        (("cup", 10, 10, 25, 25), ("cup", 120, 30, 135, 50), ("dining table", 90, 40, 190, 95)),
        1,
        also=("the cup on top of the table", "the cup standing on the table"),
    ),
    Rule(
        "under",
        "relations",
        "below, and in the same columns",
        "the dog under the table",
        (("dog", 10, 60, 50, 90), ("dog", 120, 65, 150, 90), ("dining table", 90, 30, 190, 80)),
        1,
    ),
    Rule(
        "in",
        "relations",
        "inside the other box",
        "the cat in the suitcase",
        (("cat", 10, 50, 50, 80), ("cat", 110, 50, 140, 80), ("suitcase", 90, 40, 170, 90)),
        1,
        also=("the cat inside the suitcase",),
    ),
    Rule(
        "centre",
        "relations",
        "inside the other box, in its middle",
        "the cup in the middle of the table",
        (
            ("cup", 20, 50, 40, 70),
            ("cup", 90, 50, 110, 70),
            ("cup", 160, 50, 180, 70),
            ("dining table", 10, 40, 190, 95),
        ),
        1,
    ),
    Rule(
        "beside",
        "relations",
        "near, and at the same height",
        "the dog next to the cat",
        row("dog", "cup", "dog", "cat"),
        2,
    ),
    Rule(
        "near",
        "relations",
        "a small gap",
        "the dog near the cat",
        row("dog", "cup", "dog", "cat"),
        2,
        also=("the dog by the cat", "the dog sitting by the cat"),
    ),
    Rule(
        "toward",
        "relations",
        "looking at, facing, watching: a small gap",
        "the dog looking at the cat",
        row("dog", "cup", "dog", "cat"),
        2,
    ),
    Rule(
        "between",
        "relations",
        "on the way from one to the other",
        "the cup between the bowl and the cat",
        (("cup", 5, 50, 20, 80), ("bowl", 40, 50, 70, 80), ("cup", 85, 50, 100, 80), ("cat", 120, 50, 150, 80)),
        2,
    ),
    Rule(
        "behind",
        "relations",
        "near, and with a higher lower edge",
        "the man behind the car",
        (("person", 70, 40, 90, 98), ("person", 120, 20, 140, 70), ("car", 80, 40, 160, 90)),
        1,
    ),
    Rule(
        "front",
        "relations",
        "near, with its lower edge nearer the bottom of the picture",
        "the man in front of the car",
        (("person", 70, 40, 90, 98), ("person", 120, 20, 140, 70), ("car", 80, 40, 160, 90)),
        0,
    ),
    Rule(
        "hold",
        "relations",
        "holding, wearing, carrying, having, with: the boxes touch",
        "the man holding the umbrella",
        (*HELD, ("umbrella", 130, 5, 190, 30)),
        1,
        also=("the man carrying the umbrella", "the man with the umbrella", "the man wearing the umbrella"),
    ),
    Rule(
        "ride", "relations", "touching, and higher", "the man riding the horse", (*HELD, ("horse", 110, 50, 190, 98)), 1
    ),
    Rule(
        "touch",
        "relations",
        "the boxes touch",
        "the bicycle against the bench",
        (("bicycle", 10, 50, 50, 90), ("bicycle", 100, 50, 140, 90), ("bench", 135, 50, 190, 90)),
        1,
    ),
    Rule(
        "unknown relation",
        "relations",
        "words that are not in the table prefer touching boxes",
        "the man brushing the dog",
        (*HELD, ("dog", 150, 60, 190, 90)),
        1,
    ),
    Rule(
        "closest",
        "relations",
        "the smallest distance of all with the noun",
        "the cup closest to the cat",
        row("cup", "cup", "cup", "cat"),
        2,
    ),
    Rule(
        "farthest",
        "relations",
        "the largest distance of all with the noun",
        "the cup farthest from the cat",
        row("cup", "cup", "cup", "cat"),
        0,
    ),
    Rule(
        "part",
        "relations",
        "parts and clothes are in the box of their owner",
        "the man in the red shirt",
        (("blue person", 10, 10, 50, 90), ("red person", 120, 10, 160, 90)),
        1,
        also=("the man wearing a red shirt", "the man in red", "the man whose shirt is red"),
    ),
    Rule(
        "difference",
        "differences",
        "two mentions are different objects",
        "the cup next to the cup on the right",
        row("cup", "cup"),
        0,
    ),
    Rule(
        "negation",
        "relations",
        "not, without and no turn a degree around",
        "the man not holding the umbrella",
        (*HELD, ("umbrella", 130, 5, 190, 30)),
        0,
        also=("the man without the umbrella",),
    ),
)
