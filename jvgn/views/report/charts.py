"""Common parts of the report's figures, each of which is drawn from a table of numbers and nothing else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.evaluation.metrics import wilson_interval
from jvgn.storage.files import replacing
from jvgn.views.figure_style import COLOURS, save

AFTER, BEFORE = COLOURS[0], COLOURS[4]
"""Message passing: blue for after, orange for before, in every figure."""
MARKERS = ("o", "s", "^", "D", "v", "P")
"""Splits differ in marker and in colour."""
DIGITS = 4
"""Decimals of the shares in a table of numbers."""


@dataclass(frozen=True)
class Output:
    """The files and the title of a figure."""

    figure: Path
    numbers: Path
    title: str
    """The run, parser or detector that the figure is about."""

    def write(self, numbers: pd.DataFrame, shows: str, draw: Callable[[pd.DataFrame], Figure]) -> None:
        """Write the table `numbers` and the figure that shows it."""
        drawn = draw(numbers)
        drawn.suptitle(f"{self.title}: {shows}", fontsize=11, fontweight="bold", parse_math=False)
        save(drawn, self.figure)
        with replacing(self.numbers) as temporary:
            numbers.to_csv(temporary, index=False)


def panels(rows: int, columns: int, width: float = 3.6, height: float = 2.9) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure with rows of axes, without their upper and right sides."""
    figure = Figure(figsize=(max(5.0, width * columns), height * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for one in axes.ravel():
        one.spines[["top", "right"]].set_visible(False)
        one.tick_params(labelsize=9)
    return figure, axes.tolist()


def share(hits: pd.Series) -> dict[str, float]:
    """Return how many trials there are, the share of hits in percent, and its 95% interval."""
    low, high = wilson_interval(int(hits.sum()), len(hits))
    values = {"share": 100 * float(hits.mean()), "low": low, "high": high}
    return {"n": len(hits)} | {name: round(value, DIGITS) for name, value in values.items()}


def with_intervals(axes: Axes, x: Sequence[float], rows: pd.DataFrame, colour: str, marker: str, label: str) -> None:
    """Draw shares as markers with their intervals."""
    reach = [(rows["share"] - rows["low"]).clip(lower=0), (rows["high"] - rows["share"]).clip(lower=0)]
    axes.errorbar(x, rows["share"], yerr=reach, color=colour, marker=marker, ms=5, lw=1.4, capsize=2.5, label=label)


def percent_axis(axes: Axes, label: str) -> None:
    axes.set_ylim(0, 105)
    axes.set_yticks(range(0, 101, 20))
    axes.set_ylabel(label, fontsize=9)
    axes.grid(axis="y", color="#dddddd", lw=0.6)
    axes.set_axisbelow(True)
