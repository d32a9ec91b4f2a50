"""The folder of a run, such as `results/shapes_det`, and the files beside it in `results/`. Loads no torch."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from jvgn.layout import (
    MODEL,
    PREDICTIONS,
    SETTINGS,
    SETTINGS_FILE,
    WEIGHTS,
    RunPaths,
    dataset_folder,
    detectors_folder,
    graphs_folder,
    models_under,
    regions_folder,
)
from jvgn.settings.configuration import read_configuration
from jvgn.settings.run import RunSettings
from jvgn.storage.records import check_unchanged
from parsers.errors import UserError


@dataclass(frozen=True)
class RunFolder:
    folder: Path
    results: Path
    dataset: str
    setting: str

    @classmethod
    def find(cls, folder: Path | str) -> Self:
        """Return the run in a folder, after a check that it has a model."""
        folder = Path(folder).resolve()
        paths = RunPaths.of(folder)
        found = cls(folder, paths.results, paths.dataset, paths.setting)
        if not folder.is_dir():
            raise UserError(f"{as_seen(folder)}: no such run; {found.others()}")
        if not found.model.exists():
            # Only a folder with a run's name can become one.
            make = f"make it: snakemake --cores all {as_seen(found.model)}" if paths.setting in SETTINGS else ""
            others = found.others() if found.trained() or not make else ""
            raise UserError(f"{as_seen(found.model)}: no such file; {'; or '.join(filter(None, [others, make]))}")
        check_unchanged(found.model)
        return found

    def others(self) -> str:
        """Return a sentence that names the trained runs."""
        models = self.trained()
        names = ", ".join(as_seen(path.parent) for path in models)
        return f"choose one of the trained runs: {names}" if models else "no run is trained yet"

    def trained(self) -> list[Path]:
        """Return the models of other runs: inside the folder, or else beside it."""
        return models_under(self.folder) or models_under(self.results)

    @property
    def name(self) -> str:
        """The run's path inside the results."""
        return self.folder.relative_to(self.results).as_posix()

    @property
    def model(self) -> Path:
        return self.folder / MODEL

    @property
    def predictions(self) -> Path:
        return self.folder / PREDICTIONS

    @property
    def settings(self) -> RunSettings:
        return RunSettings.read(self.folder / SETTINGS_FILE)

    @property
    def tables(self) -> Path:
        """The folder of the dataset's tables."""
        return dataset_folder(self.dataset, self.results)

    def graphs(self, parser: str) -> Path:
        return graphs_folder(self.dataset, parser, self.results)

    def regions(self, detector: str) -> Path:
        """Return the file of regions that the run was trained and evaluated on."""
        return regions_folder(self.dataset, self.setting, self.results) / f"{detector}.h5"

    def images(self, config: Path | None = None) -> Path:
        """Return the folder of the dataset's images, by the `config.yaml` beside the results or another one.

        Configured paths are relative to the project, which holds the results; the working directory may be another.
        """
        project = self.results.parent
        path = config or project / "config.yaml"
        if not path.exists():
            raise UserError(f"{as_seen(path)}: no such file, and it would name the images; give --images FOLDER")
        datasets = read_configuration(path).datasets
        if self.dataset not in datasets:
            raise UserError(f"{as_seen(path)}: has no dataset {self.dataset}; give its images: --images FOLDER")
        return project / datasets[self.dataset].images

    def detection_settings(self) -> Path:
        """Return the settings for regions of a new image, whichever regions the run was trained on."""
        path = regions_folder(self.dataset, "det", self.results) / SETTINGS_FILE
        if not path.exists():
            raise UserError(f"{as_seen(path)}: no such file, needed to detect regions; run {self.dataset}_det")
        return path

    def check_detection(self) -> None:
        """Check that the files for detection in a new image exist."""
        self.detection_settings()
        weights = self.detector(self.settings.detector) / WEIGHTS
        if not weights.exists():
            raise UserError(
                f"{as_seen(weights)}: no such file, needed to detect regions; run {self.dataset}_det,"
                " or name a run whose detector has weights"
            )

    def detector(self, name: str) -> Path:
        """Return the folder of a detector, which is under the dataset or training set that it was trained on."""
        detectors = detectors_folder(self.results)
        own = detectors / self.dataset / name
        if own.exists():
            return own
        found = sorted(detectors.glob(f"*/{name}"))
        if not found:
            raise UserError(f"{as_seen(own)}: no such detector; run {self.dataset}_det")
        if len(found) > 1:
            names = ", ".join(folder.parent.name for folder in found)
            raise UserError(f"{as_seen(detectors)}: {name} was trained on each of {names}; keep one of these folders")
        return found[0]


def as_seen(path: Path) -> str:
    """Return the path relative to the working directory, if that is shorter."""
    return min(str(path), os.path.relpath(path), key=len)
