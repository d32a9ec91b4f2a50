"""`predictions.parquet`: what a run says of every node of every expression outside the training split.

One row an expression and node: expression_id int64, node int16, is_referent bool, region int32 (its index within the
image), x1, y1, x2, y2 float32, unary float32 (the region's probability before message passing), marginal float32
(after), entropy float32 of the node's marginal (nats; 0 is certainty), iou float32 with the gold box and correct bool,
both empty where there is no gold. `region` is the run's decoding; `{way}_region` int32 and `{way}_correct` bool are
those of each way to decode: `unary` (without message passing), `marginal` and `map` (the best joint grounding).
Every expression has one referent.
"""

from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa

from jvgn.datasets import tables
from jvgn.datasets.tables import unique
from jvgn.storage.parquet import read_table
from parsers.errors import BrokenFile

WAYS: tuple[Literal["unary", "marginal", "map"], ...] = ("unary", "marginal", "map")
PREDICTIONS = pa.schema(
    [
        ("expression_id", pa.int64()),
        ("node", pa.int16()),
        ("is_referent", pa.bool_()),
        ("region", pa.int32()),
        *tables.BOX,
        ("unary", pa.float32()),
        ("marginal", pa.float32()),
        ("entropy", pa.float32()),
        ("iou", pa.float32()),
        ("correct", pa.bool_()),
        *((f"{way}_region", pa.int32()) for way in WAYS),
        *((f"{way}_correct", pa.bool_()) for way in WAYS),
    ]
)


CERTAIN = 1.0001
"""Probabilities are of float32, whose rounding may end a little above 1."""


def read_predictions(path: Path, evaluated: np.ndarray) -> pa.Table:
    """The predictions, after a check that they are about expressions whose ids are among those `evaluated`."""
    may_be_empty = ["correct", *(f"{way}_correct" for way in WAYS)]
    table = unique(path, read_table(path, PREDICTIONS, may_be_empty), "expression_id", "node")
    ids = np.unique(table["expression_id"].to_numpy())
    referents = table.filter(table["is_referent"])
    if not np.array_equal(ids, np.sort(referents["expression_id"].to_numpy())):
        raise BrokenFile(path, "an expression does not have exactly one referent")
    if len(strangers := np.setdiff1d(ids, evaluated)):
        raise BrokenFile(path, f"it has expression {strangers[0]}, which is none that the dataset evaluates")
    for name in ("unary", "marginal"):
        if not np.all((table[name].to_numpy() >= 0) & (table[name].to_numpy() <= CERTAIN)):
            raise BrokenFile(path, f"it has a probability in {name} that is none", "train the run again")
    check_boxes(path, table)
    return table


def check_boxes(path: Path, table: pa.Table) -> None:
    x1, y1, x2, y2 = (table[side].to_numpy() for side in ("x1", "y1", "x2", "y2"))
    if not np.all((x1 <= x2) & (y1 <= y2) & np.isfinite(x2 - x1) & np.isfinite(y2 - y1)):
        raise BrokenFile(path, "it has a box that is none")
    if any(len(table) and table[name].to_numpy().min() < 0 for name in ("region", *(f"{way}_region" for way in WAYS))):
        raise BrokenFile(path, "it has a region with a negative number")
