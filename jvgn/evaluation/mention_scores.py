"""Gold mentions: the nodes that they match, the relations that join them, and the ranks of their regions.

A mention matches the node whose head is the mention's word. Shape suffixes: M mentions, N regions, K nodes, E edges.
"""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from jvgn.correctness import Correctness
from jvgn.datasets import tables
from jvgn.evaluation.metrics import GroupShare, ImageBootstrap, RegionRecall, percent
from jvgn.evaluation.predictions import read_beliefs
from jvgn.regions.hdf5_store import RegionStore
from parsers.errors import BrokenFile

log = logging.getLogger(__name__)

NODE = ["expression_id", "node"]
NO_NODE = -1
CUTOFFS = (1, 5, 10)
RELATIONS = 20
"""Relations that are reported, the most frequent ones."""


def read_matched(dataset: Path, expressions: pd.DataFrame, nodes: pd.DataFrame) -> pd.DataFrame:
    """Return the gold mentions with their `image_id`, `split` and `node`, −1 if they match none.

    `contradicts` says that a mention is marked as the referent, but names another object than its expression.
    """
    mentions = tables.read_mentions(dataset / "mentions.parquet").to_pandas()
    heads = nodes[["expression_id", "head_token", "node"]].drop_duplicates(["expression_id", "head_token"])
    of_expression = expressions[["expression_id", "image_id", "split", "object_id"]]
    found = mentions.merge(heads, on=["expression_id", "head_token"], how="left")
    found = found.merge(of_expression.rename(columns={"object_id": "referent"}), on="expression_id")
    contradicts = found["is_referent"] & (found["object_id"] != found["referent"])
    return found.assign(node=found["node"].fillna(NO_NODE).astype("int64"), contradicts=contradicts)


def parent_relations(nodes: pd.DataFrame, edges: pd.DataFrame, referents: pd.DataFrame) -> pd.Series:
    """Return, by expression_id and node, the relation of the edge that leads to the referent.

    It is empty for the referents themselves and for nodes that are not connected with them.
    """
    index = pd.MultiIndex.from_frame(nodes[NODE])
    subject_E, object_E = (
        index.get_indexer(pd.MultiIndex.from_arrays([edges["expression_id"], edges[end]]))
        for end in ("subject", "object")
    )
    relation_E, relation_K = edges["relation"].to_numpy(object), np.full(len(nodes), None, dtype=object)
    is_reached_K = index.isin(pd.MultiIndex.from_frame(referents[NODE]))
    while True:  # one step away from the referents at a time
        is_next = False
        for near_E, far_E in ((subject_E, object_E), (object_E, subject_E)):
            step_E = is_reached_K[near_E] & ~is_reached_K[far_E]
            relation_K[far_E[step_E]] = relation_E[step_E]
            is_reached_K[far_E[step_E]] = True
            is_next = is_next or bool(step_E.any())
        if not is_next:
            return pd.Series(relation_K, index=index)


class RegionRanks:
    """Ranks the regions of mentions by the marginals of their nodes."""

    def __init__(self, dataset: Path, regions: Path, predictions: Path, iou_threshold: float) -> None:
        path, objects = dataset / "mentions.parquet", tables.read_objects(dataset / "objects.parquet")
        tables.check_known(path, tables.read_mentions(path), objects, "object_id")
        self.objects = objects
        self.store, self.predictions = RegionStore(regions), predictions
        self.correctness = Correctness(self.store.setting, iou_threshold)

    def of(self, mentions: pd.DataFrame) -> pd.DataFrame:
        """Return the mentions with `rank`, that of their first correct region from 1, and `covered`, if they have one.

        The rank is infinite where no region is correct, and where no node says which regions are probable.
        """
        beliefs = read_beliefs(self.predictions, mentions["expression_id"].unique()).set_index(NODE)
        marginal_M = beliefs["marginal_of_regions"].reindex(pd.MultiIndex.from_frame(mentions[NODE])).to_numpy()
        object_M = mentions["object_id"].to_numpy()
        gold_MB4 = tables.gold_boxes(self.objects, object_M)
        rank_M, is_covered_M = np.full(len(mentions), np.inf), np.zeros(len(mentions), dtype=bool)
        skipped = self.store.skipped_images
        for image_id, own in mentions.groupby("image_id").indices.items():
            if image_id in skipped:
                continue
            box_N4, object_N = self.store.read_boxes(image_id)
            is_correct_NM = self.correctness.of_all(box_N4, object_N, gold_MB4[own], object_M[own])
            is_covered_M[own] = is_correct_NM.any(axis=0)
            for mention, is_correct_N in zip(own, is_correct_NM.T, strict=True):
                if is_covered_M[mention] and isinstance(marginal_M[mention], np.ndarray):
                    self.check_length(image_id, marginal_M[mention], is_correct_N)
                    rank_M[mention] = first_correct(marginal_M[mention], is_correct_N)
        return mentions.assign(rank=rank_M, covered=is_covered_M)

    def check_length(self, image_id: int, marginal_N: np.ndarray, is_correct_N: np.ndarray) -> None:
        if len(marginal_N) != len(is_correct_N):
            raise BrokenFile(self.predictions, f"image {image_id} has {len(is_correct_N)} regions", "predict again")


def first_correct(marginal_N: np.ndarray, is_correct_N: np.ndarray) -> int:
    """Return the rank of the most probable correct region, from 1; of equal regions, the first one comes first."""
    return 1 + int(is_correct_N[np.argsort(-marginal_N, kind="stable")].argmax())


def mention_values(mentions: pd.DataFrame, context: pd.DataFrame) -> dict[str, Any]:
    """Return the fields of a split that gold mentions decide: none if it has no mentions.

    `mentions` are ranked; `context` are those beside the referent, with `correct` and `relation`.
    """
    if mentions.empty:
        return {}
    frequent = context["relation"].value_counts(sort=True).index[:RELATIONS]
    return {
        "recall": recall_of(mentions),
        "recall_by_type": {str(name): recall_of(rows) for name, rows in mentions.groupby("type")},
        "context_by_relation": {str(name): group_share(context[context["relation"] == name]) for name in frequent},
        "context_by_type": {str(name): group_share(rows) for name, rows in context.groupby("type")},
        "unmatched_mentions": int((mentions["node"] == NO_NODE).sum()),
        "contradicting_mentions": int(mentions["contradicts"].sum()),
    }


def recall_of(mentions: pd.DataFrame) -> RegionRecall:
    bootstrap = ImageBootstrap(mentions["image_id"].to_numpy())
    values: dict[str, Any] = {}
    hits = {f"r_at_{cutoff}": mentions["rank"] <= cutoff for cutoff in CUTOFFS} | {"upper_bound": mentions["covered"]}
    for name, hit_M in hits.items():
        values |= {name: percent(hit_M), f"{name}_interval": bootstrap.interval(hit_M.to_numpy())}
    return RegionRecall(n=len(mentions), **values)


def group_share(rows: pd.DataFrame) -> GroupShare:
    interval = ImageBootstrap(rows["image_id"].to_numpy()).interval(rows["correct"].to_numpy())
    return GroupShare(n=len(rows), accuracy=percent(rows["correct"]), interval=interval)


def log_mismatches(split: str, values: dict[str, Any]) -> None:
    """Report mentions that are scored as wrong whatever the model does, or that the dataset contradicts."""
    if values:
        log.info(
            "split %s: of %d mentions, %d match no node (head_token) and %d contradict their expression (object_id)",
            *(split, values["recall"].n, values["unmatched_mentions"], values["contradicting_mentions"]),
        )
