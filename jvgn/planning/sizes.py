"""Sizes of datasets: counted in their tables if these exist, else as published."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow.compute as pc

from jvgn import layout
from jvgn.datasets import tables
from jvgn.settings.base import Frozen
from jvgn.settings.built_in_sources import BUILT_IN_SOURCES
from jvgn.settings.configuration import Configuration
from jvgn.settings.dataset import DatasetSettings
from jvgn.settings.world import WorldSettings
from jvgn.shapes.scenes import SHAPES
from jvgn.storage.files import check_counts, reading
from parsers.errors import UserError

COCO_CLASSES = 80
COCO_IMAGES = {
    "resources/coco/annotations/instances_train2014.json": 82_783,
    "resources/coco/annotations/instances_val2014.json": 40_504,
}
"""Images by their file of annotations."""


class Language(NamedTuple):
    """Mean counts of an expression."""

    words: float
    nodes: float
    edges: float


SHORT, LONG, DRAWN = Language(3.6, 1.5, 0.5), Language(8.4, 2.4, 1.4), Language(8.5, 2.1, 1.1)
"""Words: from the paper, or of the embedded world. Nodes and edges: of the lexical parser, measured on RefCOCOg's long
sentences and on the world's, and assumed for the short ones."""


class Published(NamedTuple):
    """The published size of a dataset."""

    objects: int
    images: int
    images_by_split: dict[str, int]
    language: Language


PUBLISHED = {
    ("resources/refcoco", "unc"): Published(
        196_771, 19_994, {"train": 16_994, "val": 1_500, "testA": 750, "testB": 750}, SHORT
    ),
    ("resources/refcoco+", "unc"): Published(
        196_737, 19_992, {"train": 16_992, "val": 1_500, "testA": 750, "testB": 750}, SHORT
    ),
    ("resources/refcocog", "umd"): Published(208_960, 25_799, {"train": 21_899, "val": 1_300, "test": 2_600}, LONG),
    ("resources/refcocog", "google"): Published(208_960, 25_799, {"train": 24_698, "val": 4_650}, LONG),
}
"""By folder and split: annotated objects and images, as reported for REFER's archives. The numbers of objects are not
checked. Google's splits share images."""
GOOGLE = {"train": 85_474, "val": 9_536}
"""Expressions of RefCOCOg's Google split; for the other splits, the built-in sources have them."""


@dataclass(frozen=True)
class DatasetSize:
    """The size of a dataset, as far as the cost of a run depends on it."""

    images: int
    objects: int
    classes: int
    images_by_split: dict[str, int]
    expressions: dict[str, int]
    """By split."""
    language: Language
    origin: str
    """How these numbers are known."""

    @property
    def all_expressions(self) -> int:
        return sum(self.expressions.values())

    @property
    def evaluated(self) -> list[str]:
        return [split for split in self.expressions if split != "train"]


def refer_place(settings: Frozen) -> tuple[str, str]:
    """Return the folder and the split of a dataset in REFER's format, or two empty strings."""
    return (settings.folder, settings.split_by) if isinstance(settings, DatasetSettings) else ("", "")


def dataset_size(configuration: Configuration, dataset: str, results: Path) -> DatasetSize:
    place, folder = refer_place(configuration.datasets[dataset]), layout.dataset_folder(dataset, results)
    published = PUBLISHED.get(place)
    language = published.language if published else DRAWN
    if all((folder / f"{name}.parquet").exists() for name in ("objects", "expressions")):
        return counted(folder, measured_language(layout.graphs_folder(dataset, "", results), language))
    if place[0] == layout.WORLD:
        return drawn(configuration.shapes)
    if published is None:
        raise UserError(
            f"the size of {dataset} is not known; read it first, then plan: "
            f"snakemake --cores 1 {folder}/expressions.parquet"
        )
    expressions = published_expressions(*place)
    return DatasetSize(
        published.images,
        published.objects,
        COCO_CLASSES,
        published.images_by_split,
        expressions,
        language,
        "published",
    )


def published_expressions(folder: str, split_by: str) -> dict[str, int]:
    if split_by == "google":
        return GOOGLE
    refs = f"{folder}/refs({split_by}).p"
    (source,) = [source for source in BUILT_IN_SOURCES.values() if refs in source.provides]
    return source.counts[split_by]


def counted(folder: Path, language: Language) -> DatasetSize:
    expressions = tables.read_expressions(folder / "expressions.parquet")
    objects = tables.read_objects(folder / "objects.parquet")
    by_split = expressions.group_by("split", use_threads=False)
    found = by_split.aggregate([("expression_id", "count"), ("image_id", "count_distinct")]).to_pylist()
    if "train" not in [split["split"] for split in found]:
        raise UserError(f"{folder}: no expression is in split train; check the splits")
    return DatasetSize(
        images=pc.count_distinct(expressions["image_id"]).as_py(),
        objects=len(objects),
        classes=pc.count_distinct(objects["category_id"]).as_py(),
        images_by_split={split["split"]: split["image_id_count_distinct"] for split in found},
        expressions={split["split"]: split["expression_id_count"] for split in found},
        language=language._replace(words=pc.mean(pc.list_value_length(expressions["tokens"])).as_py()),
        origin=f"counted in {folder}",
    )


def measured_language(graphs: Path, otherwise: Language) -> Language:
    """Return the mean nodes and edges that a parser has found in the dataset, or `otherwise` if none was run."""
    for path in sorted(graphs.glob("*/coverage.json")):
        with reading(path, "coverage.json"):
            coverage = json.loads(path.read_bytes())
            check_counts(coverage, ("nodes", "edges", "expressions"))
            nodes, edges = (coverage[name] / coverage["expressions"] for name in ("nodes", "edges"))
        return otherwise._replace(nodes=nodes, edges=edges)
    return otherwise


def drawn(world: WorldSettings) -> DatasetSize:
    """Return the size of the embedded world from its settings. An image has about 8 objects."""
    images = {split: getattr(world, split) for split in ("train", "val", "test", "adv")}
    expressions = {split: number * world.expressions_per_image for split, number in images.items()}
    expressions["adv"] = world.adv * 2 * world.pairs_per_image
    total = sum(images.values())
    return DatasetSize(total, 8 * total, len(SHAPES), images, expressions, DRAWN, "set in config.yaml")
