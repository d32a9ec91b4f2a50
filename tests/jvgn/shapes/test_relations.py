import numpy as np
import pytest

from jvgn.shapes.relations import LOOSE, RELATIONS, STRICT, related
from jvgn.shapes.scenes import Scene, Thing, sample_scene

OPPOSITES = {"left": "right", "right": "left", "above": "below", "below": "above", "near": "near"}


def pair(right: float, down: float) -> Scene:
    """One object, and another that lies so far to the right and down."""
    places = ((60.0, 60.0), (60.0 + right, 60.0 + down))
    return Scene(192, 144, tuple(Thing("circle", "red", "small", x, y, radius=9.0, tilt=0.0) for x, y in places))


@pytest.mark.parametrize(
    ("right", "down", "strict", "loose"),
    [
        (60, 0, {"left"}, {"left"}),
        (-40, 5, {"right"}, {"right", "near"}),
        (0, 60, {"above"}, {"above"}),
        (3, -30, {"below", "near"}, {"below", "near"}),
        (50, 50, set(), {"left", "above"}),
        (0, 1, {"near"}, {"left", "right", "above", "below", "near"}),
    ],
)
def test_what_the_first_object_is_to_the_second(right, down, strict, loose):
    for reading, expected in ((STRICT, strict), (LOOSE, loose)):
        table = related(pair(right, down), reading)
        assert {relation for relation in RELATIONS if table[relation][0] & 0b10} == expected


@pytest.mark.parametrize("seed", range(10))
def test_what_is_strictly_true_is_loosely_true_and_opposites_mirror_each_other(seed):
    scene = sample_scene(5, np.random.default_rng(seed))
    strict, loose = related(scene, STRICT), related(scene, LOOSE)
    for relation, opposite in OPPOSITES.items():
        for i in range(len(scene.things)):
            assert strict[relation][i] & ~loose[relation][i] == 0
            assert strict[relation][i] >> i & 1 == loose[relation][i] >> i & 1 == (relation == "near")
            for j in range(len(scene.things)):
                assert loose[relation][i] >> j & 1 == loose[opposite][j] >> i & 1
