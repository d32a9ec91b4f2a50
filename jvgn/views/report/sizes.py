"""Accuracy by the size of the sentence: `report/sizes.csv`.

Columns: split, counted (objects or relations), number (how many the sentence mentions), decoding (before message
passing, or after), n, share (of the referents found, in percent), low and high (Wilson's 95% interval).
"""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.evaluation.predictions import read_predictions
from jvgn.evaluation.score import Answers
from jvgn.views.report.charts import AFTER, BEFORE, Output, panels, percent_axis, share, with_intervals

COUNTED = {"nodes": "objects", "edges": "relations"}
STYLES = {"before": (BEFORE, "s", -0.08), "after": (AFTER, "o", 0.08)}
"""Colour, mark, and a step aside: intervals must not cover each other."""


def draw_sizes(dataset: Path, nodes: Path, edges: Path, predictions: Path, output: Output) -> None:
    answers = Answers(dataset, nodes, edges)
    numbers = size_numbers(answers, read_predictions(predictions, answers.evaluated).to_pandas())
    output.write(numbers, "accuracy by the size of the sentence", accuracy_by_size)


def size_numbers(answers: Answers, predictions: pd.DataFrame) -> pd.DataFrame:
    ways = {
        "before": answers.table(predictions.assign(correct=predictions["unary_correct"])),
        "after": answers.table(predictions),
    }
    return pd.DataFrame(
        {"split": split, "counted": word, "number": int(number), "decoding": way} | share(rows["correct"])
        for column, word in COUNTED.items()
        for way, table in ways.items()
        for (split, number), rows in table.groupby(["split", column])
    )


def accuracy_by_size(numbers: pd.DataFrame) -> Figure:
    splits = sorted(numbers["split"].unique())
    figure, grid = panels(2, len(splits))
    for (counted, rows), line in zip(numbers.groupby("counted", sort=False), grid, strict=True):
        for split, axes in zip(splits, line, strict=True):
            own = rows[rows["split"] == split]
            axes.set_title(f"{split}: {own.loc[own['decoding'] == 'after', 'n'].sum():,} sentences", fontsize=10)
            draw_panel(axes, own, counted)
    handles, labels = grid[0][0].get_legend_handles_labels()
    names = [f"{label} message passing" for label in labels]
    figure.legend(handles, names, loc="outside lower center", ncols=2, fontsize=9)
    return figure


def draw_panel(axes: Axes, rows: pd.DataFrame, counted: str) -> None:
    for decoding, (colour, marker, aside) in STYLES.items():
        own = rows[rows["decoding"] == decoding].sort_values("number")
        with_intervals(axes, own["number"] + aside, own, colour, marker, decoding)
        if decoding == "after":
            labels = [f"{row.number}\nn={row.n:,}" for row in own.itertuples()]
            axes.set_xticks(own["number"], labels, fontsize=8)
            axes.set_xlim(own["number"].min() - 0.5, own["number"].max() + 0.5)
    percent_axis(axes, "referents found (%)")
    axes.set_xlabel(f"{counted} in the sentence's graph", fontsize=9)
