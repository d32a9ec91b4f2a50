"""A scene as a picture: smooth bright objects on a muted, textured background.

Shape suffixes: H height, W width, 3 red, green and blue.
"""

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from jvgn.shapes.scenes import COLOURS, Scene, pick

FINENESS = 3  # objects are drawn this much larger, then reduced: smooth edges
GROUNDS = ((104, 104, 106), (122, 106, 88), (92, 108, 90), (82, 90, 98), (112, 112, 96))
BRIGHTNESS = (0.9, 1.05)


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
    """A muted ground colour under a slope of light, stripes and grain."""
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
