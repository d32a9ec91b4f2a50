import math

import numpy as np
import pytest

from jvgn.shapes.scenes import COLOURS, SHAPES, Scene, Thing, draw


def picture(shape: str, colour: str, tilt: float) -> np.ndarray:
    thing = Thing(shape, colour, "big", x=60.5, y=80.5, radius=18.0, tilt=tilt)
    return np.asarray(draw(Scene(192, 144, (thing,)), np.random.default_rng(0))).astype(int)


def distance(pixel: np.ndarray, colour: str) -> float:
    return float(np.linalg.norm(pixel - COLOURS[colour]))


@pytest.mark.parametrize("colour", COLOURS)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "ring"])
def test_the_centre_of_a_shape_has_its_colour(shape, colour):
    pixel = picture(shape, colour, tilt=0.1)[80, 60]
    assert min(COLOURS, key=lambda name: distance(pixel, name)) == colour
    assert distance(pixel, colour) < 45


@pytest.mark.parametrize("tilt", [-0.17, 0.0, 0.05, 0.17])
def test_a_ring_is_hollow_and_closed(tilt):
    pixels = picture("ring", "yellow", tilt)
    assert distance(pixels[80, 60], "yellow") > 120
    for angle in np.linspace(0, 2 * math.pi, 200):
        x, y = int(60.5 + 14 * math.cos(angle)), int(80.5 + 14 * math.sin(angle))
        assert distance(pixels[y, x], "yellow") < 45, f"a gap at {angle:.2f} radians"


@pytest.mark.parametrize("shape", SHAPES)
def test_the_box_is_tight_around_what_is_drawn(shape):
    thing = Thing(shape, "white", "big", x=60.5, y=80.5, radius=18.0, tilt=0.1)
    empty, full = (
        np.asarray(draw(Scene(192, 144, things), np.random.default_rng(0))).astype(int) for things in ((), (thing,))
    )
    rows, columns = np.nonzero(np.abs(full - empty).sum(axis=2) > 60)
    drawn = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    np.testing.assert_allclose(drawn, thing.xyxy, atol=1.5)
