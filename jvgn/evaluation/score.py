"""What predictions are worth, and what the numbers depend on."""

import logging
import platform
from dataclasses import asdict, dataclass, fields
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from jvgn.datasets import tables
from jvgn.detector.leakage_proof import read_verdict
from jvgn.evaluation.metrics import write_metrics
from jvgn.evaluation.predictions import WAYS, read_predictions
from jvgn.evaluation.supporting import SupportingObjects
from jvgn.graphs.tables import read_edges, read_nodes
from jvgn.regions.recall import coverage
from jvgn.settings.run import RunSettings
from jvgn.storage.files import sha256
from parsers.errors import BrokenFile

log = logging.getLogger(__name__)

PACKAGES = ("h5py", "numpy", "pandas", "pyarrow", "safetensors", "torch", "torchvision")

CALIBRATION_BINS = 15
"""Of equal width, as the measure is usually given."""


@dataclass(frozen=True)
class RunName:
    dataset: str
    setting: str
    run: str


@dataclass(frozen=True)
class Scored:
    """The files a score depends on."""

    dataset: Path
    regions: Path
    nodes: Path
    edges: Path
    words: Path
    vectors: Path
    model: Path
    settings: Path
    proof: Path
    predictions: Path
    supporting: Path | None = None
    """Annotations of supporting objects that the user brought."""


def score(files: Scored, name: RunName, right_above: float, metrics: Path) -> None:
    """`metrics` says how good the predictions are."""
    log.info("reading %s and %s", files.dataset, files.predictions)  # of a large one, that takes a while
    answers = Answers(files.dataset, files.nodes, files.edges)
    predictions = read_predictions(files.predictions, answers.evaluated).to_pandas()
    table = answers.table(predictions)
    table = table.join(coverage(files.dataset, files.regions, table["image_id"], right_above), on="expression_id")
    unanswered = table[table["skipped"] & (table["regions"] > 0)]
    if len(unanswered):
        first = unanswered["expression_id"].iloc[0]
        raise BrokenFile(files.predictions, f"holds no referent of expression {first}, whose image has regions")
    objects = SupportingObjects(files.dataset, files.regions, files.supporting, right_above)
    splits = {}
    for split, rows in table.groupby("split"):
        splits[split] = split_metrics(rows, answers.context(predictions, rows))
        splits[split] |= objects.shares(predictions, "region", rows["expression_id"])
    for way in tqdm(WAYS, unit=" decodings", disable=None):
        decoded = predictions.assign(correct=predictions[f"{way}_correct"])
        for split, rows in answers.table(decoded).groupby("split"):
            found = shares(rows["correct"], answers.context(decoded, rows))
            found |= objects.shares(predictions, f"{way}_region", rows["expression_id"])
            splits[split].setdefault("by_decoding", {})[way] = found
    write_metrics(metrics, {**asdict(name), "splits": splits, "provenance": provenance(files)})


class Answers:
    """What is known about a dataset's expressions, to hold predictions against."""

    def __init__(self, dataset: Path, nodes: Path, edges: Path) -> None:
        expressions, node_table = tables.read_expressions(dataset / "expressions.parquet"), read_nodes(nodes)
        tables.check_rows(nodes, node_table, expressions["expression_id"].to_numpy())
        tables.check_referents(nodes, node_table, expressions["expression_id"].to_numpy())
        self.expressions, self.nodes = expressions.to_pandas(), node_table.to_pandas()
        mentions = tables.read_mentions(dataset / "mentions.parquet").to_pandas()
        self.context_mentions = mentions[~mentions["is_referent"]]
        self.edges = read_edges(edges).to_pandas()

    @property
    def evaluated(self) -> np.ndarray:
        """The ids of the expressions outside train."""
        return tables.evaluated(self.expressions)["expression_id"].to_numpy()

    def table(self, predictions: pd.DataFrame) -> pd.DataFrame:
        """One row an expression outside train: whether its referent was found, and how large its graph is.

        Without predictions, its image having been left out of the regions, it is `skipped`, and not found.
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

    def context(self, predictions: pd.DataFrame, expressions: pd.DataFrame) -> pd.Series:
        """For each gold context mention of the expressions: whether a node stands for it and is grounded right."""
        mentions = self.context_mentions[self.context_mentions["expression_id"].isin(expressions["expression_id"])]
        others = predictions.loc[~predictions["is_referent"], ["expression_id", "node", "correct"]]
        heads = self.nodes[["expression_id", "node", "head_token"]]
        others = others.merge(heads, on=["expression_id", "node"])
        found = mentions.merge(others, on=["expression_id", "head_token"], how="left")["correct"]
        return found.astype("boolean").fillna(False).astype(bool)


def split_metrics(rows: pd.DataFrame, context: pd.Series) -> dict[str, Any]:
    answered = rows[~rows["skipped"]]
    metrics: dict[str, Any] = {
        "n": len(rows),
        **shares(rows["correct"], context),
        "oracle_recall": percent(rows["covered"]),
        "mean_regions": round(float(rows.groupby("image_id")["regions"].first().mean()), 4),
    }
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


def shares(referents: pd.Series, context: pd.Series) -> dict[str, Any]:
    """The accuracy on referents and, where there is gold for it, on their context."""
    found = {"accuracy": percent(referents)}
    return found | {"context_accuracy": percent(context)} if len(context) else found


def calibration_error(confidence_S: np.ndarray, correct_S: np.ndarray) -> float:
    """The expected calibration error in percent: by how much confidence and accuracy differ, bin by bin."""
    bin_S = np.minimum((confidence_S * CALIBRATION_BINS).astype(int), CALIBRATION_BINS - 1)
    gap_B = np.bincount(bin_S, weights=confidence_S - correct_S, minlength=CALIBRATION_BINS)
    return round(100 * float(np.abs(gap_B).sum()) / len(confidence_S), 4)


def percent(hits: pd.Series) -> float:
    return round(100 * float(hits.mean()), 4)


def provenance(files: Scored) -> dict[str, Any]:
    tables_of_dataset = {name: files.dataset / f"{name}.parquet" for name in ("expressions", "objects", "mentions")}
    hashed = tables_of_dataset | {
        name: path
        for field in fields(files)
        if (name := field.name) != "dataset" and (path := getattr(files, name)) is not None
    }
    return {
        "sha256": {name: hash_of(path) for name, path in hashed.items()},
        "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in PACKAGES},
        "seed": RunSettings.read(files.settings).training.seed,
        "detector_proof": read_verdict(files.proof),
    }


def hash_of(path: Path) -> str:
    """The SHA-256 of a file that may not have been read yet, so that what is wrong with it is said here."""
    try:
        return sha256(path)
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file", "make it with the workflow") from error
    except OSError as error:
        raise BrokenFile(path, f"cannot be read ({error.strerror})") from error
