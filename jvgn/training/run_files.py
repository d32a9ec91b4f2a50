"""The files that a run is trained and evaluated on."""

import logging
from dataclasses import dataclass
from pathlib import Path

from jvgn.factor_graph import read_factor_graphs
from jvgn.regions.store import RegionStore
from jvgn.settings.run import RunSettings
from jvgn.training.examples import Examples, SoftLabel
from jvgn.vocabulary.words import Vocabulary

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Inputs:
    dataset: Path
    """The folder of the dataset's tables."""
    regions: Path
    nodes: Path
    edges: Path
    words: Path
    vectors: Path

    def files(self) -> list[Path]:
        dataset = [self.dataset / f"{name}.parquet" for name in ("images", "objects", "expressions")]
        return [*dataset, self.regions, self.nodes, self.edges, self.words, self.vectors]

    def examples(self, settings: RunSettings, iou_threshold: float = 0.5) -> Examples:
        log.info("reading %s with its regions and graphs", self.dataset)
        graphs = read_factor_graphs(
            self.dataset / "expressions.parquet", self.nodes, self.edges, Vocabulary.read(self.words), settings.referent
        )
        label = SoftLabel(settings.training.soft_label, settings.training.iou_threshold)
        return Examples(self.dataset, RegionStore(self.regions), graphs, label, iou_threshold)
