"""Colours from pixels: the share of a region's pixels that a colour word may name.

Shape suffixes: N regions, H, W pixels.
"""

from collections.abc import Mapping

import numpy as np

from jvgn.rules.scene import Floats, Scene

Range = tuple[float, float, float, float, float, float]
"""Lowest and highest hue in degrees, saturation and value."""

COLOURS: Mapping[str, tuple[Range, ...]] = {
    "black": ((0, 360, 0, 1, 0, 0.22), (0, 360, 0, 0.35, 0, 0.32)),
    "white": ((0, 360, 0, 0.18, 0.68, 1),),
    "gray": ((0, 360, 0, 0.2, 0.25, 0.75),),
    "silver": ((0, 360, 0, 0.2, 0.4, 0.95),),
    "red": ((0, 14, 0.5, 1, 0.25, 1), (342, 360, 0.45, 1, 0.25, 1)),
    "orange": ((12, 42, 0.55, 1, 0.5, 1),),
    "brown": ((5, 45, 0.25, 1, 0.15, 0.6),),
    "tan": ((15, 50, 0.15, 0.55, 0.5, 0.95),),
    "yellow": ((42, 72, 0.35, 1, 0.45, 1),),
    "blonde": ((25, 58, 0.2, 0.75, 0.4, 1),),
    "green": ((72, 170, 0.18, 1, 0.15, 1), (60, 72, 0.3, 1, 0.15, 0.6)),
    "blue": ((170, 258, 0.18, 1, 0.2, 1),),
    "turquoise": ((160, 200, 0.25, 1, 0.3, 1),),
    "purple": ((250, 325, 0.15, 1, 0.15, 1),),
    "pink": ((300, 350, 0.15, 0.8, 0.5, 1), (350, 360, 0.15, 0.5, 0.6, 1), (0, 12, 0.15, 0.5, 0.7, 1)),
    "dark": ((0, 360, 0, 1, 0, 0.35),),
    "light": ((0, 360, 0, 0.6, 0.65, 1),),
    "bright": ((0, 360, 0.5, 1, 0.5, 1),),
    "colorful": ((0, 360, 0.5, 1, 0.4, 1),),
}

OTHER_WORDS: Mapping[str, str] = {
    "grey": "gray", "metal": "silver", "metallic": "silver", "golden": "yellow", "gold": "yellow", "beige": "tan",
    "cream": "tan", "peach": "tan", "khaki": "tan", "blond": "blonde", "navy": "blue", "teal": "turquoise",
    "aqua": "turquoise", "cyan": "turquoise", "maroon": "red", "burgundy": "red", "crimson": "red", "scarlet": "red",
    "violet": "purple", "lavender": "purple", "indigo": "purple", "magenta": "pink", "lime": "green", "olive": "green",
    "wooden": "brown", "wood": "brown", "pale": "light", "colourful": "colorful", "colored": "colorful",
    "multicolored": "colorful", "multi-colored": "colorful", "brownish": "brown", "reddish": "red", "bluish": "blue",
    "greenish": "green", "yellowish": "yellow", "greyish": "gray", "whitish": "white", "pinkish": "pink",
    "brunette": "brown", "snowy": "white",
}  # fmt: skip
"""Words with the pixels of another word. "Wooden" and "metal" are colours as far as pixels can tell."""

CLEAR = 0.2
"""If no region has this share of a colour, none of them is clearly of this colour."""
MOST_PIXELS = 80_000
"""About so many pixels of a picture are looked at."""

Band = tuple[float, float, float, float]
"""A part of a box: x1, y1, x2, y2 as shares of its sides."""
WHOLE: Band = (0.1, 0.1, 0.9, 0.9)
BANDS: Mapping[str, Band] = {
    "hair hat cap helmet head face beanie visor beard mustache ponytail pigtail turban headband bandana veil hood":
        (0.2, 0.0, 0.8, 0.22),
    "shirt t-shirt tshirt tee top jacket coat sweater sweatshirt hoodie vest jersey blouse uniform blazer cardigan suit"
    " polo parka pullover tie scarf shirts undershirt": (0.2, 0.18, 0.8, 0.6),
    "pants jeans shorts skirt trousers leggings slacks khakis tights": (0.2, 0.5, 0.8, 0.9),
    "shoe boot sneaker sandal sock shoes boots sneakers": (0.1, 0.85, 0.9, 1.0),
}  # fmt: skip
"""Where each piece of clothing is in the box of a person."""


def band_of(head: str) -> Band:
    return next((band for heads, band in BANDS.items() if head in heads.split()), WHOLE)


def colour_words(text: str) -> list[str]:
    """Return the colours that an attribute names: "light blue" has two."""
    words = [OTHER_WORDS.get(word, word) for word in text.replace("-", " ").split()]
    return [word for word in words if word in COLOURS]


def colour_shares(scene: Scene, colour: str, band: Band = WHOLE) -> Floats:
    """Return (N,): the share of each region's pixels, inside a band of its box, that the colour may name."""
    if colour not in scene.colour_sums:
        scene.colour_sums[colour] = summed(scene, colour)
    sums_HW, step = scene.colour_sums[colour]
    height, width = sums_HW.shape[0] - 1, sums_HW.shape[1] - 1
    side_N2 = np.tile(scene.side_N2, 2)
    corner_N4 = (np.tile(scene.box_N4[:, :2], 2) + np.array(band) * side_N2) / step
    x1_N, y1_N = (np.clip(np.floor(corner_N4[:, axis]).astype(int), 0, (width, height)[axis] - 1) for axis in (0, 1))
    x2_N = np.clip(np.ceil(corner_N4[:, 2]).astype(int), x1_N + 1, width)
    y2_N = np.clip(np.ceil(corner_N4[:, 3]).astype(int), y1_N + 1, height)
    named_N = sums_HW[y2_N, x2_N] - sums_HW[y1_N, x2_N] - sums_HW[y2_N, x1_N] + sums_HW[y1_N, x1_N]
    return named_N / ((x2_N - x1_N) * (y2_N - y1_N))


def summed(scene: Scene, colour: str) -> tuple[Floats, int]:
    """Return the number of pixels of a colour above and left of each pixel, and the step between these pixels."""
    assert scene.pixels_HW3 is not None
    step = max(1, round(float(np.sqrt(scene.pixels_HW3[..., 0].size / MOST_PIXELS))))
    hue_HW, saturation_HW, value_HW = hsv(scene.pixels_HW3[::step, ::step].astype(np.float32) / 255)
    named_HW = np.zeros(hue_HW.shape, dtype=bool)
    for low_hue, high_hue, dull, pure, dark, bright in COLOURS[colour]:
        is_hue_HW = (hue_HW >= low_hue) & (hue_HW <= high_hue)
        is_pure_HW = (saturation_HW >= dull) & (saturation_HW <= pure)
        named_HW |= is_hue_HW & is_pure_HW & (value_HW >= dark) & (value_HW <= bright)
    return np.pad(named_HW.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0))), step


def hsv(rgb_HW3: Floats) -> tuple[Floats, Floats, Floats]:
    """Return hue in degrees, saturation and value."""
    red_HW, green_HW, blue_HW = rgb_HW3[..., 0], rgb_HW3[..., 1], rgb_HW3[..., 2]
    high_HW = np.maximum(np.maximum(red_HW, green_HW), blue_HW)
    low_HW = np.minimum(np.minimum(red_HW, green_HW), blue_HW)
    range_HW = np.maximum(high_HW - low_HW, 1e-6)
    hue_HW = np.where(
        high_HW == red_HW,
        ((green_HW - blue_HW) / range_HW) % 6,
        np.where(high_HW == green_HW, (blue_HW - red_HW) / range_HW + 2, (red_HW - green_HW) / range_HW + 4),
    )
    return 60 * hue_HW, (high_HW - low_HW) / np.maximum(high_HW, 1e-6), high_HW
