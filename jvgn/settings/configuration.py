"""The whole of `config.yaml`: checked before any job starts, then handed out in slices."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Discriminator, Field, PositiveInt, StringConstraints, Tag, model_validator

from jvgn.layout import DEFAULT_RUN
from jvgn.settings.base import UNION_TAG, Frozen, read_yaml, validated
from jvgn.settings.built_in_sources import BUILT_IN_SOURCES
from jvgn.settings.compare import CompareSettings
from jvgn.settings.custom import CustomSettings
from jvgn.settings.dataset import DatasetSettings
from jvgn.settings.detector import DetectorSettings
from jvgn.settings.evaluation import EvaluationSettings
from jvgn.settings.parser import BUILT_IN_PARSERS, AnyParser
from jvgn.settings.presets import PresetName, overlaid, with_preset
from jvgn.settings.regions import RegionSettings
from jvgn.settings.run import RunSettings
from jvgn.settings.source import ConfiguredSource, DownloadSettings, SourceSettings, with_built_in
from jvgn.settings.training_set import TrainingSetSettings
from jvgn.settings.vocabulary import VocabularySettings
from jvgn.settings.world import WorldSettings
from parsers.errors import UserError

UNMARGINALISED_RUN = "unmarginalised"
BUILT_IN_RUNS: dict[str, dict[str, Any]] = {DEFAULT_RUN: {}, UNMARGINALISED_RUN: {"training": {"marginalise": False}}}
"""Runs that every dataset has: its default, and the ablation's second model."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")]
"""Names become folders and patterns."""


class Configured(Frozen):
    """What is done with a dataset, wherever it comes from."""

    regions: RegionSettings = RegionSettings()
    image_count: PositiveInt | None = None
    """About how many images there are. Nothing but `shards` rests on it."""
    shards: PositiveInt | None = None
    """Jobs into which parsing and the extraction of regions are each parted; they change nothing but the time.

    The default is one for every `images_per_shard` of `image_count`; where that is not known, one.
    """
    supporting: str | None = None
    """A CSV file of supporting objects that you bring, or leave: without it, nothing is measured on them."""
    run: dict[str, Any]
    """The default run on this dataset: `RunSettings`, as far as they differ from the defaults."""


class ConfiguredDataset(DatasetSettings, Configured):
    """A dataset in REFER's format."""


class ConfiguredCustom(CustomSettings, Configured):
    """A dataset of the user's own."""


def kind_of(settings: Any) -> str:
    """The tag of a dataset's settings: those of a user's own name a table of expressions, REFER's a folder."""
    is_custom = bool({"annotations", "expressions"} & set(settings)) if isinstance(settings, dict) else False
    return UNION_TAG + ("custom" if is_custom or isinstance(settings, ConfiguredCustom) else "refer")


AnyDataset = Annotated[
    Annotated[ConfiguredDataset, Tag(UNION_TAG + "refer")] | Annotated[ConfiguredCustom, Tag(UNION_TAG + "custom")],
    Discriminator(kind_of),
]


class Configuration(Frozen):
    preset: PresetName = "default"
    """Values under those given here: `paper` is the paper as printed, `smoke` a little of everything."""
    shapes: WorldSettings = WorldSettings()
    datasets: dict[Name, AnyDataset]
    images_per_shard: PositiveInt = 2500
    """A job on a GPU is worth its wait in a queue with some thousand photographs, and is then done within the hour."""
    training_sets: dict[Name, TrainingSetSettings] = Field(default_factory=dict)
    detectors: dict[Name, DetectorSettings]
    parsers: dict[Name, Annotated[AnyParser, Field(discriminator="backend")]] = Field(default_factory=dict)
    """Parsers with options; one without is named by its backend alone."""
    vocabularies: dict[Name, VocabularySettings]
    runs: dict[Name, dict[str, Any]] = Field(default_factory=dict)
    """Named runs, as differences from the dataset's default run."""
    compare: CompareSettings = CompareSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    sources: dict[Name, ConfiguredSource] = Field(default_factory=dict)
    """Where downloads come from, as differences from the built-in sources, and sources of your own."""
    downloads: DownloadSettings = DownloadSettings()

    @model_validator(mode="after")
    def check_sources(self) -> "Configuration":
        _ = self.all_sources
        return self

    @model_validator(mode="after")
    def check_training_sets(self) -> "Configuration":
        for name, chosen in self.training_sets.items():
            if name in self.datasets:
                raise ValueError(f"training_sets.{name} has the name of a dataset; choose another")
            for dataset in chosen.withhold:
                if dataset not in self.datasets:
                    raise ValueError(f"training_sets.{name}.withhold: unknown dataset {dataset}")
        for name in self.detectors:
            training_set = self.training_set(name)
            if training_set not in (None, *self.training_sets):
                raise ValueError(f"detectors.{name}.trained_on: unknown training set {training_set}")
        return self

    @model_validator(mode="after")
    def check_runs(self) -> "Configuration":
        for parser in BUILT_IN_PARSERS:
            if parser in self.parsers:
                raise ValueError(f"parsers.{parser} is built in; choose another name")
        for run in BUILT_IN_RUNS:
            if run in self.runs:
                raise ValueError(f"runs.{run} is built in; choose another name")
        for run in self.compare.runs:
            if run not in self.named_runs:
                raise ValueError(f"compare.runs: there is no run {run}; there are: {', '.join(self.named_runs)}")
            for name in (seeded_name(run, seed) for seed in self.compare.seeds):
                if name in self.runs:
                    raise ValueError(f"runs.{name} has the name of a compared run with another seed; choose another")
        for dataset in self.datasets:
            for run in self.all_runs:
                settings = validated(RunSettings, self.merged(dataset, run), self.where(dataset, run))
                self.check_name(dataset, run, "detector", settings.detector, self.detectors)
                if "detector" not in self.all_runs[run]:  # a run with a detector of its own need not suit every dataset
                    self.check_withheld(dataset, run, settings.detector)
                self.check_name(dataset, run, "parser", settings.parser, self.all_parsers)
                self.check_name(dataset, run, "vocabulary", settings.vocabulary, self.vocabularies)
        return self

    @property
    def custom_datasets(self) -> dict[str, CustomSettings]:
        """Where the users' own are found, without what is done with them."""
        fields = set(CustomSettings.model_fields)
        return {
            name: CustomSettings(**dataset.model_dump(include=fields, exclude_unset=True))
            for name, dataset in self.datasets.items()
            if isinstance(dataset, ConfiguredCustom)
        }

    @property
    def named_runs(self) -> dict[str, dict[str, Any]]:
        return BUILT_IN_RUNS | self.runs

    @property
    def all_parsers(self) -> dict[str, AnyParser]:
        return BUILT_IN_PARSERS | self.parsers

    @property
    def all_sources(self) -> dict[str, SourceSettings]:
        return with_built_in(BUILT_IN_SOURCES, self.sources)

    @property
    def all_runs(self) -> dict[str, dict[str, Any]]:
        """The named runs, and those that are compared with other seeds."""
        seeded = {
            seeded_name(run, seed): overlaid(self.named_runs[run], {"training": {"seed": seed}})
            for run in self.compare.runs
            for seed in self.compare.seeds
        }
        return self.named_runs | seeded

    def compared_runs(self, dataset: str) -> list[tuple[str, str]]:
        """For each run and seed that is compared: the run's name, and the name under which it has that seed."""
        return [
            (run, run if self.run(dataset, run).training.seed == seed else seeded_name(run, seed))
            for run in self.compare.runs
            for seed in self.compare.seeds
        ]

    def where(self, dataset: str, run: str) -> str:
        return f"config.yaml: datasets.{dataset}.run" + (f" with runs.{run}" if run in self.runs else "")

    def check_name(self, dataset: str, run: str, kind: str, name: str, known: Collection[str]) -> None:
        if name not in known:
            raise UserError(f"{self.where(dataset, run)}: unknown {kind} {name}; known: {', '.join(known)}")

    def check_withheld(self, dataset: str, run: str, detector: str) -> None:
        """A detector that saw a dataset's evaluation images would make its numbers worthless."""
        training_set = self.training_set(detector)
        if training_set and dataset not in self.training_sets[training_set].withhold:
            raise UserError(
                f"{self.where(dataset, run)}: detector {detector} learns from {training_set}, which does not withhold "
                f"{dataset}; add it to training_sets.{training_set}.withhold"
            )

    def shards(self, dataset: str) -> int:
        """The jobs into which parsing and the extraction of regions are each parted."""
        chosen = self.datasets[dataset]
        return chosen.shards or -(-(chosen.image_count or 1) // self.images_per_shard)

    def training_set(self, detector: str) -> str | None:
        settings = self.detectors[detector]
        return None if settings.source == "precomputed" else settings.trained_on

    def trained_on(self, dataset: str, detector: str) -> str:
        """The training set that a detector learns from, or the dataset whose train images it does."""
        return self.training_set(detector) or dataset

    def withheld(self, trained_on: str) -> tuple[str, ...]:
        """All datasets whose evaluation images are kept from the detectors trained on this."""
        if trained_on in self.training_sets:
            return self.training_sets[trained_on].withhold
        folder = Path(self.datasets[trained_on].images).resolve()
        return tuple(name for name, dataset in self.datasets.items() if Path(dataset.images).resolve() == folder)

    def check_run(self, dataset: str, run: str) -> None:
        for kind, name, known in (("dataset", dataset, self.datasets), ("run", run, self.all_runs)):
            if name not in known:
                raise UserError(f"config.yaml has no {kind} {name}; it has: {', '.join(known)}")
        self.run(dataset, run)

    def merged(self, dataset: str, run: str) -> dict[str, Any]:
        return overlaid(self.datasets[dataset].run, self.all_runs[run])

    def run(self, dataset: str, run: str) -> RunSettings:
        settings = validated(RunSettings, self.merged(dataset, run), self.where(dataset, run))
        self.check_withheld(dataset, run, settings.detector)
        return settings


def seeded_name(run: str, seed: int) -> str:
    return f"{run}-seed{seed}"


def read_configuration(path: Path, preset: str | None = None) -> Configuration:
    """The configuration in a file, with another preset if one is given."""
    return read_configurations([path], preset)


def read_configurations(paths: Sequence[Path], preset: str | None = None) -> Configuration:
    """The configuration of several files, later ones over earlier ones, as `snakemake --configfile` has them."""
    merged: Any = {}
    for path in paths:
        merged = overlaid(merged, read_yaml(path))
    if isinstance(merged, dict):
        merged = with_preset(merged if preset is None else merged | {"preset": preset})
    return validated(Configuration, merged, " with ".join(map(str, paths)))


def configuration(config: dict[str, Any]) -> Configuration:
    """The configuration, with every name it uses known."""
    return validated(Configuration, with_preset(config), "config.yaml")


def configuration_schema() -> dict[str, Any]:
    """The JSON schema of `config.yaml`, in which a run may leave out anything."""
    schema = Configuration.model_json_schema()
    run = RunSettings.model_json_schema()
    schema["$defs"] |= run.pop("$defs") | {
        "Run": {key: run[key] for key in ("type", "properties", "additionalProperties")}
    }
    reference = {"$ref": "#/$defs/Run"}
    for dataset in ("ConfiguredDataset", "ConfiguredCustom"):
        schema["$defs"][dataset]["properties"]["run"] |= reference
    schema["properties"]["runs"]["additionalProperties"] = reference
    return schema
