"""Pictures for the first look: scenes of the embedded world, drawn in memory, with their regions and sentences.

They need no file, no network and no training: the shapes are the names of their regions.
"""

from collections.abc import Iterator

import numpy as np

from jvgn.rules.scene import Scene
from jvgn.rules.scene_finder import SeenPicture
from jvgn.shapes.expressions import sample_outlines, tell
from jvgn.shapes.scenes import draw
from jvgn.shapes.world import Plan, sample_image
from jvgn.views.explorer.image_list import Offered

PICTURES, SENTENCES = 6, 6
ABSENT = "man on the bench"
"""A sentence about things that are in none of the pictures."""


def drawn_examples() -> Iterator[Offered]:
    """Yield pictures that are the same each time."""
    for number in range(1, PICTURES + 1):
        generator = np.random.default_rng(number)
        plan = Plan("example", PICTURES, 6, SENTENCES, sample_outlines, tell)
        drawn, expressions = sample_image(plan, generator)
        pixels_HW3 = np.asarray(draw(drawn, generator))
        scene = Scene(
            np.array([thing.xyxy for thing in drawn.things], dtype=np.float32),
            tuple(thing.shape for thing in drawn.things),
            np.ones(len(drawn.things)),
            (drawn.width, drawn.height),
            pixels_HW3,
        )
        texts = sorted((" ".join(one.sentence.tokens) for one in expressions), key=len, reverse=True)
        yield Offered(f"example-{number}", seen(scene, pixels_HW3), "drawn example", (*texts, ABSENT))


def seen(scene: Scene, pixels_HW3: np.ndarray) -> SeenPicture:
    return SeenPicture(pixels_HW3, lambda _: scene)
