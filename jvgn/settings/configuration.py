"""The whole of `config.yaml`: checked before any job starts, then handed out in slices."""

from typing import Any

from pydantic import Field, model_validator

from jvgn.settings.base import Frozen, validated
from jvgn.settings.dataset import DatasetSettings
from jvgn.settings.detector import DetectorSettings
from jvgn.settings.evaluation import EvaluationSettings
from jvgn.settings.regions import RegionSettings
from jvgn.settings.run import RunSettings
from jvgn.settings.vocabulary import VocabularySettings
from jvgn.settings.world import WorldSettings

DEFAULT_RUN = "default"


class ConfiguredDataset(DatasetSettings):
    regions: RegionSettings = RegionSettings()
    run: dict[str, Any]
    """The default run on this dataset: `RunSettings`, as far as they differ from the defaults."""


class Configuration(Frozen):
    shapes: WorldSettings = WorldSettings()
    datasets: dict[str, ConfiguredDataset]
    detectors: dict[str, DetectorSettings]
    vocabularies: dict[str, VocabularySettings]
    runs: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Named runs, as differences from the dataset's default run."""
    evaluation: EvaluationSettings = EvaluationSettings()

    @model_validator(mode="after")
    def check_runs(self) -> "Configuration":
        if DEFAULT_RUN in self.runs:
            raise ValueError(f"runs.{DEFAULT_RUN}: the default run belongs to its dataset (datasets.….run)")
        for dataset in self.datasets:
            for run in (DEFAULT_RUN, *self.runs):
                where = f"datasets.{dataset}.run" + ("" if run == DEFAULT_RUN else f" with runs.{run}")
                settings = validated(RunSettings, self.merged(dataset, run), where)
                for kind, known in (("detector", self.detectors), ("vocabulary", self.vocabularies)):
                    name = getattr(settings, kind)
                    if name not in known:
                        raise ValueError(f"{where}: unknown {kind} {name}; known: {', '.join(known)}")
        return self

    def merged(self, dataset: str, run: str) -> dict[str, Any]:
        differences = {} if run == DEFAULT_RUN else self.runs[run]
        return overlaid(self.datasets[dataset].run, differences)

    def run(self, dataset: str, run: str) -> RunSettings:
        return RunSettings.model_validate(self.merged(dataset, run))


def overlaid(base: dict[str, Any], differences: dict[str, Any]) -> dict[str, Any]:
    """`base` with the differences put over it, dict by dict."""
    result = dict(base)
    for key, value in differences.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        result[key] = overlaid(base[key], value) if both else value
    return result


def configuration(config: dict[str, Any]) -> Configuration:
    return validated(Configuration, config, "config.yaml")
