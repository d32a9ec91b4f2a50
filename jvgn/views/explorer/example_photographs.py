"""Photographs for the first look, with regions and sentences: they need no network and no training.

docs/photographs.md uses the same files and states their licences.
"""

from collections.abc import Iterator
from pathlib import Path

from jvgn.views.explorer.image_list import Offered

FOLDER = Path(__file__).parent / "photographs"
REGIONS = FOLDER / "regions.json"
ABSENT = "the dog on the bench"
"""A sentence about things that are in none of the photographs."""

EXAMPLES = {
    "rocket.jpg": (
        "SpaceX, public domain",
        (
            "the tower closest to the rocket",
            "the tower between the rocket and the tower on the right",
            "the tower farthest from the rocket",
            "second tower from the right",
        ),
    ),
    "coffee.jpg": (
        "Rachel Michetti, CC0",
        (
            "the spoon on the saucer",
            "the saucer under the cup",
            "the thing right of the mug",
            "the man holding the mug",
        ),
    ),
    "astronaut.jpg": (
        "NASA, public domain",
        (
            "the helmet held by the woman in orange",
            "the badge above the helmet",
            "the flag behind the astronaut",
        ),
    ),
}
"""The credit and the sentences of each photograph. The page opens with the first sentence of the first one."""


def example_photographs() -> Iterator[Offered]:
    for file_name, (credit, sentences) in EXAMPLES.items():
        yield Offered(file_name, FOLDER / file_name, credit, (*sentences, ABSENT))
