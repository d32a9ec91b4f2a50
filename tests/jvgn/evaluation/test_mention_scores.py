"""Gold mentions of a small world against figures worked out by hand."""

import json
import logging

import numpy as np
import pandas as pd
import pytest

from jvgn.datasets import tables
from jvgn.evaluation.mention_scores import (
    RegionRanks,
    first_correct,
    log_mismatches,
    mention_values,
    parent_relations,
)
from jvgn.evaluation.metrics import Split
from jvgn.evaluation.score import Answers
from jvgn.storage.parquet import write_table
from parsers.errors import UserError

from .conftest import BELIEFS, MENTIONS, REGIONS, write_regions


def scored(folder):
    """The fields of the split that mentions decide, as they are written."""
    answers = Answers(folder, folder / "nodes.parquet", folder / "edges.parquet")
    predictions = pd.DataFrame(
        [{"expression_id": key[0], "node": key[1], "is_referent": key[1] == 0} for key in BELIEFS]
    )
    predictions["correct"] = pd.Series([True, True, None, False, False], dtype="boolean")
    context = answers.context(predictions, answers.expressions)
    context["relation"] = answers.relations(predictions, context)
    ranks = RegionRanks(folder, folder / "regions.h5", folder / "predictions.parquet", 0.5)
    return mention_values(ranks.of(answers.mentions_of(answers.expressions)), context)


def test_recall_counts_boxed_mentions_by_the_rank_of_their_first_correct_region(world):
    recall = scored(world)["recall"]
    assert recall.n == 5 and recall.upper_bound == 80  # no region covers the ball
    assert (recall.r_at_1, recall.r_at_5, recall.r_at_10) == (20, 40, 60)  # the mention without a node is wrong
    assert recall.r_at_1_interval[0] <= 20 <= recall.r_at_1_interval[1]


def test_recall_and_context_are_also_given_by_type_and_by_relation(world):
    found = scored(world)
    by_type = {name: (one.n, one.r_at_1, one.r_at_5, one.r_at_10) for name, one in found["recall_by_type"].items()}
    assert by_type == {
        "people": (1, 100, 100, 100),
        "clothing": (1, 0, 100, 100),
        "animals": (1, 0, 0, 100),
        "other": (1, 0, 0, 0),
    }
    shares = {name: {key: (one.n, one.accuracy) for key, one in found[name].items()}
              for name in ("context_by_relation", "context_by_type")}  # fmt: skip
    assert shares == {
        "context_by_relation": {"in": (1, 100), "beside": (1, 0)},
        "context_by_type": {"clothing": (1, 100), "other": (1, 0)},
    }


def test_mentions_without_a_node_or_against_their_expression_are_counted_and_logged(world, caplog):
    found = scored(world)
    assert (found["unmatched_mentions"], found["contradicting_mentions"]) == (1, 1)
    with caplog.at_level(logging.INFO):
        log_mismatches("test", found)
    assert "of 5 mentions, 1 match no node" in caplog.text and "1 contradict" in caplog.text
    whole = Split(n=2, accuracy=50, oracle_recall=100, mean_regions=12, **found)
    assert Split.model_validate(json.loads(json.dumps(whole.model_dump())), strict=True) == whole


def test_a_dataset_without_types_or_without_mentions_has_none_in_its_metrics(world):
    columns = list(zip(*[row[:-1] for row in MENTIONS], strict=True))
    untyped = dict(zip(tables.MENTIONS.names, columns, strict=True))
    write_table(world / "mentions.parquet", untyped, tables.MENTIONS)
    found = scored(world)
    assert found["recall"].n == 5 and found["recall_by_type"] == found["context_by_type"] == {}
    write_table(world / "mentions.parquet", tables.MENTIONS.empty_table(), tables.MENTIONS)
    assert scored(world) == {}


def test_predictions_of_other_regions_are_refused(world):
    write_regions(world, REGIONS[:5])
    with pytest.raises(UserError, match=r"predictions.parquet: image 5 has 5 regions; predict again"):
        scored(world)


@pytest.mark.parametrize(
    ("marginal", "correct", "rank"),
    [([0.1, 0.6, 0.3], [2], 2), ([0.5, 0.5], [0], 1), ([0.5, 0.5], [1], 2), ([0.2, 0.3, 0.5], [0, 1], 2)],
)
def test_the_first_of_equally_probable_regions_ranks_first(marginal, correct, rank):
    assert first_correct(np.array(marginal), np.isin(np.arange(len(marginal)), correct)) == rank


def test_the_relation_of_a_node_is_on_its_way_to_the_referent():
    """A chain 2 → 0 → 1 ← 3 with the referent 1, and a node 4 beside it that no edge joins."""
    nodes = pd.DataFrame({"expression_id": 1, "node": range(5)})
    edges = pd.DataFrame({"expression_id": 1, "subject": [2, 0, 3], "object": [0, 1, 1], "relation": ["a", "b", "c"]})
    found = parent_relations(nodes, edges, nodes[nodes["node"] == 1])
    assert found.dropna().droplevel("expression_id").to_dict() == {0: "b", 2: "a", 3: "c"}
