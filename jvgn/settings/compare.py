"""Which runs `compare.csv` sets side by side."""

from pydantic import Field, NonNegativeInt

from jvgn.settings.base import Frozen


class CompareSettings(Frozen):
    runs: tuple[str, ...] = Field(default=("default", "unmarginalised"), min_length=1)
    """With each of them, `compare.csv` shows every way to decode: together, these two are the paper's ablation."""
    seeds: tuple[NonNegativeInt, ...] = Field(default=(0, 1, 2), min_length=1)
    """Each run is trained with each seed: run `wide` with seed 1 is the run `wide-seed1`, unless 1 is its own seed."""
