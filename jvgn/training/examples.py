"""A dataset as a model learns from it: the expressions of each image, its regions, and the right regions.

Shape suffixes: K nodes, N regions of an image, S expressions, G labelled nodes, M nodes with a gold object,
B boxes of an object.
"""

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import torch
from torch.utils.data import DataLoader, Dataset

from jvgn.batches import Batch, RuleLogits, make_batch
from jvgn.correctness import Correctness, overlap, paired_overlap
from jvgn.datasets import tables
from jvgn.factor_graph import FactorGraphs, Forest, Words, read_factor_graphs, with_phrases
from jvgn.regions.hdf5_store import Regions, RegionStore
from jvgn.settings.run import RunSettings
from jvgn.storage.parquet import read_table, write_table
from jvgn.storage.processes import ignore_signals
from jvgn.vocabulary.words import Vocabulary
from parsers.errors import BrokenFile, UserError

REMEMBERED_BYTES = 2**30
"""Regions are kept in memory up to this size; a larger file is read again for every batch."""

AHEAD = 2
"""Batches that each worker prepares ahead."""
MOST_WORKERS = 4

Group = dict[int, np.ndarray]
"""The rows of some images' expressions, by image."""

Supervise = Literal["referent", "phrases", "all"]

KINDS = ("unary", "pairwise")
RULE_LOGITS = pa.schema([("expression_id", pa.int64()), *((kind, pa.list_(pa.float32())) for kind in KINDS)])

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SoftLabel:
    """The training target p* of eq. (19), from the overlap of detected regions with the gold box.

    As printed, p* is nearly uniform. The default, as in earlier work (DDPN, NMTree), is the IoU where it reaches η,
    else zero, normalised.
    """

    kind: Literal["normalised", "printed"] = "normalised"
    threshold: float = 0.5
    """η."""

    def target(self, overlap_N: np.ndarray) -> np.ndarray:
        """Return (N,): sums to one, or to zero if no region overlaps enough."""
        if self.kind == "printed":
            weight_N = np.exp(np.maximum(0.0, overlap_N - self.threshold))
        else:
            weight_N = np.where(overlap_N >= self.threshold, overlap_N, 0.0)
        total = weight_N.sum()
        return weight_N / total if total > 0 else weight_N


class Examples:
    """A dataset with its regions, its factor graphs and its gold boxes."""

    def __init__(
        self,
        dataset: Path,
        store: RegionStore,
        graphs: FactorGraphs,
        label: SoftLabel = SoftLabel(),
        iou_threshold: float = 0.5,
        words: Words = "sentence",
        supervise: Supervise = "referent",
        rules: Path | None = None,
    ) -> None:
        path = dataset / "expressions.parquet"
        expressions = tables.read_expressions(path)
        images, objects = (
            tables.read_images(dataset / "images.parquet"),
            tables.read_objects(dataset / "objects.parquet"),
        )
        tables.check_known(path, expressions, images, "image_id")
        tables.check_known(path, expressions, objects, "object_id")
        self.expressions, images = expressions.to_pandas(), images.to_pandas()
        missing = np.setdiff1d(images["image_id"], [*store.image_ids, *store.skipped_images])
        if len(missing):
            raise UserError(f"{store.path}: image {missing[0]} of {dataset} has no regions; extract them again")
        if not store.counts.all():
            bare = store.image_ids[store.counts == 0][0]
            raise UserError(f"{store.path}: image {bare} has no region; extract them again")
        self.dataset, self.store, self.graphs = dataset, store, graphs
        self.words, self.supervise, self.gold = words, supervise, GoldObjects(dataset)
        self.label, self.correctness = label, Correctness(store.setting, iou_threshold)
        self.size_of_image = {row.image_id: (row.width, row.height) for row in images.itertuples()}
        self.boxes_of_object = dict(zip(objects["object_id"].to_pylist(), tables.gold_boxes(objects), strict=True))
        self.object_S = self.expressions["object_id"].to_numpy()
        self.is_train_S = (self.expressions["split"] == "train").to_numpy()
        self.remembers = store.feature_bytes <= REMEMBERED_BYTES
        counts = pd.Series(store.counts, store.image_ids)
        region_count_S = counts.reindex(self.expressions["image_id"], fill_value=0).to_numpy()
        id_S = self.expressions["expression_id"].to_numpy()
        self.rules = None if rules is None else RuleTable(rules, id_S, graphs, region_count_S)
        self._regions: dict[int, Regions] = {}
        self._targets: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def rows_by_image(self, split: str) -> dict[int, np.ndarray]:
        """Return the rows of a split's expressions by image; images that extraction skipped are left out."""
        has_regions_S = self.expressions["image_id"].isin(self.store.image_ids)
        chosen = np.flatnonzero((self.expressions["split"] == split) & has_regions_S)
        groups = pd.Series(chosen, index=self.expressions["image_id"].to_numpy()[chosen]).groupby(level=0)
        return {int(image_id): rows.to_numpy() for image_id, rows in groups}

    def batches(self, split: str, images_per_batch: int) -> Iterator[Batch]:
        """Yield the batches of a split in order, each image once."""
        rows = self.rows_by_image(split)
        for image_ids in batched(list(rows), images_per_batch):
            yield self.batch({image_id: rows[image_id] for image_id in image_ids})

    def batch(self, rows_by_image: dict[int, np.ndarray]) -> Batch:
        image_ids = list(rows_by_image)
        row_S = np.concatenate([rows_by_image[image_id] for image_id in image_ids])
        image_S = np.repeat(np.arange(len(image_ids)), [len(rows_by_image[image_id]) for image_id in image_ids])
        regions = [self.regions(image_id) for image_id in image_ids]
        forest = self.graphs.forest(row_S, self.words)
        labelled_G, gold_G, right_S = forest.referent_S, self.object_S[row_S], self.object_S[row_S]
        if self.supervise != "referent" and self.is_train_S[row_S].all():
            forest, labelled_G, gold_G = self.with_mentions(forest, row_S)
        image_G = image_S[forest.expression_K[labelled_G]]
        targets = [self.target(gold, regions[image])[0] for gold, image in zip(gold_G, image_G, strict=True)]
        return make_batch(
            forest=forest,
            row_S=row_S,
            image_S=image_S,
            regions=regions,
            sizes=[self.size_of_image[image_id] for image_id in image_ids],
            labelled_G=labelled_G,
            targets=targets,
            right=[self.target(gold, regions[image])[1] for gold, image in zip(right_S, image_S, strict=True)],
            rules=[] if self.rules is None else list(map(self.rules.read, row_S.tolist())),
        )

    def with_mentions(self, forest: Forest, row_S: np.ndarray) -> tuple[Forest, np.ndarray, np.ndarray]:
        """Return the forest, its labelled nodes and their gold objects, as `supervise` asks for."""
        id_K = self.expressions["expression_id"].to_numpy()[row_S][forest.expression_K]
        gold_K = self.gold.find(id_K, forest.head_token_K)
        gold_K[forest.referent_S] = self.object_S[row_S]
        (node_M,) = np.nonzero(gold_K >= 0)
        if self.supervise == "all":
            return forest, node_M, gold_K[node_M]
        twin_M = len(forest.expression_K) + np.arange(len(node_M))
        labelled_G = np.concatenate([forest.referent_S, twin_M])
        return with_phrases(forest, node_M), labelled_G, np.concatenate([self.object_S[row_S], gold_K[node_M]])

    def guess(self, rows_by_image: Group) -> tuple[float, float]:
        """Return the expected accuracy (percent) and the mean loss of equally probable regions."""
        right, losses = [], []
        for image_id, row_S in rows_by_image.items():
            for gold in self.object_S[row_S].tolist():
                target_N, right_N = self.target(gold, self.regions(image_id))
                right.append(right_N.mean())
                if target_N.any():
                    inside = target_N[target_N > 0]
                    losses.append((inside * np.log(inside * len(target_N))).sum())
        return 100 * float(np.mean(right)), float(np.mean(losses)) if losses else 0.0

    def regions(self, image_id: int) -> Regions:
        if image_id in self._regions:
            return self._regions[image_id]
        regions = self.store.read(image_id)
        if self.remembers:
            self._regions[image_id] = regions
        return regions

    def compare(self, gold_K: np.ndarray, object_K: np.ndarray, box_K4: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return each box's IoU with its gold object's, and whether it is right; with a gold of −1 it never is."""
        nowhere = np.zeros_like(next(iter(self.boxes_of_object.values())))
        gold_KB4 = np.stack([self.boxes_of_object.get(object_id, nowhere) for object_id in gold_K.tolist()])
        return paired_overlap(box_K4, gold_KB4), self.correctness.of_pairs(box_K4, object_K, gold_KB4, gold_K)

    def target(self, gold: int, regions: Regions) -> tuple[np.ndarray, np.ndarray]:
        """Return the training target of a gold object over the regions of its image, and which of them are right."""
        if gold not in self._targets:
            gold_1B4 = self.boxes_of_object[gold][None]
            right_N = self.correctness.of_all(regions.box, regions.object_id, gold_1B4, np.array([gold]))[:, 0]
            if self.correctness.setting == "gt":
                target_N = right_N.astype(np.float32)  # one-hot: eq. (18)
            else:
                target_N = self.label.target(overlap(regions.box, gold_1B4)[:, 0])
            self._targets[gold] = (target_N, right_N)
        return self._targets[gold]


class GoldObjects:
    """The object that a word of an expression denotes, where the dataset says so."""

    def __init__(self, dataset: Path) -> None:
        mentions = tables.read_mentions(dataset / "mentions.parquet").to_pandas()
        self.by_word = mentions.set_index(["expression_id", "head_token"])["object_id"]

    def find(self, expression_id_K: np.ndarray, head_token_K: np.ndarray) -> np.ndarray:
        """Return the object ids; −1 where the dataset names no object."""
        words = pd.MultiIndex.from_arrays([expression_id_K, head_token_K])
        return self.by_word.reindex(words, fill_value=-1).to_numpy(copy=True)


def batched(items: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (items[start : start + size] for start in range(0, len(items), size))


class RuleTable:
    """The log-potentials by rules of every expression, `rules.parquet`; see docs/rules.md.

    One row an expression, in their order: expression_id int64; unary list<float32>, the logit of each region for each
    node, node after node; pairwise list<float32>, that of each pair of regions for each edge, edge after edge, by the
    region of its subject. "Not found" is no region here. Both lists are empty if the image has no regions.
    """

    def __init__(self, path: Path, id_S: np.ndarray, graphs: FactorGraphs, regions_S: np.ndarray) -> None:
        """`regions_S` is the number of regions of each expression's image."""
        table = read_table(path, RULE_LOGITS)
        sizes = {
            "unary": np.diff(graphs.node_start_S1) * regions_S,
            "pairwise": np.diff(graphs.edge_start_S1) * regions_S**2,
        }
        if not np.array_equal(table["expression_id"].to_numpy(), id_S) or not all(
            np.array_equal(pc.list_value_length(table[kind]).to_numpy(), sizes[kind]) for kind in KINDS
        ):
            raise BrokenFile(path, "made from other expressions, regions or graphs", tables.MISMATCH)
        self.unary, self.pairwise = (table[kind].combine_chunks() for kind in KINDS)
        self.regions_S = regions_S

    def read(self, row: int) -> RuleLogits:
        """Return the log-potentials of the expression in this row of the dataset's table."""
        unary, pairwise = (lists[row].values.to_numpy() for lists in (self.unary, self.pairwise))
        count = self.regions_S[row]
        return RuleLogits(unary.reshape(-1, count), pairwise.reshape(-1, count, count))


def write_rule_table(path: Path, id_S: np.ndarray, logits: Sequence[RuleLogits]) -> None:
    columns = {
        "expression_id": id_S,
        "unary": [one.unary_KN.ravel() for one in logits],
        "pairwise": [one.pairwise_ENN.ravel() for one in logits],
    }
    write_table(path, columns, RULE_LOGITS)


@dataclass(frozen=True)
class Inputs:
    """The files that a run is trained and evaluated on."""

    dataset: Path
    """The folder of the dataset's tables."""
    regions: Path
    nodes: Path
    edges: Path
    words: Path
    vectors: Path
    rules: Path | None = None
    """The log-potentials of the rules, for a run that adds them to the network's."""

    def files(self) -> list[Path]:
        dataset = [self.dataset / f"{name}.parquet" for name in ("images", "objects", "expressions", "mentions")]
        rules = [] if self.rules is None else [self.rules]
        return [*dataset, self.regions, self.nodes, self.edges, self.words, self.vectors, *rules]

    def examples(self, settings: RunSettings, iou_threshold: float = 0.5) -> Examples:
        if settings.potentials == "both" and self.rules is None:
            raise UserError("--rules: missing, but the run has `potentials: both`; give the table of jvgn weigh-rules")
        log.info("reading %s with its regions and graphs", self.dataset)
        graphs = read_factor_graphs(
            self.dataset / "expressions.parquet", self.nodes, self.edges, Vocabulary.read(self.words), settings.referent
        )
        training = settings.training
        return Examples(
            self.dataset,
            RegionStore(self.regions),
            graphs,
            SoftLabel(training.soft_label, training.iou_threshold),
            iou_threshold,
            settings.model.words,
            training.supervise,
            self.rules if settings.potentials == "both" else None,
        )


class Groups(Dataset):
    """The batch of each group."""

    def __init__(self, examples: Examples, groups: Sequence[Group]) -> None:
        self.examples, self.groups = examples, groups

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, index: int) -> Batch | None:
        return self.examples.batch(self.groups[index]) if self.groups[index] else None


def loaded(examples: Examples, groups: Sequence[Group], workers: int, device: torch.device) -> Iterator[Batch | None]:
    """Yield the batch of each group on the device, in order; None for a group without images."""
    batches: Iterable[Batch | None]
    if not workers:
        batches = map(Groups(examples, groups).__getitem__, range(len(groups)))
    else:
        batches = DataLoader(
            Groups(examples, groups),
            batch_size=None,
            num_workers=workers,
            prefetch_factor=AHEAD,
            pin_memory=device.type == "cuda",
            worker_init_fn=ignore_signals,
            generator=torch.Generator(),  # its own, because dropout's must not depend on the number of workers
        )
    for batch in batches:
        yield None if batch is None else batch.to(device)


def workers_for(examples: Examples, threads: int) -> int:
    """Return 0 if all regions stay in memory, else as many workers as leave a thread to the model."""
    return 0 if examples.remembers else min(MOST_WORKERS, max(1, threads - 1))
