"""Draw the figures of docs/joint_grounding.md from the table of the study.

python docs/examples/joint_grounding/figure.py results/flickr8k_gt/compare.csv docs/images
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

LABELS = {
    "default": "as printed",
    "unmarginalised": "not marginalised",
    "distinct": "distinct ends",
    "phrase": "own words",
    "dropout": "feature dropout",
    "contrast": "contrast",
    "plain": "the first three",
    "best": "all four",
    "best-phrases": "all four, phrases",
    "plain-all": "first three, all",
    "best-all": "all four, all",
}
MORE_LABELS = ("phrases", "all")
PAIRS = {
    "best": "referent labelled",
    "best-phrases": "phrases",
    "best-all": "all",
    "plain-all": "all, no contrast",
}
CHANCE = 20
WHITE = {"facecolor": "white", "edgecolor": "none", "pad": 0}
BLUE, ORANGE, GREY = "#2a6592", "#b35900", "#8a8a8a"


def runs(axes: Axes, context: pd.Series) -> None:
    """Draw what each run finds."""
    values = context.loc["marginal"].loc[list(LABELS)]
    colours = [ORANGE if run.endswith(MORE_LABELS) else BLUE for run in LABELS]
    axes.barh(list(LABELS.values()), values, color=colours)
    for place, value in enumerate(values):
        axes.text(value + 0.8, place, f"{value:.1f}", va="center", fontsize=9, zorder=3, bbox=WHITE)
    axes.axvline(CHANCE, color="#444444", linestyle="--", linewidth=1)
    axes.text(CHANCE + 0.8, -0.9, "chance", fontsize=9, va="center")
    axes.set(xlim=(0, 72), ylim=(len(LABELS) - 0.4, -1.4))


def marginalisation(axes: Axes, context: pd.Series) -> None:
    """Draw what marginalisation does, before and after messages, for each kind of supervision."""
    for place, run in enumerate(PAIRS):
        before, after = context["unary"][run], context["marginal"][run]
        none, messages = (context[way][f"{run}-unmarginalised"] for way in ("unary", "marginal"))
        axes.plot([none, messages], [place - 0.15] * 2, color=GREY, zorder=1)
        axes.plot([before, after], [place + 0.15] * 2, color=BLUE, zorder=1)
        for value, offset, colour, is_filled in (
            (none, -0.15, GREY, False),
            (messages, -0.15, GREY, True),
            (before, 0.15, BLUE, False),
            (after, 0.15, BLUE, True),
        ):
            axes.scatter(value, place + offset, color=colour, facecolor=colour if is_filled else "white", zorder=2)
    axes.set_yticks(range(len(PAIRS)), list(PAIRS.values()))
    for colour, is_filled, label in (
        (GREY, True, "trained without"),
        (BLUE, True, "trained with"),
        ("black", False, "before messages"),
        ("black", True, "after messages"),
    ):
        axes.scatter([], [], color=colour, facecolor=colour if is_filled else "white", label=label)
    axes.legend(fontsize=9, loc="lower left", bbox_to_anchor=(0, 0.02), frameon=False)
    axes.set(xlim=(15, 68), ylim=(len(PAIRS) + 0.2, -0.6))


def draw(table: str, folder: str) -> None:
    rows = pd.read_csv(table).query("split == 'test'")
    context = rows.set_index(["decoding", "run"])["context_accuracy"]
    plt.rcParams["font.size"] = 10
    for name, figure in (("context", runs), ("marginalisation", marginalisation)):
        picture, axes = plt.subplots(figsize=(4.2, 3.6), layout="constrained")
        figure(axes, context)
        axes.set_xlabel("context objects found, %")
        axes.spines[["top", "right"]].set_visible(False)
        picture.savefig(Path(folder) / f"{name}.png", dpi=200)


if __name__ == "__main__":
    draw(*sys.argv[1:])
