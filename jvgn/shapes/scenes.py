"""Scenes and their pictures: objects that share looks, some overlapping, none hidden, on a muted, textured background.

Shape suffixes: H height, W width, 3 red, green and blue.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from jvgn.shapes.outlines import OUTLINES, Points, area, outline

Option = TypeVar("Option")

CANVASES = ((192, 144), (144, 192))  # two formats, so that swapping x and y is noticed
COLOURS = {
    "red": (222, 36, 36),
    "green": (36, 190, 72),
    "blue": (44, 84, 236),
    "yellow": (248, 220, 44),
    "purple": (168, 44, 200),
    "white": (244, 244, 244),
}
RADII = {"small": (8.0, 10.0), "big": (15.0, 18.0)}
SHAPES = tuple(OUTLINES)

MOST = 10
TILT = 0.17
MARGIN = 2.0
HIGHEST_IOU = 0.2
LEAST_VISIBLE = 0.8
NEIGHBOURLY = 0.45
"""Share of the objects placed beside another one: "next to" needs neighbours."""
PLACINGS = 60

FINENESS = 3  # objects are drawn this much larger, then reduced: smooth edges
GROUNDS = ((104, 104, 106), (122, 106, 88), (92, 108, 90), (82, 90, 98), (112, 112, 96))
BRIGHTNESS = (0.9, 1.05)


@dataclass(frozen=True)
class Thing:
    """One object; `x` and `y` are the centre of its box."""

    shape: str
    colour: str
    size: str
    x: float
    y: float
    radius: float
    tilt: float

    @cached_property
    def points(self) -> Points:
        """Return the outline in pixels."""
        return np.round(self.radius * outline(self.shape, self.tilt) + (self.x, self.y), 2)

    @cached_property
    def xyxy(self) -> tuple[float, float, float, float]:
        (x1, y1), (x2, y2) = self.points.min(axis=0).tolist(), self.points.max(axis=0).tolist()
        return x1, y1, x2, y2

    @property
    def area(self) -> float:
        return area(self.points)


@dataclass(frozen=True)
class Scene:
    width: int
    height: int
    things: tuple[Thing, ...]
    """From the back to the front."""


def pick(options: Sequence[Option], generator: Generator) -> Option:
    return options[int(generator.random() * len(options))]  # far faster than `integers`


def sample_scene(fewest: int, generator: Generator) -> Scene:
    """Sample a scene of few shapes and colours, so that a short description fits several objects."""
    width, height = pick(CANVASES, generator)
    shapes = generator.permutation(SHAPES)[: generator.integers(2, 5)].tolist()
    colours = generator.permutation(list(COLOURS))[: generator.integers(2, 5)].tolist()
    wanted = generator.integers(fewest, MOST + 1)
    things: list[Thing] = []
    while len(things) < wanted:
        shape, colour, size = pick(shapes, generator), pick(colours, generator), pick(tuple(RADII), generator)
        thing = place(shape, colour, size, width, height, things, generator)
        if thing is None:  # too crowded: start over with an empty canvas
            things.clear()
        else:
            things.append(thing)
    return Scene(width, height, tuple(things))


def place(
    shape: str, colour: str, size: str, width: int, height: int, things: list[Thing], generator: Generator
) -> Thing | None:
    """Place an object that hides none of `things`; return None if no place was found."""
    for _ in range(PLACINGS):
        radius = generator.uniform(*RADII[size])
        x, y = generator.uniform(0, width), generator.uniform(0, height)
        if things and generator.random() < NEIGHBOURLY:
            neighbour = pick(things, generator)
            distance = (radius + neighbour.radius) * generator.uniform(0.8, 1.2)
            angle = generator.uniform(0, 2 * math.pi)
            x, y = neighbour.x + distance * math.cos(angle), neighbour.y + distance * math.sin(angle)
        room = radius + MARGIN
        if not (room <= x <= width - room and room <= y <= height - room):
            continue
        tilt = generator.uniform(-TILT, TILT)
        thing = Thing(shape, colour, size, round(x, 2), round(y, 2), round(radius, 2), tilt)
        if fits_in(thing, things):
            return thing
    return None


def fits_in(thing: Thing, things: list[Thing]) -> bool:
    """Return whether each of `things` stays visible with `thing` in front of it."""
    for position, other in enumerate(things):
        overlap = iou(thing, other)
        if overlap > HIGHEST_IOU:
            return False
        if overlap > 0 and thing.colour == other.colour:  # they would look like one object
            return False
        if overlap > 0 and visible_share(other, [*things[position + 1 :], thing]) < LEAST_VISIBLE:
            return False
    return True


def iou(one: Thing, other: Thing) -> float:
    if max(abs(one.x - other.x), abs(one.y - other.y)) > one.radius + other.radius:
        return 0.0  # the usual case, without computing outlines
    (a1, b1, a2, b2), (c1, d1, c2, d2) = one.xyxy, other.xyxy
    shared = max(0.0, min(a2, c2) - max(a1, c1)) * max(0.0, min(b2, d2) - max(b1, d1))
    return shared / ((a2 - a1) * (b2 - b1) + (c2 - c1) * (d2 - d1) - shared)


def visible_share(thing: Thing, front: Sequence[Thing]) -> float:
    """Return the visible share of an object behind the others."""
    x1, y1, x2, y2 = thing.xyxy
    canvas = Image.new("L", (math.ceil(x2 - x1) + 1, math.ceil(y2 - y1) + 1))
    pen = ImageDraw.Draw(canvas)
    pen.polygon((thing.points - (x1, y1)).ravel().tolist(), fill=1)
    whole = canvas.histogram()[1]
    for other in front:
        pen.polygon((other.points - (x1, y1)).ravel().tolist(), fill=0)
    return canvas.histogram()[1] / whole


def draw(scene: Scene, generator: Generator) -> Image.Image:
    ground = Image.fromarray(background(scene.width, scene.height, generator))
    picture = ground.resize((scene.width * FINENESS, scene.height * FINENESS), Image.Resampling.NEAREST)
    pen = ImageDraw.Draw(picture)
    for thing in scene.things:
        brightness = generator.uniform(*BRIGHTNESS)
        red, green, blue = (min(255, round(part * brightness)) for part in COLOURS[thing.colour])
        pen.polygon((thing.points * FINENESS - 0.5).ravel().tolist(), fill=(red, green, blue))
    return picture.reduce(FINENESS)


def background(width: int, height: int, generator: Generator) -> NDArray[np.uint8]:
    """Return a muted colour with a gradient, stripes and noise."""
    x_W, y_H1 = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    slope_x, slope_y = generator.normal(scale=12, size=2).tolist()
    angle, waves = generator.uniform(0, math.pi), 2 * math.pi / generator.uniform(8, 30)
    stripes, grain = generator.uniform(0, 9), generator.uniform(2, 8)
    light_HW = slope_x * (x_W / width - 0.5) + slope_y * (y_H1 / height - 0.5)
    light_HW = light_HW + stripes * np.sin(waves * (math.cos(angle) * x_W + math.sin(angle) * y_H1))
    light_HW += grain * generator.standard_normal((height, width), dtype=np.float32)
    ground_3 = np.array(pick(GROUNDS, generator), dtype=np.float32)
    ground_HW3: NDArray[np.uint8] = (ground_3 + light_HW[:, :, None]).clip(0, 255).astype(np.uint8)
    return ground_HW3
