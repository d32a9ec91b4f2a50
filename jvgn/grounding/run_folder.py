"""The folder of a run, such as `results/shapes_det`, and the files beside it in `results/`. Loads no torch."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from jvgn.layout import (
    MODEL,
    SETTINGS,
    SETTINGS_FILE,
    WEIGHTS,
    RunPaths,
    detectors_folder,
    models_under,
    regions_folder,
)
from jvgn.settings.configuration import configuration_files, read_configuration
from jvgn.settings.detector import read_detector_settings
from jvgn.settings.run import RunSettings
from jvgn.storage.records import check_unchanged
from parsers.errors import UserError


@dataclass(frozen=True)
class RunFolder(RunPaths):
    """A trained run."""

    @classmethod
    def find(cls, folder: Path | str) -> Self:
        """Return the run in a folder, after a check that it has a model."""
        folder = Path(folder).resolve()
        found, model = cls.of(folder), folder / MODEL
        trained = models_under(folder) or models_under(found.results)
        names = ", ".join(as_seen(path.parent) for path in trained)
        others = f"choose one of the trained runs: {names}" if trained else "train one, for example by `make demo`"
        if not folder.is_dir():
            raise UserError(f"{as_seen(folder)}: no such run; {others}")
        if not model.exists():
            can_be_made = found.setting in SETTINGS  # only a folder with a run's name can become one
            cures = [others] if trained or not can_be_made else []
            cures += [f"make it: snakemake --cores all {as_seen(model)}"] if can_be_made else []
            raise UserError(f"{as_seen(model)}: no such file; {'; or '.join(cures)}")
        check_unchanged(model)
        return found

    @property
    def name(self) -> str:
        """The run's path inside the results."""
        return self.folder.relative_to(self.results).as_posix()

    def read_settings(self) -> RunSettings:
        return RunSettings.read(self.settings)

    def images(self, config: Sequence[Path] = ()) -> Path:
        """Return the folder of the dataset's images, by the `config.yaml` beside the results and the files over it.

        Configured paths are relative to the project, which holds the results; the working directory may be another.
        """
        project = self.results.parent
        files = configuration_files(config, project)
        for path in files:
            if not path.exists():
                raise UserError(f"{as_seen(path)}: no such file, and it would name the images; give --images FOLDER")
        datasets = read_configuration(*files).datasets
        if self.dataset not in datasets:
            cure = "give the file that has it: --configfile FILE, or its images: --images FOLDER"
            raise UserError(f"{' and '.join(map(as_seen, files))}: no dataset {self.dataset}; {cure}")
        images = datasets[self.dataset].images
        if images is None:
            raise UserError(f"datasets.{self.dataset}: has no images; name their folder: --images FOLDER")
        return project / images

    def known_images(self) -> Path | None:
        """Return the folder of the dataset's images, or None if it is not configured or does not exist."""
        try:
            folder = self.images()
        except UserError:  # a run also answers questions without its project's configuration
            return None
        return folder if folder.is_dir() else None

    def detection_settings(self) -> Path:
        """Return the settings for regions of a new image, whichever regions the run was trained on."""
        path = regions_folder(self.dataset, "det", self.results) / SETTINGS_FILE
        if not path.exists():
            raise UserError(f"{as_seen(path)}: no such file, needed to detect regions; run {self.dataset}_det")
        return path

    def check_detection(self, detector: str) -> None:
        """Check that the detector can find regions in a new image: it has a network, and its files exist."""
        settings = self.detector(detector) / SETTINGS_FILE
        if settings.exists() and read_detector_settings(settings).source == "precomputed":
            raise UserError(
                f"detectors.{detector}: has no network, so only images of {self.dataset} with regions in"
                f" {as_seen(self.regions(detector))} can be grounded; give one of them"
            )
        self.detection_settings()
        weights = self.detector(detector) / WEIGHTS
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
