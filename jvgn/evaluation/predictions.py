"""`predictions.parquet`: the regions that a run chooses for every node of every expression outside the train split.

One row for each expression and node that the model grounds: the paper's model and rules ground all of them, a model
of the referent alone one of them (docs/rivals.md). Columns that a model lacks are empty: `map_…` for every rival,
`unary…` for those that do not score each node by its own words.

- expression_id int64, node int16, is_referent bool; every expression has one referent.
- region int32, the index of the chosen region within its image, by the run's decoding; x1, y1, x2, y2 float32, its box.
- unary and marginal float32, the probability of the chosen region before and after message passing.
- entropy float32 of the node's marginal, in nats; 0 is certainty.
- not_found float32, the probability that no region is meant, for models that can say so (rules), and empty for others.
  The other probabilities of the node are then given that it is found: the gold objects of a dataset are in its images.
  Files of earlier versions lack this column.
- iou float32 with the gold box and correct bool (see `jvgn.correctness`); both are empty where there is no gold.
- `{way}_region` int32 and `{way}_correct` bool for each way to decode: `unary` (without message passing), `marginal`
  and `map` (the best joint grounding).
- unary_of_regions and marginal_of_regions, lists of float32: the probabilities of every region of the image. They are
  most of the file, so only `read_beliefs` reads them.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from jvgn.datasets import tables
from jvgn.datasets.tables import MISMATCH, unique
from jvgn.graphs.tables import NODES
from jvgn.storage.parquet import read_table, row_groups
from parsers.errors import BrokenFile, UserError

if TYPE_CHECKING:  # `jvgn ground` loads this module and needs no pandas
    import pandas as pd

WAYS: tuple[Literal["unary", "marginal", "map"], ...] = ("unary", "marginal", "map")
NOT_FOUND = "not_found"
KEY = [("expression_id", pa.int64()), ("node", pa.int16())]
PREDICTIONS = pa.schema(
    [
        *KEY,
        ("is_referent", pa.bool_()),
        ("region", pa.int32()),
        *tables.BOX,
        ("unary", pa.float32()),
        ("marginal", pa.float32()),
        ("entropy", pa.float32()),
        (NOT_FOUND, pa.float32()),
        ("iou", pa.float32()),
        ("correct", pa.bool_()),
        *((f"{way}_region", pa.int32()) for way in WAYS),
        *((f"{way}_correct", pa.bool_()) for way in WAYS),
    ]
)
"""The columns that `read_predictions` reads."""
OF_REGIONS = [(f"{name}_of_regions", pa.list_(pa.float32())) for name in ("unary", "marginal")]
BELIEFS = pa.schema([*KEY, *OF_REGIONS])
WHOLE_FILE = pa.schema([*PREDICTIONS, *OF_REGIONS])

OF_JOINT_MODEL = ["map_region", "map_correct"]
OF_NODES = ["unary", "unary_region", "unary_correct", "unary_of_regions"]
"""Columns that rivals may lack."""

CERTAIN = 1.0001
"""Rounding of float32 may take a probability slightly above 1."""


def read_predictions(path: Path, evaluated: np.ndarray) -> pa.Table:
    """Return all columns but the beliefs, after a check that every expression is among those `evaluated`."""
    may_be_empty = ["correct", *(f"{way}_correct" for way in WAYS), *OF_JOINT_MODEL, *OF_NODES]
    table = unique(path, read_table(path, PREDICTIONS, may_be_empty, [NOT_FOUND]), "expression_id", "node")
    ids = np.unique(table["expression_id"].to_numpy())
    referents = table.filter(table["is_referent"])
    if not np.array_equal(ids, np.sort(referents["expression_id"].to_numpy())):
        raise BrokenFile(path, "an expression does not have exactly one referent")
    if len(unknown := np.setdiff1d(ids, evaluated)):
        raise BrokenFile(path, f"expression {unknown[0]} is not one that the dataset evaluates")
    for name in ("unary", "marginal", NOT_FOUND):
        given = pc.drop_null(table[name]).to_numpy()
        if (name == "marginal" and len(given) < len(table)) or not np.all((given >= 0) & (given <= CERTAIN)):
            raise BrokenFile(path, f"column {name} has values outside [0, 1]", "train the run again")
    check_boxes(path, table)
    return table


def check_boxes(path: Path, table: pa.Table) -> None:
    x1, y1, x2, y2 = (table[side].to_numpy() for side in tables.SIDES)
    if not np.all((x1 <= x2) & (y1 <= y2) & np.isfinite(x2 - x1) & np.isfinite(y2 - y1)):
        raise BrokenFile(path, "a box is not x1, y1, x2, y2 with x1 <= x2 and y1 <= y2")
    if any((pc.min(table[name]).as_py() or 0) < 0 for name in ("region", *(f"{way}_region" for way in WAYS))):
        raise BrokenFile(path, "a region has a negative index")


def ways_of(predictions: "pd.DataFrame") -> list[Literal["unary", "marginal", "map"]]:
    """Return the ways to decode that the model of these predictions has."""
    referents = predictions[predictions["is_referent"]]
    return [way for way in WAYS if referents[f"{way}_correct"].notna().all()]


def check_complete(path: Path, predictions: "pd.DataFrame") -> None:
    """Refuse a model that does not ground every node, or not by its own words: there is nothing to show it by."""
    if "unary" not in ways_of(predictions):
        raise UserError(f"{path}: its model.kind does not ground every object before and after; show a run of jvgn")


def ground_context(predictions: "pd.DataFrame") -> bool:
    """Return whether the model of these predictions grounds any object beside the referent."""
    return predictions.empty or not predictions["is_referent"].all() or "map" in ways_of(predictions)


def read_beliefs(path: Path, expression_ids: Iterable[int]) -> "pd.DataFrame":
    """Return the probabilities of every region for the nodes of some expressions: the columns of `BELIEFS`."""
    wanted = pa.array(list(expression_ids), pa.int64())
    groups = row_groups(path, BELIEFS, may_be_empty=OF_NODES)
    parts = [group.filter(pc.is_in(group["expression_id"], wanted)) for group in groups]
    return pa.concat_tables([BELIEFS.empty_table(), *parts]).to_pandas()


def read_phrases(path: Path, evaluated: np.ndarray, nodes: Path, tokens: Mapping[int, Sequence[str]]) -> "pd.DataFrame":
    """Return the predictions with a column `phrase`: the words of each node, from the `tokens` of its expression."""
    predictions = read_predictions(path, evaluated).to_pandas()
    check_complete(path, predictions)
    node_table = unique(nodes, read_table(nodes, NODES), "expression_id", "node").to_pandas()
    found = predictions.merge(node_table[["expression_id", "node", "tokens"]], on=["expression_id", "node"])
    if len(found) < len(predictions):
        raise BrokenFile(path, f"has nodes that are not in {nodes}")
    phrases = []
    for row in found.itertuples():
        words = tokens[row.expression_id]
        if any(not 0 <= token < len(words) for token in row.tokens):
            raise BrokenFile(nodes, f"expression {row.expression_id} has a token outside of its sentence", MISMATCH)
        phrases.append(" ".join(words[token] for token in row.tokens))
    return found.assign(phrase=phrases)
