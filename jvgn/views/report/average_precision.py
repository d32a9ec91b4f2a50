"""How well a detector finds each category: `report/average_precision.csv`, with columns category and ap (percent)."""

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.storage.text_formats import check_counts, parsed_json
from jvgn.views.report.charts import AFTER, Output, panels
from parsers.errors import BrokenFile

ALL = "all: "
ROWS = 28
"""Of a column: more would be taller than a screen."""
MEANS = {"ap": "mean over IoU 0.5 to 0.95", "ap50": "IoU 0.5", "ap75": "IoU 0.75"}


def draw_average_precision(measured: Path, output: Output) -> None:
    output.write(precision_numbers(read_measured(measured)), "average precision", precision_bars)


def read_measured(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = parsed_json(path.read_bytes())
        complete = {*MEANS, "categories", "images", "objects"} <= found.keys()
        if complete:
            measured = {**found["categories"], **{name: found[name] for name in MEANS}}
            check_counts(measured, [name for name, value in measured.items() if value is not None])
            check_counts(found, ("images", "objects"))
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise BrokenFile(path, f"not a detector's average precision ({error!r})") from error
    if not complete:
        raise BrokenFile(path, "lacks a part of a detector's average precision")
    return found


def precision_numbers(found: dict[str, Any]) -> pd.DataFrame:
    rows = [(f"{ALL}{words}", found[name]) for name, words in MEANS.items()]
    rows += sorted(found["categories"].items(), key=lambda row: -1.0 if row[1] is None else row[1], reverse=True)
    numbers = pd.DataFrame(rows, columns=["category", "ap"])
    return numbers.assign(images=found["images"], objects=found["objects"])


def precision_bars(table: pd.DataFrame) -> Figure:
    columns, deepest = -(-len(table) // ROWS), min(len(table), ROWS)
    figure, [line] = panels(1, columns, width=5.4 if columns == 1 else 4.0, height=0.8 + 0.24 * deepest)
    for place, axes in enumerate(line):
        draw_column(axes, table[place * ROWS : (place + 1) * ROWS])
        axes.set_ylim(0.5 - deepest, 0.5)
    first = table.iloc[0]
    counted = f"{first['objects']:,} objects in {first['images']:,} images of val splits"
    figure.supxlabel(f"average precision (%): {counted}", fontsize=9)
    return figure


def draw_column(axes: Axes, rows: pd.DataFrame) -> None:
    """From the top, which is 0, down."""
    places = [-place for place in range(len(rows))]
    colours = [AFTER if name.startswith(ALL) else "#8fb8d6" for name in rows["category"]]
    bars = axes.barh(places, rows["ap"].astype(float).fillna(0.0), color=colours)
    labels = ["not defined" if pd.isna(ap) else f"{ap:.1f}" for ap in rows["ap"]]
    axes.bar_label(bars, labels, fontsize=8, padding=2)
    axes.set_yticks(places, rows["category"], fontsize=8.5)
    axes.set_xlim(0, 115)
