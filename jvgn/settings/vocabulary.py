"""Which words the model knows, and what their vectors start from."""

from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from jvgn.settings.base import Frozen


class VocabularySettings(Frozen):
    more_often_than: NonNegativeInt = 0
    """A word is kept if it occurs more often than this."""
    splits: Literal["train", "all"] = "train"
    """Where words are counted; `all` is what earlier work did, a mild leak."""
    vector_size: PositiveInt = 300
    glove: str | None = None
    """A GloVe text file (plain, .gz or .zip); null starts from random vectors. Words it lacks start at random."""
    seed: NonNegativeInt = 0
