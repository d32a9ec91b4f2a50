"""Learning curves of a run: `report/learning.csv` has history.parquet's columns and `kept`, the epoch of the model."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from jvgn.storage.parquet import read_table
from jvgn.training.log import HISTORY
from jvgn.views.report.charts import AFTER, Output, panels, percent_axis
from parsers.errors import UserError


def draw_learning(history: Path, output: Output) -> None:
    table = read_table(history, HISTORY).to_pandas()
    if not len(table):
        raise UserError(f"{history}: holds no epoch; train the run again")
    if table["val_accuracy"].isna().all():
        raise UserError(f"{history}: holds no accuracy of an epoch; train the run again")
    kept = table.index == table["val_accuracy"].idxmax()  # the first of equals, as the training keeps it
    output.write(table.assign(kept=kept), "how it learned", learning_curves)


def learning_curves(table: pd.DataFrame) -> Figure:
    figure, [[left, right]] = panels(1, 2, width=4.2)
    marker = "o" if len(table) <= 40 else None
    left.plot(table["epoch"], table["loss"], color="#333333", marker=marker, ms=3.5, lw=1.4)
    left.set_ylim(bottom=0)
    left.set_title("training loss, mean of an epoch", fontsize=10)
    right.plot(table["epoch"], table["val_accuracy"], color=AFTER, marker=marker, ms=3.5, lw=1.4)
    percent_axis(right, "referents found (%)")
    right.set_title("accuracy on val", fontsize=10)
    (best,) = table[table["kept"]].itertuples()
    right.axvline(best.epoch, color="#777777", lw=0.9, ls=":")
    side = "right" if best.epoch > table["epoch"].max() / 2 else "left"
    label = f" kept: epoch {best.epoch}, {best.val_accuracy:.1f}% "
    right.text(best.epoch, 5, label, ha=side, fontsize=9)
    for axes in (left, right):
        axes.set_xlabel("epoch", fontsize=9)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure
