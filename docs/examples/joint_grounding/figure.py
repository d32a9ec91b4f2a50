"""Draw the figure of docs/joint_grounding.md: `python docs/examples/joint_grounding/figure.py TABLE.csv FIGURE.svg`."""

import sys

import matplotlib.pyplot as plt
import pandas as pd

LABELS = {
    "default": "as printed",
    "unmarginalised": "not marginalised",
    "distinct": "distinct ends",
    "phrase": "own words",
    "dropout": "feature dropout",
    "contrast": "contrast",
    "plain": "the first three",
    "best": "all four",
    "best-unmarginalised": "… not marginalised",
    "best-phrases": "+ phrases labelled",
    "best-all": "+ all mentions labelled",
}
WITH_LABELS = ("best-phrases", "best-all")
CHANCE = 20


def draw(table: str, figure: str) -> None:
    rows = pd.read_csv(table).query("decoding == 'marginal' and split == 'test'").set_index("run").loc[list(LABELS)]
    context, spread = rows["context_accuracy"], rows["context_accuracy_sd"]
    plt.rcParams["svg.hashsalt"], plt.rcParams["svg.fonttype"] = "jvgn", "none"
    picture, axes = plt.subplots(figsize=(4.2, 3.6), layout="constrained")
    colours = ["#b35900" if run in WITH_LABELS else "#2a6592" for run in LABELS]
    axes.barh(list(LABELS.values()), context, xerr=spread, color=colours, error_kw={"ecolor": "#222222", "capsize": 2})
    for place, (value, above) in enumerate(zip(context, spread.fillna(0), strict=True)):
        axes.text(value + above + 1, place, f"{value:.1f}", va="center", fontsize=9)
    axes.axvline(CHANCE, color="#666666", linestyle="--", linewidth=1)
    axes.text(CHANCE + 0.7, -0.95, "chance", fontsize=9, color="#444444", va="center")
    axes.set(xlim=(0, 72), ylim=(len(LABELS) - 0.4, -1.4), xlabel="context objects found, %")
    axes.spines[["top", "right"]].set_visible(False)
    picture.savefig(figure, metadata={"Date": None} if figure.endswith("svg") else None, dpi=200)


if __name__ == "__main__":
    draw(*sys.argv[1:])
