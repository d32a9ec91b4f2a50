"""Metrics against numbers worked out by hand."""

import pandas as pd
import pytest

from jvgn.datasets import tables
from jvgn.evaluation.score import Answers, by_decoding, split_values
from jvgn.graphs.tables import EDGES, NODES
from jvgn.regions.hdf5_store import Regions, RegionWriter
from jvgn.regions.recall import coverage
from jvgn.storage.parquet import write_table


@pytest.fixture
def answers(tmp_path):
    """Two expressions of one split: "star left of a ring above a cross" and "ring"."""
    expressions = [
        (1, 1, 5, 11, "test", "…", ["star", "left", "ring", "above", "cross"]),
        (2, 2, 5, 12, "test", "ring", ["ring"]),
    ]
    mentions = [(1, 0, 11, True), (1, 2, 12, False), (1, 4, 13, False), (2, 0, 12, True)]
    nodes = [
        (1, 0, "star", 0, [], [], [0], True, "star"),
        (1, 1, "ring", 2, [], [], [2], False, "ring"),
        (2, 0, "ring", 0, [], [], [0], True, "ring"),
    ]
    edges = [(1, 0, 0, "left", 1, [1], False)]
    objects = [(11, 5, "star", 1, 0, 0, 10, 10, False), (12, 5, "ring", 2, 20, 0, 30, 10, False)]
    for name, rows, schema in [
        ("expressions", expressions, tables.EXPRESSIONS),
        ("mentions", mentions, tables.MENTIONS),
        ("objects", objects, tables.OBJECTS),
        ("nodes", nodes, NODES),
        ("edges", edges, EDGES),
    ]:
        write_table(tmp_path / f"{name}.parquet", dict(zip(schema.names, zip(*rows, strict=True), strict=True)), schema)
    return Answers(tmp_path, tmp_path / "nodes.parquet", tmp_path / "edges.parquet")


def predictions(*rows):
    return pd.DataFrame(rows, columns=["expression_id", "node", "is_referent", "correct"]).assign(marginal=0.5)


def test_the_referent_decides_accuracy(answers):
    table = answers.table(predictions((1, 0, True, True), (1, 1, False, False), (2, 0, True, False)))
    assert table["correct"].tolist() == [True, False]
    assert table["nodes"].tolist() == [2, 1] and table["edges"].tolist() == [1, 0]


def test_a_mention_without_a_node_counts_as_wrong(answers):
    found = predictions((1, 0, True, True), (1, 1, False, True), (2, 0, True, True))
    assert answers.context(found, answers.table(found))["correct"].tolist() == [True, False]  # no node for the cross


def test_a_mention_that_was_taken_for_the_referent_counts_as_wrong(answers):
    found = predictions((1, 0, False, None), (1, 1, True, True), (2, 0, True, True))
    assert answers.context(found, answers.table(found))["correct"].tolist() == [False, False]


def test_coverage_says_what_the_regions_allow(answers, tmp_path):
    with RegionWriter(tmp_path / "regions.h5", 1, "float32", {"setting": "det"}) as writer:  # an IoU of 0.9, and none
        box = pd.DataFrame([(1, 0, 10, 10), (50, 50, 60, 60)]).to_numpy("float32")
        one = pd.Series([1.0, 1.0]).to_numpy("float32")
        whole = pd.Series([-1, -1]).to_numpy()
        writer.append(5, Regions(box, one[:, None], one, whole.astype("int32"), whole))
    table = coverage(tmp_path, tmp_path / "regions.h5", pd.Series([5]), 0.5)
    assert table["covered"].tolist() == [True, False] and table["regions"].tolist() == [2, 2]


def test_shares_are_in_percent_and_context_is_left_out_where_unknown():
    rows = pd.DataFrame(
        {"correct": [1, 0, 1, 1], "covered": [1, 1, 1, 0], "nodes": [1, 1, 2, 2], "edges": [0, 0, 1, 1]}
    )
    rows = rows.assign(image_id=[1, 1, 2, 2], regions=[4, 4, 8, 8], marginal=[1.0, 0.5, 1.0, 1.0], skipped=False)
    context = pd.DataFrame({"image_id": [1, 2], "correct": [True, False]})
    metrics = split_values(rows, context[:0])
    assert metrics["accuracy"] == 75 and metrics["oracle_recall"] == 75 and metrics["mean_regions"] == 6
    assert metrics["calibration_error"] == 12.5
    assert metrics["accuracy_by_nodes"] == {"1": 50, "2": 100}
    assert "context_accuracy" not in metrics and "context_n" not in metrics
    assert split_values(rows, context)["context_accuracy"] == 50 and split_values(rows, context)["context_n"] == 2


def test_each_way_to_decode_is_scored_by_its_own_column(answers):
    found = predictions((1, 0, True, True), (1, 1, False, True), (2, 0, True, True))
    ways = {"unary": [False, False, True], "marginal": [True, True, True], "map": [True, False, False]}
    shares = by_decoding(answers, found.assign(**{f"{way}_correct": hits for way, hits in ways.items()}))["test"]
    assert {way: (one.accuracy, one.context_accuracy) for way, one in shares.items()} == {
        "unary": (50, 0),
        "marginal": (100, 50),
        "map": (50, 0),
    }
