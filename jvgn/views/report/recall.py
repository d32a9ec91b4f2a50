"""How much the detected regions cover: `report/recall.csv`.

Columns: split, iou (a region covers the referent if its IoU is larger), n (sentences), share (of them whose referent
some region covers, in percent), low and high (Wilson's 95% interval).
"""

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from jvgn.boxes import iou
from jvgn.regions.recall import referents_of
from jvgn.regions.store import RegionStore
from jvgn.views.report.charts import COLOURS, MARKERS, Output, panels, percent_axis, share, with_intervals
from parsers.errors import UserError

THRESHOLDS = tuple(round(0.5 + 0.05 * step, 2) for step in range(10))


def draw_recall(dataset: Path, regions: Path, output: Output) -> None:
    expressions, gold_S4 = referents_of(dataset)
    if expressions.empty:
        raise UserError(f"{dataset / 'expressions.parquet'}: holds no expression to draw; read the dataset again")
    best_S = best_overlaps(expressions, gold_S4, RegionStore(regions))
    table = pd.DataFrame(
        {"split": split, "iou": threshold} | share(best_S[own_S] > threshold)
        for split, own_S in expressions.groupby("split").groups.items()
        for threshold in THRESHOLDS
    )
    output.write(table, "what its regions cover", recall_curves)


def best_overlaps(expressions: pd.DataFrame, gold_S4: np.ndarray, store: RegionStore) -> pd.Series:
    """For each expression, the IoU of its referent with the region that fits it best; 0 where there is none."""
    best_S = np.zeros(len(expressions))
    present = set(store.image_ids.tolist())
    for image_id, own_S in expressions.groupby("image_id").indices.items():
        box_N4 = store.read_boxes(image_id)[0] if image_id in present else np.zeros((0, 4), dtype=np.float32)
        if len(box_N4):
            best_S[own_S] = iou(box_N4, gold_S4[own_S]).max(axis=0)
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
