"""Whether probabilities mean what they say: `report/calibration.csv`.

Columns: split, from and to (the bin's probabilities), n (referents in it), confidence (their mean probability),
share (of them found), low and high (Wilson's 95% interval), all but n in percent. Empty bins are left out.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.evaluation.predictions import read_predictions
from jvgn.evaluation.score import CALIBRATION_BINS, Answers
from jvgn.views.report.charts import AFTER, DIGITS, Output, panels, percent_axis, share, with_intervals
from parsers.errors import UserError


def draw_calibration(dataset: Path, nodes: Path, edges: Path, predictions: Path, output: Output) -> None:
    answers = Answers(dataset, nodes, edges)
    table = answers.table(read_predictions(predictions, answers.evaluated).to_pandas())
    answered = table[~table["skipped"]]
    if not len(answered):
        raise UserError(f"{predictions}: holds no referent; check that the dataset has an evaluation split")
    output.write(calibration_numbers(answered), "do its probabilities mean what they say?", reliability)


def calibration_numbers(answered: pd.DataFrame) -> pd.DataFrame:
    bins = np.minimum((answered["marginal"] * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    wide = 100 / CALIBRATION_BINS
    return pd.DataFrame(
        {
            "split": split,
            "from": round(place * wide, DIGITS),
            "to": round((place + 1) * wide, DIGITS),
            "confidence": round(100 * float(rows["marginal"].mean()), DIGITS),
        }
        | share(rows["correct"])
        for (split, place), rows in answered.groupby(["split", bins])
    )


def expected_error(rows: pd.DataFrame) -> float:
    """The expected calibration error of a split, in percent."""
    return float(((rows["confidence"] - rows["share"]).abs() * rows["n"]).sum() / rows["n"].sum())


def reliability(numbers: pd.DataFrame) -> Figure:
    splits = sorted(numbers["split"].unique())
    figure, [upper, lower] = panels(2, len(splits), height=2.7)
    for split, above, below in zip(splits, upper, lower, strict=True):
        rows = numbers[numbers["split"] == split]
        draw_reliability(above, rows)
        above.set_title(f"{split}: expected error {expected_error(rows):.1f}%", fontsize=10)
        width = rows["to"] - rows["from"]
        bars = below.bar(rows["from"], rows["n"], width=width, align="edge", color="#bbbbbb", ec="white")
        below.bar_label(bars, fontsize=7)
        below.set_yscale("log")
        below.set_ylim(0.7, 4 * rows["n"].max())
        below.set_xlim(0, 100)
        below.set_ylabel("referents in the bin", fontsize=9)
        below.set_xlabel("probability of the chosen region (%)", fontsize=9)
    figure.legend(*upper[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9)
    return figure


def draw_reliability(axes: Axes, rows: pd.DataFrame) -> None:
    axes.plot([0, 100], [0, 100], color="#777777", ls="--", lw=1, label="as probable as right")
    with_intervals(axes, rows["confidence"], rows, AFTER, "o", "found, with 95% interval")
    percent_axis(axes, "referents found (%)")
    axes.set_xlim(0, 103)
    axes.set_xlabel("mean probability in the bin (%)", fontsize=9)
