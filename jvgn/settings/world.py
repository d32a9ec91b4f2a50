"""Settings of the embedded world `shapes`."""

from pydantic import NonNegativeInt, PositiveInt

from jvgn.settings.base import Frozen


class WorldSettings(Frozen):
    """Size and seed of the embedded world."""

    seed: NonNegativeInt = 0
    train: PositiveInt = 800
    """Images of the split. A larger number keeps the first images."""
    val: PositiveInt = 120
    test: PositiveInt = 220
    adv: PositiveInt = 150
    """Images with pairs of sentences: the same words in another structure, about another referent."""
    expressions_per_image: PositiveInt = 8
    pairs_per_image: PositiveInt = 2
    """Pairs of sentences per image of `adv`."""
