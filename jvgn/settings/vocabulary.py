"""Settings of a vocabulary: its words, and the start of their vectors."""

from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from jvgn.settings.base import Frozen


class VocabularySettings(Frozen):
    more_often_than: NonNegativeInt = 0
    """Keep words that occur more often than this."""
    splits: Literal["train", "all"] = "train"
    """The splits to count words in. Earlier work used `all`, a mild leak."""
    vector_size: PositiveInt = 300
    glove: str | None = None
    """A GloVe text file (plain, .gz or .zip). Null, and words that it lacks: random vectors."""
    seed: NonNegativeInt = 0
