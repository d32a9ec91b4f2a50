"""The runs behind each of the tables. Loads nothing heavy: the command line and the rules import it."""

from dataclasses import dataclass
from pathlib import Path

from jvgn.layout import DEFAULT_RUN, SETTINGS, RunPaths

SPLITS = {
    "refcoco": ("val", "testA", "testB"),
    "refcoco+": ("val", "testA", "testB"),
    "refcocog": ("val", "test"),
}
VGG_RUN = "vgg16"
"""The name of the appendix's run in `config.yaml`."""
RIVALS = {
    "bag-of-words": "bag of words",
    "mmi": "MMI",
    "mil": "MIL",
    "listener": "Listener",
    "ddpn": "DDPN",
    "cmn": "CMN",
    "groundnet": "GroundNet",
    "nmtree": "NMTree",
}
"""The methods of the runs of docs/examples/rivals/config.yaml. A table has a row for those that were made."""
ABLATED = "refcocog"
SUPPORTING = {
    ("refcocog-google", "gt"): ("val",),
    ("shapes", "gt"): ("test", "adv"),
    ("shapes", "det"): ("test", "adv"),
}
"""Splits with known supporting objects: GroundNet annotated Google's val split, and shapes has them all."""

FLICKR30K = "flickr30k"
FLICKR30K_SPLIT = "test"


@dataclass(frozen=True)
class Run:
    """A run whose metrics fill a cell of a table."""

    dataset: str
    setting: str
    run: str = DEFAULT_RUN

    @property
    def metrics(self) -> Path:
        """The file, relative to the folder of results."""
        return RunPaths(self.dataset, self.setting, self.run, Path()).metrics


RUNS_OF_TABLES: dict[str, list[Run]] = {
    "table1": [
        Run(dataset, setting, run) for run in (DEFAULT_RUN, *RIVALS) for dataset in SPLITS for setting in SETTINGS
    ],
    "table2": [Run(ABLATED, setting, run) for setting in SETTINGS for run in (DEFAULT_RUN, "unmarginalised")],
    "table_vgg": [Run(dataset, setting, VGG_RUN) for dataset in SPLITS for setting in SETTINGS],
    "supporting": [Run(dataset, setting, run) for run in (DEFAULT_RUN, *RIVALS) for dataset, setting in SUPPORTING],
    "flickr30k": [Run(FLICKR30K, setting) for setting in SETTINGS],
}


def existing_metrics(results: Path, table: str) -> list[Path]:
    """Return the metrics of those runs of a table that were made already."""
    return [path for run in RUNS_OF_TABLES[table] if (path := results / run.metrics).exists()]
