"""The whole of `config.yaml`: checked before any job starts, then passed to the stages in slices."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, NonNegativeInt, PositiveInt, StringConstraints, model_validator

from jvgn.layout import DEFAULT_RUN
from jvgn.settings.base import Frozen, InvalidSettings, Key, Part, Problem, load_yaml, validated
from jvgn.settings.built_in_sources import BUILT_IN_SOURCES
from jvgn.settings.custom import CustomSettings
from jvgn.settings.dataset import AnyDataset, TrainingSetSettings
from jvgn.settings.detector import DetectorSettings
from jvgn.settings.entities import EntitiesSettings
from jvgn.settings.evaluation import EvaluationSettings
from jvgn.settings.parser import BUILT_IN_PARSERS, AnyParser
from jvgn.settings.presets import PresetName, overlaid, with_preset
from jvgn.settings.run import RunSettings, VocabularySettings
from jvgn.settings.source import ConfiguredSource, DownloadSettings, SourceSettings, with_built_in
from jvgn.settings.world import WorldSettings
from parsers.errors import UserError

CONFIGURATION = "config.yaml"
UNMARGINALISED_RUN = "unmarginalised"
BUILT_IN_RUNS: dict[str, dict[str, Any]] = {DEFAULT_RUN: {}, UNMARGINALISED_RUN: {"training": {"marginalise": False}}}
"""Runs that every dataset has: its default run, and the second model of the ablation."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")]
"""Names become names of folders and patterns of wildcards."""
Files = TypeVar("Files", CustomSettings, EntitiesSettings)


class CompareSettings(Frozen):
    """The runs that `compare.csv` compares."""

    runs: tuple[str, ...] = Field(default=("default", "unmarginalised"), min_length=1)
    """`compare.csv` shows each run with every way to decode. The two defaults make the paper's ablation."""
    seeds: tuple[NonNegativeInt, ...] = Field(default=(0, 1, 2), min_length=1)
    """Each run is trained with each seed. Run `wide` with seed 1 is named `wide-seed1`, unless 1 is its own seed."""
    against: dict[str, str] = Field(default_factory=dict)
    """Runs whose paired test is not against the first run, and the run that it is against. A pair counts if both are
    compared."""


class Configuration(Frozen):
    """Schema of `config.yaml`."""

    preset: PresetName = "default"
    """Values that this file overrides: `paper` is the paper as printed, `smoke` a small, quick test of everything."""
    shapes: WorldSettings = WorldSettings()
    datasets: dict[Name, AnyDataset]
    images_per_shard: PositiveInt = 2500
    """Some thousand photographs take a GPU about an hour, which makes a job worth its wait in a queue."""
    training_sets: dict[Name, TrainingSetSettings] = Field(default_factory=dict)
    detectors: dict[Name, DetectorSettings]
    parsers: dict[Name, Annotated[AnyParser, Field(discriminator="backend")]] = Field(default_factory=dict)
    """Parsers with options. A parser without options is named by its backend."""
    vocabularies: dict[Name, VocabularySettings]
    runs: dict[Name, dict[str, Any]] = Field(default_factory=dict)
    """Named runs: values that differ from the dataset's default run."""
    compare: CompareSettings = CompareSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    sources: dict[Name, ConfiguredSource] = Field(default_factory=dict)
    """Sources of downloads: values that differ from the built-in sources, and your own sources."""
    downloads: DownloadSettings = DownloadSettings()

    @model_validator(mode="after")
    def check_sources(self) -> "Configuration":
        _ = self.all_sources
        return self

    @model_validator(mode="after")
    def check_training_sets(self) -> "Configuration":
        for name, chosen in self.training_sets.items():
            if name in self.datasets:
                raise mistake("is also the name of a dataset; choose another", "training_sets", name)
            for dataset in chosen.withhold:
                if dataset not in self.datasets:
                    raise mistake(f"unknown dataset {dataset}", "training_sets", name, "withhold")
        for name in self.detectors:
            training_set = self.training_set(name)
            if training_set not in (None, *self.training_sets):
                raise mistake(f"unknown training set {training_set}", "detectors", name, "trained_on")
        return self

    @model_validator(mode="after")
    def check_runs(self) -> "Configuration":
        for parser in BUILT_IN_PARSERS:
            if parser in self.parsers:
                raise mistake("is built in; choose another name", "parsers", parser)
        for run in BUILT_IN_RUNS:
            if run in self.runs:
                raise mistake("is built in; choose another name", "runs", run)
        for run in {*self.compare.against, *self.compare.against.values()} - {*self.named_runs}:
            raise mistake(f"unknown run {run}; known: {', '.join(self.named_runs)}", "compare", "against")
        for run in self.compare.runs:
            if run not in self.named_runs:
                raise mistake(f"unknown run {run}; known: {', '.join(self.named_runs)}", "compare", "runs")
            for name in (seeded_name(run, seed) for seed in self.compare.seeds):
                if name in self.runs:
                    raise mistake("is also the name of a compared run with a seed; choose another", "runs", name)
        for dataset, chosen in self.datasets.items():
            if chosen.run.get("potentials") == "rules":
                problem = "rules are for named runs; write them under runs"
                raise mistake(problem, "datasets", dataset, "run", "potentials")
            if chosen.run.get("model", {}).get("kind", "jvgn") != "jvgn":
                problem = "a dataset's default run is of jvgn; write other models under runs"
                raise mistake(problem, "datasets", dataset, "run", "model", "kind")
            for run in self.all_runs:
                settings = self.validated_run(dataset, run)
                self.check_name(dataset, run, "detector", settings.detector, self.detectors)
                if "detector" not in self.all_runs[run]:  # a run with a detector of its own need not suit every dataset
                    self.check_detector(dataset, run, settings.detector)
                self.check_name(dataset, run, "parser", settings.parser, self.all_parsers)
                self.check_name(dataset, run, "vocabulary", settings.vocabulary, self.vocabularies)
        return self

    @property
    def custom_datasets(self) -> dict[str, CustomSettings]:
        """Return the files of users' own datasets."""
        return self.files_of(CustomSettings)

    @property
    def entities_datasets(self) -> dict[str, EntitiesSettings]:
        """Return the files of datasets in the format of Flickr30k Entities."""
        return self.files_of(EntitiesSettings)

    def files_of(self, model: type[Files]) -> dict[str, Files]:
        """Return the files of the datasets in one format, without the settings that all formats share."""
        fields = set(model.model_fields)
        return {
            name: model(**dataset.model_dump(include=fields, exclude_unset=True))
            for name, dataset in self.datasets.items()
            if isinstance(dataset, model)
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
        """Return the named runs, and the compared runs with each seed."""
        seeded = {
            seeded_name(run, seed): overlaid(self.named_runs[run], {"training": {"seed": seed}})
            for run in self.compare.runs
            for seed in self.compare.seeds
        }
        return self.named_runs | seeded

    @property
    def rule_runs(self) -> list[str]:
        """Return the runs whose potentials are rules: they are not trained."""
        return [name for name, values in self.all_runs.items() if values.get("potentials") == "rules"]

    def compared_runs(self, dataset: str) -> list[tuple[str, str]]:
        """Return, for each compared run and seed, the run's name and the name of the run with that seed."""
        return [
            (run, run if self.run(dataset, run).training.seed == seed else seeded_name(run, seed))
            for run in self.compare.runs
            for seed in self.compare.seeds
        ]

    def part(self, dataset: str, run: str) -> Part:
        name, key = f"datasets.{dataset}.run", ("datasets", dataset, "run")
        return Part(f"{name} with runs.{run}", (key, ("runs", run))) if run in self.runs else Part(name, (key,))

    def validated_run(self, dataset: str, run: str) -> RunSettings:
        return validated(RunSettings, self.merged(dataset, run), CONFIGURATION, self.part(dataset, run))

    def refused(self, dataset: str, run: str, key: str, problem: str) -> InvalidSettings:
        """Return the error about a value of a run."""
        part = self.part(dataset, run)
        keys = tuple((*place, key) for place in part.keys)
        return InvalidSettings(CONFIGURATION, [Problem(f"{part.name}: {problem}", keys)])

    def check_name(self, dataset: str, run: str, kind: str, name: str, known: Collection[str]) -> None:
        if name not in known:
            raise self.refused(dataset, run, kind, f"unknown {kind} {name}; known: {', '.join(known)}")

    def check_detector(self, dataset: str, run: str, detector: str) -> None:
        """Refuse a detector that needs images which the dataset lacks, or that may be trained on its evaluation images.

        Numbers of the latter would be worthless.
        """
        if self.datasets[dataset].images is None and self.detectors[detector].source != "precomputed":
            problem = f"detector {detector} needs images, and {dataset} has none"
            cure = f"name their folder in datasets.{dataset}.images, or choose a detector of source precomputed"
            raise self.refused(dataset, run, "detector", f"{problem}; {cure}")
        training_set = self.training_set(detector)
        if training_set and dataset not in self.training_sets[training_set].withhold:
            problem = f"detector {detector} is trained on {training_set}, which must withhold {dataset}"
            cure = f"add it to training_sets.{training_set}.withhold"
            raise self.refused(dataset, run, "detector", f"{problem}; {cure}")

    def shards(self, dataset: str) -> int:
        """Return the number of jobs for parsing, and for the extraction of regions."""
        chosen = self.datasets[dataset]
        return chosen.shards or -(-(chosen.image_count or 1) // self.images_per_shard)

    def training_set(self, detector: str) -> str | None:
        settings = self.detectors[detector]
        return None if settings.source == "precomputed" else settings.trained_on

    def trained_on(self, dataset: str, detector: str) -> str:
        """Return the training set of a detector, or the dataset whose train images it is trained on."""
        return self.training_set(detector) or dataset

    def withheld(self, trained_on: str) -> tuple[str, ...]:
        """Return all datasets whose evaluation images are excluded from this training set or dataset."""
        if trained_on in self.training_sets:
            return self.training_sets[trained_on].withhold
        folders = {name: dataset.images and Path(dataset.images).resolve() for name, dataset in self.datasets.items()}
        own = folders[trained_on]
        return tuple(name for name in folders if name == trained_on or (own and folders[name] == own))

    def check_run(self, dataset: str, run: str) -> None:
        for kind, name, known in (("dataset", dataset, self.datasets), ("run", run, self.all_runs)):
            if name not in known:
                raise UserError(f"{CONFIGURATION}: unknown {kind} {name}; known: {', '.join(known)}")
        self.run(dataset, run)

    def merged(self, dataset: str, run: str) -> dict[str, Any]:
        return overlaid(self.datasets[dataset].run, self.all_runs[run])

    def run(self, dataset: str, run: str) -> RunSettings:
        settings = self.validated_run(dataset, run)
        self.check_detector(dataset, run, settings.detector)
        return settings


def seeded_name(run: str, seed: int) -> str:
    return f"{run}-seed{seed}"


def mistake(problem: str, *key: str) -> InvalidSettings:
    return InvalidSettings(CONFIGURATION, [Problem(f"{'.'.join(key)}: {problem}", (key,))])


def configuration_files(given: Sequence[Path], folder: Path = Path()) -> list[Path]:
    """Return `config.yaml` in a folder, then the given files, which override it as in `snakemake --configfile`.

    Like Snakemake, do without `config.yaml` if files are given and it does not exist.
    """
    own = folder / CONFIGURATION
    is_needed = not given or (own.exists() and not any(path.exists() and path.samefile(own) for path in given))
    return [own, *given] if is_needed else list(given)


def read_configuration(path: Path, *others: Path, preset: str | None = None) -> Configuration:
    """Merge configuration files, later ones over earlier ones; `preset` overrides theirs."""
    files = {str(path): load_yaml(path) for path in (path, *others)}
    merged: Any = {}
    for values in files.values():
        merged = overlaid(merged, values)
    if preset is not None and isinstance(merged, dict):
        merged = merged | {"preset": preset}
    return configuration(merged, files)


def configuration(merged: Any, files: Mapping[str, Any] | None = None) -> Configuration:
    """Return the checked configuration that was merged from files. An error about a key names the file that has it."""
    try:
        return validated(Configuration, with_preset(merged) if isinstance(merged, dict) else merged, CONFIGURATION)
    except InvalidSettings as error:
        problems: dict[str, list[str]] = {}
        for problem in error.problems:
            problems.setdefault(file_of(problem.keys, files or {CONFIGURATION: merged}), []).append(problem.text)
        raise UserError("; ".join(f"{file}: {'; '.join(texts)}" for file, texts in problems.items())) from error


def file_of(keys: Sequence[Key], files: Mapping[str, Any]) -> str:
    """Return the file that has one of the keys or most of it; of several, the last one, which overrides the others."""
    return min(reversed(list(files)), key=lambda file: min(missing_parts(key, files[file]) for key in keys))


def missing_parts(key: Key, values: Any) -> int:
    """Count the parts of a key that the values lack. The tags of a union are missing in every file."""
    count = 0
    for part in key:
        if isinstance(values, dict) and part in values:
            values = values[part]
        else:
            count += 1
    return count


def configuration_schema() -> dict[str, Any]:
    """Return the JSON schema of `config.yaml`. All values of a run are optional."""
    schema = Configuration.model_json_schema()
    run = RunSettings.model_json_schema()
    schema["$defs"] |= run.pop("$defs") | {
        "Run": {key: run[key] for key in ("type", "properties", "additionalProperties")}
    }
    reference = {"$ref": "#/$defs/Run"}
    for dataset in ("ConfiguredDataset", "ConfiguredCustom", "ConfiguredEntities"):
        schema["$defs"][dataset]["properties"]["run"] |= reference
    schema["properties"]["runs"]["additionalProperties"] = reference
    return schema
