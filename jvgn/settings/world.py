"""Settings of the embedded world `shapes`."""

from pydantic import NonNegativeInt, PositiveInt

from jvgn.settings.base import Frozen


class WorldSettings(Frozen):
    seed: NonNegativeInt = 0
    train: PositiveInt = 800
    """Images of the split; its first images stay the same when the number grows."""
    val: PositiveInt = 120
    test: PositiveInt = 220
    adv: PositiveInt = 150
    """Images whose sentences come in pairs: the same words in another structure, another referent."""
    expressions_per_image: PositiveInt = 8
    pairs_per_image: PositiveInt = 2
    """Pairs of sentences about each image of `adv`."""
