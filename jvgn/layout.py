"""Every path under `results/` that code composes, written once. Imports nothing of the project.

- `results/evaluation.yaml`
- `results/datasets/{dataset}/{images,objects,expressions,mentions}.parquet`
- `results/detectors/{trained_on}/{detector}/{settings.yaml,weights.safetensors,provenance.json,proof.json}`
- `results/regions/{dataset}_{setting}/settings.yaml`
- `results/regions/{dataset}_{setting}/{detector}.{h5,recall.json}`
- `results/graphs/{dataset}/{parser}/{settings.yaml,nodes.parquet,edges.parquet,coverage.json}`
- `results/vocabulary/{dataset}/{vocabulary}/{settings.yaml,words.parquet,vectors.npy}`
- `results/{dataset}_{setting}/{settings.yaml,rules.parquet,model.safetensors,predictions.parquet,metrics.json}`
- `results/{dataset}_{setting}/runs/{run}/`: the same files of a named run
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self

RESULTS = Path("results")
EVALUATION = RESULTS / "evaluation.yaml"
WORLD = "resources/shapes"
"""The embedded world's annotations and images."""
CORENLP = "resources/corenlp"

DEFAULT_RUN = "default"
SETTINGS = ("gt", "det")
"""Regions are the annotated objects (gt) or a detector's (det)."""
TABLES = ("images", "objects", "expressions", "mentions")

SETTINGS_FILE = "settings.yaml"
MODEL = "model.safetensors"
METRICS = "metrics.json"
PREDICTIONS = "predictions.parquet"
RULES = "rules.parquet"
WEIGHTS = "weights.safetensors"
PROVENANCE = "provenance.json"


def dataset_folder(dataset: str, results: Path = RESULTS) -> Path:
    """Return the folder of the tables of a dataset or of a training set."""
    return results / "datasets" / dataset


def table(dataset: str, name: str, results: Path = RESULTS) -> Path:
    return dataset_folder(dataset, results) / f"{name}.parquet"


def detectors_folder(results: Path = RESULTS) -> Path:
    return results / "detectors"


def detector_folder(trained_on: str, detector: str, results: Path = RESULTS) -> Path:
    """Return the folder of a detector, which is named after the dataset or training set that it learned from."""
    return detectors_folder(results) / trained_on / detector


def graphs_folder(dataset: str, parser: str, results: Path = RESULTS) -> Path:
    return results / "graphs" / dataset / parser


def vocabulary_folder(dataset: str, vocabulary: str, results: Path = RESULTS) -> Path:
    return results / "vocabulary" / dataset / vocabulary


def regions_folder(dataset: str, setting: str, results: Path = RESULTS) -> Path:
    return results / "regions" / f"{dataset}_{setting}"


def results_of_regions(file: Path) -> Path:
    """Return the results folder that a regions file is in."""
    return file.resolve().parents[2]


@dataclass(frozen=True)
class RunPaths:
    """The paths of a run: its own files, and those that it was trained on."""

    dataset: str
    setting: str
    run: str = DEFAULT_RUN
    results: Path = RESULTS

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Return the paths of the run in a folder such as `results/shapes_det/runs/wide`."""
        is_named = folder.parent.name == "runs"
        parent = folder.parent.parent if is_named else folder
        dataset, _, setting = parent.name.rpartition("_")
        return cls(dataset, setting, folder.name if is_named else DEFAULT_RUN, parent.parent)

    @property
    def folder(self) -> Path:
        parent = self.results / f"{self.dataset}_{self.setting}"
        return parent if self.run == DEFAULT_RUN else parent / "runs" / self.run

    @property
    def model(self) -> Path:
        return self.folder / MODEL

    @property
    def rules(self) -> Path:
        """Return the log-potentials of the rules, for a run that adds them to the network's."""
        return self.folder / RULES

    @property
    def metrics(self) -> Path:
        return self.folder / METRICS

    @property
    def predictions(self) -> Path:
        return self.folder / PREDICTIONS

    @property
    def settings(self) -> Path:
        return self.folder / SETTINGS_FILE

    @property
    def tables(self) -> Path:
        return dataset_folder(self.dataset, self.results)

    def table(self, name: str) -> Path:
        return table(self.dataset, name, self.results)

    def graphs(self, parser: str) -> Path:
        return graphs_folder(self.dataset, parser, self.results)

    def vocabulary(self, vocabulary: str) -> Path:
        return vocabulary_folder(self.dataset, vocabulary, self.results)

    def regions(self, detector: str) -> Path:
        return regions_folder(self.dataset, self.setting, self.results) / f"{detector}.h5"

    def skipped(self, detector: str) -> Path:
        return regions_folder(self.dataset, self.setting, self.results) / f"{detector}.skipped.csv"

    def recall(self, detector: str) -> Path:
        return regions_folder(self.dataset, self.setting, self.results) / f"{detector}.recall.json"


def models_under(folder: Path) -> list[Path]:
    """Return the models of all runs, default and named, whose folders are below a folder."""
    return sorted(path for pattern in (f"*/{MODEL}", f"*/runs/*/{MODEL}") for path in folder.glob(pattern))
