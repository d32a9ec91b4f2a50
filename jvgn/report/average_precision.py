"""How well a detector finds each category: `report/average_precision.csv`, with columns category and ap (percent)."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from jvgn.report.charts import AFTER, Output, panels
from parsers.files import BrokenFile

MEANS = {"ap": "mean over IoU 0.5 to 0.95", "ap50": "IoU 0.5", "ap75": "IoU 0.75"}


def draw_average_precision(measured: Path, output: Output) -> None:
    output.write(precision_numbers(read_measured(measured)), "average precision", precision_bars)


def read_measured(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf8"))
        complete = {*MEANS, "categories", "images", "objects"} <= found.keys()
    except (OSError, ValueError, AttributeError) as error:
        raise BrokenFile(path, f"not a detector's average precision ({error!r})") from error
    if not complete:
        raise BrokenFile(path, "lacks a part of a detector's average precision")
    return found


def precision_numbers(found: dict[str, Any]) -> pd.DataFrame:
    rows = [(f"all: {words}", found[name]) for name, words in MEANS.items()]
    rows += sorted(found["categories"].items(), key=lambda row: -1.0 if row[1] is None else row[1], reverse=True)
    numbers = pd.DataFrame(rows, columns=["category", "ap"])
    return numbers.assign(images=found["images"], objects=found["objects"])


def precision_bars(table: pd.DataFrame) -> Figure:
    figure, [[axes]] = panels(1, 1, width=5.4, height=0.8 + 0.24 * len(table))
    places = range(len(table))[::-1]
    colours = [AFTER if place < len(MEANS) else "#8fb8d6" for place in range(len(table))]
    bars = axes.barh(places, table["ap"].astype(float).fillna(0.0), color=colours)
    labels = ["not defined" if pd.isna(ap) else f"{ap:.1f}" for ap in table["ap"]]
    axes.bar_label(bars, labels, fontsize=8, padding=2)
    axes.set_yticks(places, table["category"], fontsize=8.5)
    axes.set_xlim(0, 110)
    first = table.iloc[0]
    counted = f"{first['objects']:,} objects in {first['images']:,} images that it did not learn from"
    axes.set_xlabel(f"average precision (%)\n{counted}", fontsize=9)
    return figure
