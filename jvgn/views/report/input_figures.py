"""Figures of the inputs of a run: its graphs, its regions and its detector.

Each is drawn from a table of numbers in the same folder and nothing else. Shares are in percent.

`report/coverage.csv`: measure, number, n, share. The measures `objects` and `relations` say how many graphs (n) have
that number of them; the others say how many sentences, words or graphs (n) of all (number) they concern.
`report/recall.csv`: split, iou (a region covers the referent if its IoU is larger), n (sentences), share (sentences
whose referent some region covers), low and high (Wilson's 95% interval).
`report/average_precision.csv`: category, ap, and the images and objects that it was measured on.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from jvgn.correctness import exceeds, overlap
from jvgn.datasets import tables
from jvgn.graphs.tables import EDGES, NODES
from jvgn.regions.hdf5_store import RegionStore
from jvgn.regions.recall import referents_of
from jvgn.storage.files import check_counts, reading
from jvgn.storage.parquet import read_table
from jvgn.views.report.charts import (
    AFTER,
    COLOURS,
    DIGITS,
    MARKERS,
    Output,
    panels,
    percent_axis,
    share,
    with_intervals,
)
from parsers.errors import UserError

COVERAGE_SHARES = {
    "content words left out of the graph": ("words_left_out", "content_words"),
    "sentences without any phrase found": ("fallbacks", "expressions"),
    "graphs whose referent is not subject of all its edges": ("referent_is_object", "expressions"),
}
THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))
ALL = "all: "
ROWS_OF_COLUMN = 28
"""Categories in one column of bars, so that it fits on a screen."""
MEANS = {"ap": "mean over IoU 0.5 to 0.95", "ap50": "IoU 0.5", "ap75": "IoU 0.75"}


def draw_coverage(expressions: Path, nodes: Path, edges: Path, coverage: Path, output: Output) -> None:
    counts = read_coverage(coverage)
    ids = tables.read_expressions(expressions).column("expression_id").to_pandas()
    rows = [
        {"measure": word, "number": int(number), "n": int(n), "share": round(100 * n / len(ids), DIGITS)}
        for word, path, schema in (("objects", nodes, NODES), ("relations", edges, EDGES))
        for number, n in graph_sizes(read_table(path, schema).column("expression_id").to_pandas(), ids).items()
    ]
    for measure, (part, whole) in COVERAGE_SHARES.items():
        of_all = 100 * counts[part] / max(counts[whole], 1)
        rows.append({"measure": measure, "number": counts[whole], "n": counts[part], "share": round(of_all, DIGITS)})
    output.write(pd.DataFrame(rows), "scene graphs", coverage_bars)


def read_coverage(path: Path) -> dict[str, Any]:
    with reading(path, "coverage.json"):
        counts: dict[str, Any] = json.loads(path.read_bytes())
        check_counts(counts, {name for pair in COVERAGE_SHARES.values() for name in pair})
    return counts


def graph_sizes(owners: pd.Series, ids: pd.Series) -> pd.Series:
    """Return how many expressions have how many rows of a table, by that number."""
    return owners.value_counts().reindex(ids, fill_value=0).value_counts().sort_index()


def coverage_bars(table: pd.DataFrame) -> Figure:
    figure, [line] = panels(1, 3, width=4.0)
    for word, axes in zip(("objects", "relations"), line, strict=False):
        rows = table[table["measure"] == word]
        bars = axes.bar(rows["number"], rows["share"], color=AFTER)
        axes.bar_label(bars, [f"{n:,}" for n in rows["n"]], fontsize=8, padding=1)
        axes.set_xticks(rows["number"])
        axes.set_xlabel(f"{word} in the graph", fontsize=9)
        axes.set_title(f"graphs by number of {word}", fontsize=10)
        percent_axis(axes, "share of the sentences")
        axes.set_ylim(0, 1.15 * rows["share"].max())
        axes.set_yticks([])
    draw_coverage_shares(line[2], table[table["measure"].isin(COVERAGE_SHARES)])
    return figure


def draw_coverage_shares(axes: Axes, rows: pd.DataFrame) -> None:
    places = range(len(rows))[::-1]
    axes.barh(places, rows["share"], color=AFTER, height=0.35)
    for place, row in zip(places, rows.itertuples(), strict=True):
        axes.text(0, place + 0.26, f"{row.measure}:", fontsize=8.5)
        axes.text(row.share, place, f" {row.share:.2f}%  ({row.n:,} of {row.number:,})", fontsize=8.5, va="center")
    axes.set_xlim(0, max(1.0, 2.2 * rows["share"].max()))
    axes.set_ylim(-0.5, len(rows) - 0.3)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("%", fontsize=9)
    axes.set_title("what is missing in the graphs", fontsize=10)


def draw_recall(dataset: Path, regions: Path, output: Output) -> None:
    expressions, gold_SB4 = referents_of(dataset)
    if expressions.empty:
        raise UserError(f"{dataset / 'expressions.parquet'}: has no expression to draw; read the dataset again")
    best_S = best_overlaps(expressions, gold_SB4, RegionStore(regions))
    table = pd.DataFrame(
        {"split": split, "iou": threshold} | share(exceeds(best_S[own_S], threshold))
        for split, own_S in expressions.groupby("split").groups.items()
        for threshold in THRESHOLDS
    )
    output.write(table, "referents that regions cover", recall_curves)


def best_overlaps(expressions: pd.DataFrame, gold_SB4: np.ndarray, store: RegionStore) -> pd.Series:
    """Return for each expression the largest IoU of its referent with a region; 0 without regions."""
    best_S = np.zeros(len(expressions))
    present = set(store.image_ids.tolist())
    for image_id, own_S in expressions.groupby("image_id").indices.items():
        box_N4 = store.read_boxes(image_id)[0] if image_id in present else np.zeros((0, 4), dtype=np.float32)
        if len(box_N4):
            best_S[own_S] = overlap(box_N4, gold_SB4[own_S]).max(axis=0)
    return pd.Series(best_S, index=expressions.index)


def recall_curves(table: pd.DataFrame) -> Figure:
    figure, [[axes]] = panels(1, 1, width=5.4, height=3.4)
    for place, (split, rows) in enumerate(table.groupby("split")):
        first = rows[rows["iou"] == THRESHOLDS[0]].iloc[0]
        label = f"{split}: {first['share']:.1f}% at 0.5, n={first['n']:,.0f}"
        marker = MARKERS[place % len(MARKERS)]
        with_intervals(axes, rows["iou"], rows, COLOURS[place % len(COLOURS)], marker, label)
    percent_axis(axes, "referents that a region covers (%)")
    axes.set_xlabel("IoU that counts as covering", fontsize=9)
    axes.legend(fontsize=8.5, loc="lower left")
    return figure


def draw_average_precision(measured: Path, output: Output) -> None:
    output.write(precision_numbers(read_measured(measured)), "average precision", precision_bars)


def read_measured(path: Path) -> dict[str, Any]:
    with reading(path, "average_precision.json"):
        found: dict[str, Any] = json.loads(path.read_bytes())
        values = {**found["categories"], **{name: found[name] for name in MEANS}}
        check_counts(values, [name for name, value in values.items() if value is not None])
        check_counts(found, ("images", "objects"))
    return found


def precision_numbers(found: dict[str, Any]) -> pd.DataFrame:
    rows = [(f"{ALL}{words}", found[name]) for name, words in MEANS.items()]
    rows += sorted(found["categories"].items(), key=lambda row: -1.0 if row[1] is None else row[1], reverse=True)
    numbers = pd.DataFrame(rows, columns=["category", "ap"])
    return numbers.assign(images=found["images"], objects=found["objects"])


def precision_bars(table: pd.DataFrame) -> Figure:
    columns, deepest = -(-len(table) // ROWS_OF_COLUMN), min(len(table), ROWS_OF_COLUMN)
    figure, [line] = panels(1, columns, width=5.4 if columns == 1 else 4.0, height=0.8 + 0.24 * deepest)
    for place, axes in enumerate(line):
        draw_category_column(axes, table[place * ROWS_OF_COLUMN : (place + 1) * ROWS_OF_COLUMN])
        axes.set_ylim(0.5 - deepest, 0.5)
    first = table.iloc[0]
    counted = f"{first['objects']:,} objects in {first['images']:,} images of val splits"
    figure.supxlabel(f"average precision (%): {counted}", fontsize=9)
    return figure


def draw_category_column(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw bars from the top, at 0, downward."""
    places = [-place for place in range(len(rows))]
    colours = [AFTER if name.startswith(ALL) else "#8fb8d6" for name in rows["category"]]
    bars = axes.barh(places, rows["ap"].astype(float).fillna(0.0), color=colours)
    labels = ["not defined" if pd.isna(ap) else f"{ap:.1f}" for ap in rows["ap"]]
    axes.bar_label(bars, labels, fontsize=8, padding=2)
    axes.set_yticks(places, rows["category"], fontsize=8.5)
    axes.set_xlim(0, 115)
