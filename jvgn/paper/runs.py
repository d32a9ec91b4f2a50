"""Which runs the paper's tables are made of, and what those that there are have measured."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jvgn.evaluation.metrics import needing, read_metrics
from jvgn.layout import DEFAULT_RUN, SETTINGS, RunPaths
from parsers.errors import UserError

SPLITS = {
    "refcoco": ("val", "testA", "testB"),
    "refcoco+": ("val", "testA", "testB"),
    "refcocog": ("val", "test"),
}
VGG_RUN = "vgg16"
"""The name under which `config.yaml` has the appendix's run."""
ABLATED = "refcocog"
SUPPORTING = {
    ("refcocog-google", "gt"): ("val",),
    ("shapes", "gt"): ("test", "adv"),
    ("shapes", "det"): ("test", "adv"),
}
"""Where supporting objects are known: GroundNet annotated Google's val split; the world knows what it drew."""


@dataclass(frozen=True)
class Run:
    dataset: str
    setting: str
    run: str = DEFAULT_RUN

    @property
    def metrics(self) -> Path:
        """The file, relative to the folder of results."""
        return RunPaths(self.dataset, self.setting, self.run, Path()).metrics


RUNS_OF_TABLES: dict[str, list[Run]] = {
    "table1": [Run(dataset, setting) for dataset in SPLITS for setting in SETTINGS],
    "table2": [Run(ABLATED, setting, run) for setting in SETTINGS for run in (DEFAULT_RUN, "unmarginalised")],
    "table_vgg": [Run(dataset, setting, VGG_RUN) for dataset in SPLITS for setting in SETTINGS],
    "supporting": [Run(dataset, setting) for dataset, setting in SUPPORTING],
}


class Measured:
    """The metrics of runs, by run; a run without any has no figures."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.metrics: dict[Run, dict[str, Any]] = {}
        self.files: dict[Run, Path] = {}
        for path in files:
            found = read_metrics(path)
            run = Run(found["dataset"], found["setting"], found["run"])
            if run in self.files:
                raise UserError(f"{path}: metrics of the same run as {self.files[run]}; name one of them")
            self.metrics[run], self.files[run] = found, path

    def split(self, run: Run, split: str) -> dict[str, Any]:
        """What was measured on a split; nothing, where the run was not made."""
        splits: dict[str, dict[str, Any]] = self.metrics.get(run, {}).get("splits", {})
        return splits.get(split, {})

    def source(self, runs: Iterable[Run]) -> str:
        """The files behind figures of these runs, and how far their detectors can be trusted."""
        said = []
        for run in runs:
            if run in self.files and (made := self.metrics[run]["provenance"]):
                with needing(self.files[run]):
                    said.append(f"{self.files[run]} (seed {made['seed']}, detector {made['detector_proof']})")
        return "; ".join(said)


def existing_metrics(results: Path, table: str) -> list[Path]:
    """The metrics that there are already, of all that a table is made of."""
    return [path for run in RUNS_OF_TABLES[table] if (path := results / run.metrics).exists()]
