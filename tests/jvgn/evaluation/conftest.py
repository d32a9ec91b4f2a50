"""Two captions with typed mentions, one with a wrong head_token and one against its expression."""

import numpy as np
import pyarrow as pa
import pytest

from jvgn.datasets import tables
from jvgn.evaluation.predictions import WHOLE_FILE
from jvgn.graphs.tables import EDGES, NODES
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.storage.parquet import write_table

TYPED = tables.MENTIONS.append(tables.TYPE)
EXPRESSIONS = [
    (1, 1, 5, 11, "test", "…", ["man", "in", "hat", "on", "horse"]),
    (2, 2, 6, 21, "test", "…", ["dog", "beside", "ball"]),
]
MENTIONS = [
    (1, 0, 11, True, "people"),
    (1, 2, 12, False, "clothing"),
    (1, 3, 13, False, None),  # a wrong head_token: no node
    (2, 0, 22, True, "animals"),  # contradicts the expression's object
    (2, 2, 23, False, "other"),
]
NODE_ROWS = [
    (1, 0, "man", 0, [], [], [0], True, "man"),
    (1, 1, "hat", 2, [], [], [2], False, "hat"),
    (1, 2, "horse", 4, [], [], [4], False, "horse"),
    (2, 0, "dog", 0, [], [], [0], True, "dog"),
    (2, 1, "ball", 2, [], [], [2], False, "ball"),
]
EDGE_ROWS = [(1, 0, 0, "in", 1, [1], False), (1, 1, 0, "on", 2, [3], False), (2, 0, 1, "beside", 0, [1], False)]
BOXES = {11: (0, 0, 10, 10), 12: (20, 0, 30, 10), 13: (40, 0, 50, 10), 21: (0, 0, 10, 10), 22: (20, 0, 30, 10),
         23: (90, 90, 99, 99)}  # fmt: skip
REGIONS = [(0, 0, 10, 10), (20, 0, 30, 10), (40, 0, 50, 10), *((60 + side, 50, 70 + side, 60) for side in range(9))]
"""The regions of both images; none covers object 23."""


def marginals(order):
    """Probabilities of the regions, the most probable ones in this order."""
    rest = [region for region in range(len(REGIONS)) if region not in order]
    return [1 / (2 + [*order, *rest].index(region)) for region in range(len(REGIONS))]


BELIEFS = {
    (1, 0): marginals([0]),  # rank 1 for object 11
    (1, 1): marginals([0, 2, 1]),  # rank 3 for object 12
    (1, 2): marginals([2]),
    (2, 0): marginals([3, 4, 5, 6, 7, 1]),  # rank 6 for object 22
    (2, 1): marginals([3]),
}


def prediction(key, correct):
    is_referent = key[1] == 0
    numbers = {"x1": 0, "y1": 0, "x2": 1, "y2": 1, "unary": 0.5, "marginal": 0.5, "entropy": 0.0, "iou": 1.0}
    ways = {f"{way}_{what}": value for way in ("unary", "marginal", "map") for what, value in
            (("region", 0), ("correct", correct))}  # fmt: skip
    beliefs = {f"{name}_of_regions": BELIEFS[key] for name in ("unary", "marginal")}
    own = {"expression_id": key[0], "node": key[1], "is_referent": is_referent, "region": 0, "correct": correct}
    return own | numbers | ways | beliefs


@pytest.fixture
def world(tmp_path):
    objects = [(number, 5 if number < 20 else 6, "thing", 1, *box, False) for number, box in BOXES.items()]
    for name, rows, schema in [
        ("expressions", EXPRESSIONS, tables.EXPRESSIONS),
        ("mentions", MENTIONS, TYPED),
        ("objects", objects, tables.OBJECTS),
        ("nodes", NODE_ROWS, NODES),
        ("edges", EDGE_ROWS, EDGES),
    ]:
        write_table(tmp_path / f"{name}.parquet", dict(zip(schema.names, zip(*rows, strict=True), strict=True)), schema)
    write_predictions(tmp_path / "predictions.parquet", (True, True, None, False, False))
    write_regions(tmp_path, REGIONS)
    return tmp_path


def write_predictions(path, correct):
    """Write what a run says of the five nodes, whichever the decoding."""
    rows = [prediction(key, one) for key, one in zip(BELIEFS, correct, strict=True)]
    write_table(path, pa.Table.from_pylist(rows, schema=WHOLE_FILE), WHOLE_FILE)
    return path


def write_regions(folder, boxes):
    one, none = np.ones(len(boxes), "float32"), np.full(len(boxes), -1)
    with RegionWriter(folder / "regions.h5", 1, "float32", {"setting": "det"}) as writer:
        for image_id in (5, 6):
            writer.append(image_id, Regions(np.array(boxes, "float32"), one[:, None], one, none.astype("int32"), none))
