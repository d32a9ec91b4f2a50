"""What marginalisation is worth: `report/ablation.csv` has the columns of the run's ablation.csv."""

from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.views.report.charts import AFTER, BEFORE, Output, panels, percent_axis
from parsers.errors import BrokenFile

COLUMNS = ["marginalise_training", "marginalise_inference", "split", "accuracy", "context_accuracy"]
ROWS = [(False, False), (False, True), (True, False), (True, True)]
"""The paper's order: in training, in inference."""
MOST_PERCENT = 1000.0
MEASURES = {"accuracy": ("referents", AFTER, ""), "context_accuracy": ("context", BEFORE, "//")}


def draw_ablation(ablation: Path, output: Output) -> None:
    output.write(read_ablation(ablation), "what marginalisation is worth", ablation_bars)


def read_ablation(path: Path) -> pd.DataFrame:
    try:
        table = pd.read_csv(path, dtype={"split": str})
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file", f"make it: snakemake --cores all {path}") from error
    except (ValueError, OSError) as error:
        raise BrokenFile(path, f"not a readable table ({error})") from error
    if list(table) != COLUMNS or not len(table) or not is_whole(table):
        raise BrokenFile(path, f"expected rows of {', '.join(COLUMNS)}")
    return table


def is_whole(table: pd.DataFrame) -> bool:
    """No row is there twice, and no cell is empty or of another kind; the accuracy on context may be unknown."""
    choices, measures = COLUMNS[:2], COLUMNS[3:]
    return (
        not table.duplicated([*choices, "split"]).any()
        and all(table[name].dtype == bool for name in choices)
        and all(table[name].dtype.kind in "if" or table[name].isna().all() for name in measures)
        and table[["split", "accuracy"]].notna().all(axis=None)
        and table[measures].fillna(0.0).abs().lt(MOST_PERCENT).all(axis=None)
    )


def ablation_bars(table: pd.DataFrame) -> Figure:
    splits = sorted(table["split"].unique())
    figure, [line] = panels(1, len(splits), height=3.3)
    by_row = table.set_index(["marginalise_training", "marginalise_inference", "split"]).sort_index()
    for split, axes in zip(splits, line, strict=True):
        draw_split(axes, by_row.xs(split, level="split").reindex(ROWS))
        axes.set_title(split, fontsize=10)
    figure.legend(*line[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=9)
    return figure


def draw_split(axes: Axes, rows: pd.DataFrame) -> None:
    measured = {name: style for name, style in MEASURES.items() if rows[name].notna().any()}
    wide = 0.8 / len(measured)
    for place, (name, (label, colour, hatch)) in enumerate(measured.items()):
        x = [row + wide * (place - (len(measured) - 1) / 2) for row in range(len(ROWS))]
        bars = axes.bar(x, rows[name], width=wide, color=colour, hatch=hatch, ec="white", label=label)
        axes.bar_label(bars, fmt="%.1f", fontsize=7.5, padding=1)
    words = {False: "–", True: "✓"}
    axes.set_xticks(
        range(len(ROWS)), [f"{words[training]}\n{words[inference]}" for training, inference in ROWS], fontsize=11
    )
    axes.set_xlabel("marginalised in training (above), in inference (below)", fontsize=8)
    percent_axis(axes, "grounded right (%)")
    axes.set_ylim(0, 112)
