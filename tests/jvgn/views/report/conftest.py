"""A dataset of ten sentences about two images, and what some run says of them."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from jvgn.datasets import tables
from jvgn.evaluation.predictions import PREDICTIONS, WAYS
from jvgn.graphs.tables import EDGES, NODES
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.storage.parquet import write_table
from jvgn.views.report.charts import Output

OBJECTS = {1: (0, 0, 10, 10), 2: (20, 0, 30, 10), 3: (0, 20, 10, 30)}
FOUND = [True, True, False, True, True, True, False, True, True, True]
"""After message passing."""
BEFORE = [True, False, False, True, False, False, False, True, True, False]
SIZES = [1, 2, 2, 1, 2, 3, 3, 1, 2, 2]
"""Objects that each sentence mentions; one relation fewer."""
MARGINALS = [0.99, 0.9, 0.4, 0.8, 0.97, 0.55, 0.6, 0.91, 0.7, 0.3]


@dataclass(frozen=True)
class Finished:
    """The files of a run."""

    folder: Path

    @property
    def answers(self):
        return {name: self.folder / f"{name}.parquet" for name in ("nodes", "edges", "predictions")} | {
            "dataset": self.folder
        }


@pytest.fixture
def finished(tmp_path):
    ids = range(len(SIZES))
    split = ["test"] * 6 + ["val"] * 4
    expressions = {
        "expression_id": ids,
        "ref_id": ids,
        "image_id": [7] * 5 + [8] * 5,
        "object_id": [1] * 5 + [3] * 5,
        "split": split,
        "text": ["star"] * 10,
        "tokens": [["star"]] * 10,
    }
    write_table(tmp_path / "expressions.parquet", expressions, tables.EXPRESSIONS)
    write_table(tmp_path / "mentions.parquet", tables.MENTIONS.empty_table(), tables.MENTIONS)
    write_objects(tmp_path)
    pairs = [(number, node) for number, size in enumerate(SIZES) for node in range(size)]
    write_graphs(tmp_path, pairs)
    write_predictions(tmp_path, pairs)
    return Finished(tmp_path)


def write_objects(folder):
    sides = dict(zip(("x1", "y1", "x2", "y2"), np.array(list(OBJECTS.values())).T.tolist(), strict=True))
    columns = {"object_id": list(OBJECTS), "image_id": [7, 7, 8], "category": ["star"] * 3, "category_id": [1] * 3}
    write_table(folder / "objects.parquet", columns | sides | {"is_crowd": [False] * 3}, tables.OBJECTS)
    made_by = {"setting": "det", "dataset": "shapes", "detector": "none", "detector_sha256": "none"}
    with RegionWriter(folder / "regions.h5", 2, "float32", made_by) as writer:
        for image_id, box in ((7, (0, 0, 10, 8)), (8, (0, 24, 10, 30))):  # IoU 0.8 and 0.6
            one = {"feature": np.zeros((1, 2), np.float32), "score": np.ones(1, np.float32)}
            one |= {"label": np.ones(1, np.int32), "object_id": np.full(1, -1)}
            writer.append(image_id, Regions(box=np.array([box], np.float32), **one))


def write_graphs(folder, pairs):
    numbers, places = zip(*pairs, strict=True)
    nodes = {"expression_id": numbers, "node": places, "head": ["star"] * len(pairs), "head_token": [0] * len(pairs)}
    nodes |= {
        "attributes": [[]] * len(pairs),
        "negated": [[]] * len(pairs),
        "tokens": [[0]] * len(pairs),
        "is_referent": [not p for p in places],
        "noun": nodes["head"],
    }
    write_table(folder / "nodes.parquet", nodes, NODES)
    related = [(number, place) for number, place in pairs if place]
    edges = {"expression_id": [number for number, _ in related], "edge": [place - 1 for _, place in related]}
    edges |= {"subject": [0] * len(related), "relation": ["by"] * len(related)}
    edges |= {
        "negated": [False] * len(related),
        "object": [place for _, place in related],
        "tokens": [[0]] * len(related),
    }
    write_table(folder / "edges.parquet", edges, EDGES)


def write_predictions(folder, pairs):
    count = len(pairs)
    columns = {name: [0.0] * count for name in PREDICTIONS.names}
    columns |= {"expression_id": [number for number, _ in pairs], "node": [place for _, place in pairs]}
    columns |= {
        "is_referent": [not place for _, place in pairs],
        "marginal": [MARGINALS[number] for number, _ in pairs],
    }
    columns |= {name: [0] * count for name in ("region", *(f"{way}_region" for way in WAYS))}
    after, before = ([found[number] for number, _ in pairs] for found in (FOUND, BEFORE))
    columns |= {"correct": after, "marginal_correct": after, "map_correct": after, "unary_correct": before}
    write_table(folder / "predictions.parquet", columns, PREDICTIONS)


@pytest.fixture
def output(tmp_path):
    return Output(tmp_path / "out/figure.svg", tmp_path / "out/numbers.csv", "shapes $gt$")
