"""Compare predictions with gold, and record what the numbers depend on."""

import logging
import platform
from dataclasses import dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from jvgn.correctness import Correctness
from jvgn.datasets import tables
from jvgn.detector.provenance import read_verdict
from jvgn.evaluation.mention_scores import (
    NODE,
    RegionRanks,
    log_mismatches,
    mention_values,
    parent_relations,
    read_matched,
)
from jvgn.evaluation.metrics import (
    ImageBootstrap,
    Metrics,
    MetricsProvenance,
    Shares,
    Split,
    Supporting,
    calibration_error,
    percent,
    write_metrics,
)
from jvgn.evaluation.predictions import ground_context, read_predictions, ways_of
from jvgn.graphs.tables import read_edges, read_nodes
from jvgn.regions.hdf5_store import RegionStore
from jvgn.regions.recall import coverage
from jvgn.settings.run import RunSettings
from jvgn.storage.files import reading, sha256
from parsers.errors import BrokenFile, UserError

log = logging.getLogger(__name__)

PACKAGES = ("h5py", "numpy", "pandas", "pyarrow", "safetensors", "torch", "torchvision")
SUPPORTING = ["expression_id", "object_id"]
"""Columns of a user's file of supporting objects."""


@dataclass(frozen=True)
class RunName:
    """The dataset, the setting and the name of a run."""

    dataset: str
    setting: str
    run: str


@dataclass(frozen=True)
class Scored:
    """The files that a score depends on."""

    dataset: Path
    regions: Path
    nodes: Path
    edges: Path
    words: Path
    vectors: Path
    settings: Path
    proof: Path
    predictions: Path
    model: Path | None = None
    """None if rules made the predictions."""
    supporting: Path | None = None
    """Annotations of supporting objects that the user brought."""


def score(files: Scored, name: RunName, iou_threshold: float, metrics: Path) -> None:
    """Write `metrics`, which says how good the predictions are."""
    log.info("reading %s and %s", files.dataset, files.predictions)  # takes a while for a large dataset
    answers = Answers(files.dataset, files.nodes, files.edges)
    predictions = read_predictions(files.predictions, answers.evaluated).to_pandas()
    table = answers.table(predictions)
    table = table.join(coverage(files.dataset, files.regions, table["image_id"], iou_threshold), on="expression_id")
    unanswered = table[table["skipped"] & (table["regions"] > 0)]
    if len(unanswered):
        first = unanswered["expression_id"].iloc[0]
        raise BrokenFile(files.predictions, f"has no referent of expression {first}, whose image has regions")
    objects = SupportingObjects(files.dataset, files.regions, files.supporting, iou_threshold)
    ways = by_decoding(answers, predictions, objects)
    ranks = RegionRanks(files.dataset, files.regions, files.predictions, iou_threshold)
    splits = {}
    for split, rows in table.groupby("split"):
        context = answers.context(predictions, rows)
        related = context.assign(relation=answers.relations(predictions, context))
        mentions = answers.mentions_of(rows)
        about_mentions = mention_values(ranks.of(mentions), related) if ground_context(predictions) else {}
        log_mismatches(split, about_mentions)
        splits[str(split)] = Split(
            **split_values(rows, context),
            **about_mentions,
            supporting=objects.shares(predictions, "region", rows["expression_id"]),
            by_decoding=ways[str(split)],
        )
    write_metrics(metrics, Metrics(**vars(name), splits=splits, provenance=provenance(files)))


def by_decoding(
    answers: "Answers", predictions: pd.DataFrame, objects: "SupportingObjects | None" = None
) -> dict[str, dict[str, Shares]]:
    """Return the shares of each split and way to decode, with the supporting objects if given."""
    found: dict[str, dict[str, Shares]] = {}
    for way in tqdm(ways_of(predictions), unit=" decodings", disable=None):
        decoded = predictions.assign(correct=predictions[f"{way}_correct"])
        for split, rows in answers.table(decoded).groupby("split"):
            supporting = objects and objects.shares(predictions, f"{way}_region", rows["expression_id"])
            values = shares(rows, answers.context(decoded, rows))
            found.setdefault(str(split), {})[way] = Shares(**values, supporting=supporting)
    return found


class Answers:
    """The gold of a dataset's expressions and the sizes of their graphs, to compare predictions with."""

    def __init__(self, dataset: Path, nodes: Path, edges: Path) -> None:
        expressions, node_table = tables.read_expressions(dataset / "expressions.parquet"), read_nodes(nodes)
        tables.check_rows(nodes, node_table, expressions["expression_id"].to_numpy())
        tables.check_referents(nodes, node_table, expressions["expression_id"].to_numpy())
        self.expressions, self.nodes = expressions.to_pandas(), node_table.to_pandas()
        self.mentions = read_matched(dataset, self.expressions, self.nodes)
        self.edges = read_edges(edges).to_pandas()

    @property
    def evaluated(self) -> np.ndarray:
        """Ids of the expressions outside train."""
        return tables.evaluated(self.expressions)["expression_id"].to_numpy()

    def table(self, predictions: pd.DataFrame) -> pd.DataFrame:
        """Return a row for each expression outside train: whether its referent was found, and the size of its graph.

        An expression without predictions, because its image has no regions, is `skipped` and counts as not found.
        """
        referents = predictions[predictions["is_referent"]].set_index("expression_id")
        evaluated = tables.evaluated(self.expressions).set_index("expression_id")
        skipped = evaluated.index.difference(referents.index)
        table = evaluated.loc[[*referents.index, *skipped], ["image_id", "split"]]
        table["correct"] = referents["correct"].astype(bool).reindex(table.index, fill_value=False)
        table["marginal"] = referents["marginal"].reindex(table.index)
        table["skipped"] = table.index.isin(skipped)
        table["nodes"] = self.nodes.groupby("expression_id").size().reindex(table.index)
        table["edges"] = self.edges.groupby("expression_id").size().reindex(table.index, fill_value=0)
        return table.reset_index()

    def mentions_of(self, expressions: pd.DataFrame) -> pd.DataFrame:
        """Return the gold mentions of the expressions."""
        return self.mentions[self.mentions["expression_id"].isin(expressions["expression_id"])]

    def context(self, predictions: pd.DataFrame, expressions: pd.DataFrame) -> pd.DataFrame:
        """Return the gold mentions of the expressions beside their referents, and whether each is found.

        It is found if its node is grounded correctly; a mention without a node, or with one that the model does not
        ground, counts as wrong. A model that grounds referents only is not asked.
        """
        mentions = self.mentions_of(expressions)
        mentions = mentions[~mentions["is_referent"] & ground_context(predictions)]
        others = predictions[~predictions["is_referent"]].set_index(NODE)["correct"]
        found = others.reindex(pd.MultiIndex.from_frame(mentions[NODE]))
        return mentions.assign(correct=found.astype("boolean").fillna(False).to_numpy(bool))

    def relations(self, predictions: pd.DataFrame, mentions: pd.DataFrame) -> np.ndarray:
        """Return for each mention the relation that joins its node to its parent, None if there is none."""
        nodes, edges, referents = (
            table[table["expression_id"].isin(mentions["expression_id"])]
            for table in (self.nodes, self.edges, predictions[predictions["is_referent"]])
        )
        relations = parent_relations(nodes, edges, referents)
        return relations.reindex(pd.MultiIndex.from_frame(mentions[NODE])).to_numpy()


class SupportingObjects:
    """The objects that a dataset's expressions mention beside their referents, to compare groundings with.

    They are measured as GroundNet's authors do (Cirik et al., 2018). One is found if some node other than the
    referent's is grounded in it, whatever the words of that node. Among the expressions that have supporting objects,
    `all` is the share of those whose objects were all found, `at_least_one` of those with at least one found.
    """

    def __init__(self, dataset: Path, regions: Path, annotations: Path | None, iou_threshold: float) -> None:
        expressions = tables.read_expressions(dataset / "expressions.parquet").to_pandas()
        self.table = tables.read_objects(dataset / "objects.parquet")
        objects = self.table.to_pandas()
        mentions = tables.read_mentions(dataset / "mentions.parquet").to_pandas()
        known = mentions[SUPPORTING] if annotations is None else read_annotations(annotations, expressions, objects)
        referent = expressions[["expression_id", "image_id", "object_id"]].rename(columns={"object_id": "referent"})
        known = known.drop_duplicates().merge(referent, on="expression_id")
        known = known[known["object_id"] != known["referent"]]
        self.objects = known[known["object_id"].isin(objects["object_id"])]
        self.store = RegionStore(regions)
        self.correctness = Correctness(self.store.setting, iou_threshold)

    def shares(self, predictions: pd.DataFrame, region: str, expressions: pd.Series) -> Supporting | None:
        """Return the shares found among these expressions, None if none has any; `region` names the column."""
        objects = self.objects[self.objects["expression_id"].isin(expressions)].reset_index(drop=True)
        if objects.empty or not ground_context(predictions):
            return None
        context = predictions.loc[~predictions["is_referent"], ["expression_id", region]]
        found = self.are_found(objects, context.rename(columns={region: "region"}))
        by_expression = found.groupby(objects["expression_id"])
        return Supporting(
            n=by_expression.ngroups, all=percent(by_expression.all()), at_least_one=percent(by_expression.any())
        )

    def are_found(self, objects: pd.DataFrame, context: pd.DataFrame) -> pd.Series:
        """Return for each object whether a node of its expression is grounded in it."""
        pairs = objects.reset_index(names="row").merge(context, on="expression_id")
        is_found_P = np.zeros(len(pairs), dtype=bool)
        region_P, object_P = pairs["region"].to_numpy(), pairs["object_id"].to_numpy()
        gold_PB4 = tables.gold_boxes(self.table, object_P)
        for image_id, own in pairs.groupby("image_id").indices.items():
            box_N4, object_N = self.store.read_boxes(image_id)
            chosen = region_P[own]
            if chosen.max() >= len(box_N4):
                raise BrokenFile(
                    self.store.path,
                    f"image {image_id} has {len(box_N4)} regions, but predictions name region {chosen.max() + 1}",
                    "predict again",
                )
            is_found_P[own] = self.correctness.of_pairs(box_N4[chosen], object_N[chosen], gold_PB4[own], object_P[own])
        return objects.index.to_series().isin(pairs.loc[is_found_P, "row"])


def read_annotations(path: Path, expressions: pd.DataFrame, objects: pd.DataFrame) -> pd.DataFrame:
    """Return the supporting objects in a user's file (`datasets.{name}.supporting`), which the dataset must have.

    It is CSV with the columns expression_id and object_id, a row for each object that an expression mentions.
    """
    with reading(path, "CSV file", f"write whole numbers in the columns {' and '.join(SUPPORTING)}"):
        table = pd.read_csv(path, usecols=SUPPORTING, dtype=dict.fromkeys(SUPPORTING, "int64"))
    image_of_expression = expressions.set_index("expression_id")["image_id"]
    image_of_object = objects.set_index("object_id")["image_id"]
    for row in table.itertuples():
        if row.expression_id not in image_of_expression.index:
            raise UserError(f"{path}: expression {row.expression_id} is not in the dataset; give its expression_id")
        if image_of_object.get(row.object_id) != image_of_expression[row.expression_id]:
            raise UserError(
                f"{path}: object {row.object_id} is not in the image of expression {row.expression_id}; "
                "give its object_id"
            )
    return table[SUPPORTING]


def split_values(rows: pd.DataFrame, context: pd.DataFrame) -> dict[str, Any]:
    answered = rows[~rows["skipped"]]
    metrics: dict[str, Any] = {
        "n": len(rows),
        **shares(rows, context),
        "oracle_recall": percent(rows["covered"]),
        "mean_regions": round(float(rows.groupby("image_id")["regions"].first().mean()), 4),
    }
    if len(context):
        metrics["context_n"] = len(context)
    if len(answered):
        metrics["calibration_error"] = calibration_error(
            answered["marginal"].to_numpy(), answered["correct"].to_numpy()
        )
    if rows["skipped"].any():
        metrics["skipped"] = int(rows["skipped"].sum())
    for size in ("nodes", "edges"):
        groups = rows.groupby(size)["correct"]
        metrics[f"accuracy_by_{size}"] = {str(number): percent(group) for number, group in groups}
    return metrics


def shares(referents: pd.DataFrame, context: pd.DataFrame) -> dict[str, Any]:
    """Return the accuracy on referents and, where there is gold, on their context, each with its interval."""
    found: dict[str, Any] = {}
    for name, rows in (("accuracy", referents), ("context_accuracy", context)):
        if len(rows):
            bootstrap = ImageBootstrap(rows["image_id"].to_numpy())
            found |= {
                name: percent(rows["correct"]),
                f"{name}_interval": bootstrap.interval(rows["correct"].to_numpy()),
            }
    return found


def provenance(files: Scored) -> MetricsProvenance:
    tables_of_dataset = {name: files.dataset / f"{name}.parquet" for name in ("expressions", "objects", "mentions")}
    hashed = tables_of_dataset | {
        name: path
        for field in fields(files)
        if (name := field.name) != "dataset" and (path := getattr(files, name)) is not None
    }
    return MetricsProvenance(
        sha256={name: hash_of(path) for name, path in hashed.items()},
        versions={"python": platform.python_version()} | {name: metadata.version(name) for name in PACKAGES},
        seed=RunSettings.read(files.settings).training.seed,
        detector_proof=read_verdict(files.proof),
    )


def hash_of(path: Path) -> str:
    with reading(path, "file"):
        return sha256(path)
