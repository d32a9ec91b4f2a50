"""Figures of one run: how it learned, what it finds, and what marginalisation is worth.

Each is drawn from a table of numbers in the same folder and nothing else. Shares are in percent; low and high are
Wilson's 95% interval.

`report/learning.csv`: the columns of history.parquet, and `kept`, true for the epoch of the model.
`report/sizes.csv`: split, counted (objects or relations), number (how many the sentence mentions), decoding (before or
after message passing), n, share (referents found), low, high.
`report/calibration.csv`: split, from and to (the bin's probabilities), n (referents in it), confidence (their mean
probability), share (found), low, high. Empty bins are left out.
`report/ablation.csv`: the columns of the run's ablation.csv.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from jvgn.evaluation.metrics import CALIBRATION_BINS
from jvgn.evaluation.predictions import read_predictions
from jvgn.evaluation.score import Answers
from jvgn.storage.files import reading
from jvgn.storage.parquet import read_table
from jvgn.training.log import HISTORY
from jvgn.views.report.charts import AFTER, BEFORE, DIGITS, Output, panels, percent_axis, share, with_intervals
from parsers.errors import BrokenFile, UserError

COUNTED = {"nodes": "objects", "edges": "relations"}
STYLES = {"before": (BEFORE, "s", -0.08), "after": (AFTER, "o", 0.08)}
"""Colour, marker, and a shift to the side, so that intervals do not cover each other."""
ABLATION_COLUMNS = ["marginalise_training", "marginalise_inference", "split", "accuracy", "context_accuracy"]
ABLATION_ROWS = [(False, False), (False, True), (True, False), (True, True)]
"""The paper's order: in training, in inference."""
ABLATION_MEASURES = {"accuracy": ("referents", AFTER, ""), "context_accuracy": ("context", BEFORE, "//")}


def draw_learning(history: Path, output: Output) -> None:
    table = read_table(history, HISTORY).to_pandas()
    if not len(table):
        raise UserError(f"{history}: has no epoch; train the run again")
    if table["val_accuracy"].isna().all():
        raise UserError(f"{history}: has no accuracy of any epoch; train the run again")
    kept = table.index == table["val_accuracy"].idxmax()  # the first of equal ones, as in training
    output.write(table.assign(kept=kept), "learning curves", learning_curves)


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
            draw_size_panel(axes, own, counted)
    handles, labels = grid[0][0].get_legend_handles_labels()
    names = [f"{label} message passing" for label in labels]
    figure.legend(handles, names, loc="outside lower center", ncols=2, fontsize=9)
    return figure


def draw_size_panel(axes: Axes, rows: pd.DataFrame, counted: str) -> None:
    for decoding, (colour, marker, aside) in STYLES.items():
        own = rows[rows["decoding"] == decoding].sort_values("number")
        with_intervals(axes, own["number"] + aside, own, colour, marker, decoding)
        if decoding == "after":
            labels = [f"{row.number}\nn={row.n:,}" for row in own.itertuples()]
            axes.set_xticks(own["number"], labels, fontsize=8)
            axes.set_xlim(own["number"].min() - 0.5, own["number"].max() + 0.5)
    percent_axis(axes, "referents found (%)")
    axes.set_xlabel(f"{counted} in the sentence's graph", fontsize=9)


def draw_calibration(dataset: Path, nodes: Path, edges: Path, predictions: Path, output: Output) -> None:
    answers = Answers(dataset, nodes, edges)
    table = answers.table(read_predictions(predictions, answers.evaluated).to_pandas())
    answered = table[~table["skipped"]]
    if not len(answered):
        raise UserError(f"{predictions}: has no referent; check that the dataset has an evaluation split")
    output.write(calibration_numbers(answered), "calibration", reliability)


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
    """Return the expected calibration error of a split, in percent."""
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
    axes.plot([0, 100], [0, 100], color="#777777", ls="--", lw=1, label="probability equals accuracy")
    with_intervals(axes, rows["confidence"], rows, AFTER, "o", "found, with 95% interval")
    percent_axis(axes, "referents found (%)")
    axes.set_xlim(0, 103)
    axes.set_xlabel("mean probability in the bin (%)", fontsize=9)


def draw_ablation(ablation: Path, output: Output) -> None:
    output.write(read_ablation(ablation), "what marginalisation is worth", ablation_bars)


def read_ablation(path: Path) -> pd.DataFrame:
    with reading(path, "CSV table", f"make it again: snakemake --cores all {path}"):
        table = pd.read_csv(path, dtype={"split": str})
    if list(table) != ABLATION_COLUMNS or table[ABLATION_COLUMNS[:4]].isna().any(axis=None) or not len(table):
        raise BrokenFile(path, f"expected rows of {', '.join(ABLATION_COLUMNS)}")
    if table.duplicated(ABLATION_COLUMNS[:3]).any():
        raise BrokenFile(path, "a row is there twice")
    return table


def ablation_bars(table: pd.DataFrame) -> Figure:
    splits = sorted(table["split"].unique())
    figure, [line] = panels(1, len(splits), height=3.3)
    by_row = table.set_index(["marginalise_training", "marginalise_inference", "split"]).sort_index()
    for split, axes in zip(splits, line, strict=True):
        draw_ablation_split(axes, by_row.xs(split, level="split").reindex(ABLATION_ROWS))
        axes.set_title(split, fontsize=10)
    figure.legend(*line[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9)
    return figure


def draw_ablation_split(axes: Axes, rows: pd.DataFrame) -> None:
    measured = {name: style for name, style in ABLATION_MEASURES.items() if rows[name].notna().any()}
    wide = 0.8 / len(measured)
    for place, (name, (label, colour, hatch)) in enumerate(measured.items()):
        x = [row + wide * (place - (len(measured) - 1) / 2) for row in range(len(ABLATION_ROWS))]
        bars = axes.bar(x, rows[name], width=wide, color=colour, hatch=hatch, ec="white", label=label)
        axes.bar_label(bars, fmt="%.1f", fontsize=7.5, padding=1)
    words = {False: "–", True: "✓"}
    labels = [f"{words[training]}\n{words[inference]}" for training, inference in ABLATION_ROWS]
    axes.set_xticks(range(len(ABLATION_ROWS)), labels, fontsize=11)
    axes.set_xlabel("marginalised in training (above), in inference (below)", fontsize=8)
    percent_axis(axes, "grounded correctly (%)")
    axes.set_ylim(0, 112)
