"""A run on a dataset: the files it needs, and the sizes that its cost depends on."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from jvgn import layout
from jvgn.datasets.tables import IMAGES
from jvgn.layout import DEFAULT_RUN, RESULTS, RunPaths
from jvgn.planning.operations import DetectorWork, ModelWork, PaddedBatch, detector_work
from jvgn.planning.sizes import (
    COCO_CLASSES,
    COCO_IMAGES,
    DatasetSize,
    dataset_size,
    refer_place,
)
from jvgn.settings.configuration import Configuration
from jvgn.settings.detector import DetectorSettings, TorchvisionSettings
from jvgn.settings.run import RunSettings
from jvgn.storage.files import check_counts, reading
from jvgn.storage.parquet import count_rows
from parsers.errors import UserError

WORDS_KNOWN = {"resources/refcoco": 2_000, "resources/refcoco+": 2_600, "resources/refcocog": 6_900, layout.WORLD: 60}
"""Approximate vocabulary sizes, as in the paper, by dataset folder."""
OTHER_WORDS = 5_000
WORD_PADDING = 2.9
"""Longest expression of a mini-batch divided by the mean: 24 words to 8.4 in samples of 470 from RefCOCOg."""
FULLEST = 2.0
"""Most regions, nodes or edges of an image in a mini-batch divided by the mean; an assumption."""
PRECOMPUTED_SIZE = 2048
"""Feature size that is assumed for precomputed features."""
COCO_FEATURE_SIZE = 1024
"""Feature size of torchvision's published detectors."""


@dataclass(frozen=True)
class Experiment:
    """A run on a dataset in one setting, as the configuration describes it."""

    configuration: Configuration
    dataset: str
    setting: str
    run_name: str = DEFAULT_RUN
    results: Path = RESULTS

    def __post_init__(self) -> None:
        if self.setting not in layout.SETTINGS:
            raise UserError(f"there is no setting {self.setting}; there are: {', '.join(layout.SETTINGS)}")
        self.configuration.check_run(self.dataset, self.run_name)

    @property
    def paths(self) -> RunPaths:
        return RunPaths(self.dataset, self.setting, self.run_name, self.results)

    @cached_property
    def run(self) -> RunSettings:
        return self.configuration.run(self.dataset, self.run_name)

    @property
    def detector(self) -> DetectorSettings:
        return self.configuration.detectors[self.run.detector]

    @property
    def detector_folder(self) -> Path:
        trained_on = self.configuration.trained_on(self.dataset, self.run.detector)
        return layout.detector_folder(trained_on, self.run.detector, self.results)

    @property
    def vector_size(self) -> int:
        return self.configuration.vocabularies[self.run.vocabulary].vector_size

    @cached_property
    def size(self) -> DatasetSize:
        return dataset_size(self.configuration, self.dataset, self.results)

    @property
    def training_set(self) -> str | None:
        """The training set of the detector, if the workflow trains it on one."""
        is_trained = self.detector.source != "precomputed" and self.detector.weights is None
        return self.configuration.training_set(self.run.detector) if is_trained else None

    @property
    def datasets(self) -> list[str]:
        """The run's own dataset, and those whose evaluation images the detector must not have seen."""
        trained_on = self.configuration.trained_on(self.dataset, self.run.detector)
        return list(dict.fromkeys([self.dataset, *self.configuration.withheld(trained_on)]))

    @property
    def resources(self) -> list[str]:
        """The files and folders that no stage writes."""
        found: list[str | None] = []
        for dataset in self.datasets:
            folder, split_by = refer_place(self.configuration.datasets[dataset])
            if folder:  # a custom dataset has been read before its size is known, so its files exist
                found += [f"{folder}/refs({split_by}).p", f"{folder}/instances.json"]
        if self.detector.source == "precomputed":
            found.append(self.detector.detections if self.setting == "det" else self.detector.objects)
        else:
            found.append(self.configuration.datasets[self.dataset].images)
            found.append(self.detector.weights or self.detector.pretrained)
        if self.training_set:
            learned_from = self.configuration.training_sets[self.training_set]
            found += [*learned_from.parts.values(), *learned_from.folders]
        found.append(self.configuration.vocabularies[self.run.vocabulary].glove)
        found += self.configuration.all_parsers[self.run.parser].files
        return [path for path in dict.fromkeys(found) if path]

    @property
    def detector_images(self) -> tuple[int, str]:
        """How many images a detector learns from, and a remark about this number."""
        if self.training_set is None:
            return self.size.images_by_split["train"], ""
        table = layout.table(self.training_set, "images", self.results)
        files = self.configuration.training_sets[self.training_set].parts.values()
        if not table.exists() and not COCO_IMAGES.keys() >= set(files):
            raise UserError(
                f"the size of {self.training_set} is not known; read it first, then plan: snakemake --cores 1 {table}"
            )
        number = count_rows(table, IMAGES) if table.exists() else sum(COCO_IMAGES[file] for file in files)
        return number, ", including the withheld ones"

    @cached_property
    def detector_work(self) -> DetectorWork:
        classes = self.size.classes if self.training_set is None else COCO_CLASSES
        if self.detector.source == "torchvision":
            return detector_work(self.detector, classes)
        # detectron2's C4 network has the same layers. For torchvision-coco's pyramid this is a guess, not measured.
        shared = set(TorchvisionSettings.model_fields) - {"source"}
        chosen = self.detector.model_dump(include=shared & set(type(self.detector).model_fields))
        return detector_work(TorchvisionSettings(**chosen), classes)

    @property
    def feature_size(self) -> int:
        if self.detector.source == "torchvision-coco":
            return COCO_FEATURE_SIZE
        return PRECOMPUTED_SIZE if self.detector.source == "precomputed" else self.detector_work.feature_size

    @property
    def regions(self) -> float:
        """Regions of an image: as many as it has objects, unless its detections were already counted."""
        recall = self.paths.recall(self.run.detector)
        if not recall.exists():
            return self.size.objects / self.size.images
        return mean_regions(recall)

    @property
    def words(self) -> int:
        return WORDS_KNOWN.get(refer_place(self.configuration.datasets[self.dataset])[0], OTHER_WORDS)

    @cached_property
    def model_work(self) -> ModelWork:
        return ModelWork(self.run.model, self.words, self.vector_size, self.feature_size)

    def batch(self, *splits: str) -> PaddedBatch:
        """Return the sizes of a mini-batch of these splits, with all expressions of its images."""
        size, images = self.size, self.run.training.images_per_batch
        expressions = images * sum(size.expressions[split] for split in splits) / self.images_of(*splits)
        return PaddedBatch(
            images=images,
            regions=FULLEST * self.regions,
            words=WORD_PADDING * size.language.words * expressions,
            nodes=FULLEST * size.language.nodes * expressions,
            edges=FULLEST * size.language.edges * expressions,
        )

    def batches(self, *splits: str) -> float:
        return self.images_of(*splits) / self.run.training.images_per_batch

    def images_of(self, *splits: str) -> int:
        return sum(self.size.images_by_split[split] for split in splits)


def mean_regions(recall: Path) -> float:
    """Return the mean number of regions of an image that expressions refer to, from a file of measured recall."""
    with reading(recall, "file of recall"):
        splits = json.loads(recall.read_bytes())["splits"].values()
        for split in splits:
            check_counts(split, ("n", "mean_regions"))
        return sum(split["n"] * split["mean_regions"] for split in splits) / sum(split["n"] for split in splits)
