"""Where a run lies, such as `results/shapes_det`, and what lies beside it in `results/`. Loads no torch."""

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
        """The run in a folder, after a check that it has a model."""
        folder = Path(folder).resolve()
        paths = RunPaths.of(folder)
        found = cls(folder, paths.results, paths.dataset, paths.setting)
        if not folder.is_dir():
            raise UserError(f"{as_seen(folder)}: there is no such run; {found.others()}")
        if not found.model.exists():
            # Only a folder that is named as runs are can become one.
            make = f"make it: snakemake --cores all {as_seen(found.model)}" if paths.setting in SETTINGS else ""
            cures = [found.others()] if found.trained() or not make else []
            cure = "; or ".join([*cures, make] if make else cures)
            raise UserError(f"{as_seen(found.model)}: there is no such file, so no trained run; {cure}")
        check_unchanged(found.model)
        return found

    def others(self) -> str:
        """The trained runs that are there instead, in words."""
        models = self.trained()
        return f"trained are: {', '.join(as_seen(path.parent) for path in models)}" if models else "no run is trained"

    def trained(self) -> list[Path]:
        """The models of other runs: in the folder itself, or else beside it."""
        return models_under(self.folder) or models_under(self.results)

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
        """The regions that the run was trained and evaluated on."""
        return regions_folder(self.dataset, self.setting, self.results) / f"{detector}.h5"

    def detection_settings(self) -> Path:
        """How regions are detected in a new image, whichever regions the run was trained on."""
        path = regions_folder(self.dataset, "det", self.results) / SETTINGS_FILE
        if not path.exists():
            raise UserError(
                f"{as_seen(path)}: there is no such file; it says how regions are detected: run {self.dataset}_det"
            )
        return path

    def check_detection(self) -> None:
        """All is there to look at a new image with."""
        self.detection_settings()
        weights = self.detector(self.settings.detector) / WEIGHTS
        if not weights.exists():
            raise UserError(
                f"{as_seen(weights)}: there is no such file, so no new image can be looked at; run {self.dataset}_det,"
                " or name a run whose detector has weights"
            )

    def detector(self, name: str) -> Path:
        return detector_folder(detectors_folder(self.results), self.dataset, name)


def detector_folder(detectors: Path, dataset: str, detector: str) -> Path:
    """A detector lies under what it was trained on: the dataset itself, or a training set."""
    own = detectors / dataset / detector
    if own.exists():
        return own
    found = sorted(detectors.glob(f"*/{detector}"))
    if not found:
        raise UserError(f"{as_seen(own)}: there is no such detector, nor one of its name beside it; run {dataset}_det")
    if len(found) > 1:
        names = ", ".join(folder.parent.name for folder in found)
        raise UserError(
            f"{as_seen(detectors)}: {detector} was trained on each of {names}; leave one of these folders there"
        )
    return found[0]


def as_seen(path: Path) -> str:
    """The path from where the user stands, if that is shorter."""
    return min(str(path), os.path.relpath(path), key=len)
