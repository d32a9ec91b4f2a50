"""Functions and tables that the rules share. Paths come from jvgn/layout.py, settings from config.yaml."""

import json
import os
import re
import shlex
from pathlib import Path

from jvgn import layout
from jvgn.layout import DEFAULT_RUN, RunPaths
from jvgn.paper.runs import RIVALS, RUNS_OF_TABLES
from jvgn.planning.resources import REQUESTS, parser_megabytes
from jvgn.settings.base import load_yaml
from jvgn.settings.configuration import UNMARGINALISED_RUN, configuration as checked_configuration
from jvgn.storage.code_slices import code_behind, file_of
from jvgn.storage.files import record_of
from parsers.errors import UserError
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger

# A choice about the report, not about results: `make report REPORT=report.zip` sets it.
galleries_in_report = str(config.pop("galleries_in_report", False)).lower() == "true"

try:
    # Snakemake lists the files of its command line first, although they override the others.
    config_files = [*workflow.configfiles[len(workflow.overwrite_configfiles) :], *workflow.overwrite_configfiles]
    configuration = checked_configuration(config, {os.path.relpath(file): load_yaml(file) for file in config_files})
except UserError as error:
    raise WorkflowError(str(error)) from None

chosen = configuration.model_dump(mode="json", exclude_none=True)
"""All values, defaults included, for `lookup`."""


# The folders of jvgn/layout.py, with wildcards for names: a rule adds the name of a file.

DATASET = layout.dataset_folder("{dataset}")
TRAINING_SET = layout.dataset_folder("{training_set}")
LEARNED_FROM = layout.dataset_folder("{trained_on}")
DETECTOR = layout.detector_folder("{trained_on}", "{detector}")
REGIONS = layout.regions_folder("{dataset}", "{setting}")
GRAPHS = layout.graphs_folder("{dataset}", "{parser}")
GRAPH_SHARD = GRAPHS / "shards/{shard}_of_{shards}"
VOCABULARY = layout.vocabulary_folder("{dataset}", "{vocabulary}")
EXPERIMENT = RunPaths("{dataset}", "{setting}").folder
UNMARGINALISED = RunPaths("{dataset}", "{setting}", UNMARGINALISED_RUN).folder
RUN = Path(f"{EXPERIMENT}{{run_folder}}")
PAPER_TABLES = layout.RESULTS / "tables"
GRAPH_FILES = ("nodes.parquet", "edges.parquet", "coverage.json")


def tables_in(folder, *names):
    """Return the paths of some tables of a dataset."""
    return [folder / f"{name}.parquet" for name in names]


# Helpers


def either_of(names):
    """Return a pattern that matches any of the names, and nothing if there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


def code_of(*modules):
    """Return the files behind a command, found from its imports; as inputs, they rerun the rule when they change."""
    for module in modules:
        if not file_of(module):
            raise WorkflowError(f"code_of: there is no module {module}; correct the rule")
    # Relative, so that a project that was moved or copied is not rerun.
    return [os.path.relpath(file) for file in code_behind(modules).values()]


def input_options(wildcards, input):
    """Return the named inputs of a job as options of its command; `tables` give `--dataset`, their folder.

    Inputs without a name are not read by the command, or named by its settings.
    """
    files = {name: input[name] for name in input.keys() if name != "code" and input[name]}
    if "tables" in files:
        files = {"dataset": Path(files.pop("tables")[0]).parent, **files}
    return " ".join(f"--{name} {shlex.quote(str(file))}" for name, file in files.items())


def existing(path):
    return [path] if Path(path).exists() else []


def records_of(files):
    """Return the input function of the records beside files, which name what made them; see docs/data.md."""

    def records(wildcards):
        return [str(record_of(Path(path))) for path in files(wildcards)]

    return records


def as_json(settings):
    """Return the values that were set. The defaults are part of the code, which is an input of its own."""
    return json.dumps(settings.model_dump(mode="json", exclude_unset=True), sort_keys=True)


def chosen_json(wildcard, named):
    """Return the settings that a wildcard names, as `as_json` does."""
    return lookup(wildcard, within={name: as_json(settings) for name, settings in named.items()})


# Resources


def growing(amount):
    """Return a resource that asks for `amount` in the first attempt, twice as much in the second, and so on."""

    def grown(wildcards, attempt):
        return amount * attempt

    return grown


def asked_by(rule):
    """Return the memory (unless it depends on settings) and the time of a rule, as arguments of `resources`."""
    request = REQUESTS[rule]
    asked = {"runtime": request.minutes if request.resumes else growing(request.minutes)}
    return asked if request.megabytes is None else asked | {"mem_mb": growing(request.megabytes)}


def parser_memory(wildcards, threads, attempt):
    return attempt * parser_megabytes(configuration.all_parsers[wildcards.parser].backend, threads)


# Downloads


source_of_download = {source.file: source for source in configuration.all_sources.values()}
source_of = {target: source for source in configuration.all_sources.values() for target in source.provides}
provided_folders = [target for target, source in source_of.items() if (source.provides[target] or "").endswith("/")]
provided_files = [target for target in source_of if target not in provided_folders]


def missing(paths):
    """Return a pattern of those paths that do not exist: nothing that the user has is downloaded again."""
    return names_of(path for path in paths if not Path(path).exists())


def names_of(paths):
    return either_of(path.removeprefix("resources/") for path in paths)


def download_settings(wildcards):
    return as_json(source_of_download[f"resources/{wildcards.download}"])


def provision_settings(wildcards):
    return as_json(source_of[f"resources/{wildcards.provided}"])


def published_file(wildcards):
    return source_of[f"resources/{wildcards.provided}"].file


def refer_options(wildcards, input):
    """Return the files of REFER and the number of expressions that each split should have, if the source says so."""
    source = source_of.get(input.refs)
    counts = source.counts.get(dataset_of(wildcards).split_by, {}) if source else {}
    return f"{input_options(wildcards, input)} --counts {shlex.quote(json.dumps(counts))}"


# Datasets


datasets_of_settings = {"custom": configuration.custom_datasets, "entities": configuration.entities_datasets}
"""The datasets that each kind of settings is about, where these are not all."""
refer_datasets = [
    name for name in configuration.datasets if not any(name in others for others in datasets_of_settings.values())
]


requested_folders = [settings.images for settings in configuration.entities_datasets.values()]
"""Folders of images that no rule can download."""


def dataset_of(wildcards):
    return configuration.datasets[wildcards.dataset]


def refs(wildcards):
    return f"{dataset_of(wildcards).folder}/refs({dataset_of(wildcards).split_by}).p"


def instances(wildcards):
    return f"{dataset_of(wildcards).folder}/instances.json"


def pictures(wildcards):
    """Return the folder of a dataset's images."""
    return pictures_of(wildcards.dataset)


def pictures_of(dataset):
    folder = configuration.datasets[dataset].images
    if folder is None:
        # Snakemake prints any Exception of an input function with a traceback.
        problem = f"datasets.{dataset}: has no images, which this file needs; name their folder in its `images`"
        raise SystemExit(f"Error: {problem}")
    return folder


def input_images(wildcards):
    folder = dataset_of(wildcards).images
    return [] if folder is None else as_input(folder)


def entities_files(wildcards):
    """Return the lists of the splits, and the annotations unless they are a folder."""
    dataset = dataset_of(wildcards)
    lists = [f"{dataset.split_lists}/{split}.txt" for split in ("train", "val", "test")]
    return lists + [file for file in [as_input(dataset.entities)] if file]


def as_input(folder):
    """Return the input that represents a folder of images.

    That is a marker file for a folder that is downloaded, the folder itself if it is drawn or missing, and nothing for
    any other. The cache between workflows hashes inputs, and cannot hash a folder.
    """
    if folder in provided_folders:
        return f"{folder}.ready"
    if folder in requested_folders and not Path(folder).is_dir():
        raise UserError(f"{folder}: no such folder; request the images from their owners, as docs/reproducing.md says")
    return [] if Path(folder).is_dir() and folder != f"{layout.WORLD}/images" else folder


def supporting_annotations(wildcards):
    """Return the annotations of a dataset's supporting objects, if the user has them."""
    path = dataset_of(wildcards).supporting
    return existing(path) if path else []


# Detectors


precomputed_detectors = [name for name, detector in configuration.detectors.items() if detector.source == "precomputed"]
network_detectors = [name for name in configuration.detectors if name not in precomputed_detectors]
given_detectors = [name for name in network_detectors if configuration.detectors[name].weights is not None]
trained_detectors = [name for name in network_detectors if name not in given_detectors]


def detector_of(wildcards):
    return configuration.detectors[wildcards.detector]


def detector_environment(wildcards):
    """Return the environment that has the library of a detector."""
    library = "detectron2" if detector_of(wildcards).source == "detectron2" else "jvgn"
    return f"../../envs/{library}.yaml"


def detector_folder(dataset, detector):
    return layout.detector_folder(configuration.trained_on(dataset, detector), detector)


def given_files(wildcards):
    """Return weights that were trained elsewhere, and the files that describe their training, if any."""
    detector = detector_of(wildcards)
    provenance = str(Path(detector.weights).with_name(layout.PROVENANCE))
    return [detector.weights, *filter(None, [detector.training_images]), *existing(provenance)]


def training_images(wildcards):
    """Return the folder of the images that a detector learns from."""
    training_set = configuration.training_sets.get(wildcards.trained_on)
    return training_set.images if training_set else pictures_of(wildcards.trained_on)


def input_training_images(wildcards):
    training_set = configuration.training_sets.get(wildcards.trained_on)
    folders = training_set.folders if training_set else [pictures_of(wildcards.trained_on)]
    return [file for folder in folders if (file := as_input(folder))]


def training_annotations(wildcards):
    return list(configuration.training_sets[wildcards.training_set].parts.values())


def training_parts(wildcards):
    """Return the files of a training set's annotations as options."""
    parts = configuration.training_sets[wildcards.training_set].parts
    return " ".join(f"--part {shlex.join(part)}" for part in parts.items())


def training_tables(wildcards):
    return str(layout.dataset_folder(wildcards.trained_on))


def withheld_expressions(wildcards):
    """Return the expressions of every dataset whose evaluation images a detector must not have seen."""
    return [layout.table(name, "expressions") for name in configuration.withheld(wildcards.trained_on)]


# Regions


def detector_inputs(wildcards):
    folder = detector_folder(wildcards.dataset, wildcards.detector)
    files = {"detector": layout.SETTINGS_FILE, "weights": layout.WEIGHTS, "provenance": layout.PROVENANCE}
    return {name: str(folder / file) for name, file in files.items()}


def region_shards(wildcards):
    """Return the shards in which a dataset's regions are extracted. Precomputed features are imported as one."""
    folder = layout.regions_folder(wildcards.dataset, wildcards.setting) / f"{wildcards.detector}.shards"
    if wildcards.detector in precomputed_detectors:
        return [str(folder / "1-of-1.h5")]
    return getattr(gather, wildcards.dataset)(f"{folder}/{{scatteritem}}.h5")


def precomputed_files(wildcards):
    """Return the files that a precomputed detector has for a setting."""
    key = {"det": "detections", "gt": "objects"}[wildcards.setting]
    files = getattr(detector_of(wildcards), key)
    if files is None:
        raise UserError(
            f"detectors.{wildcards.detector} names no files of `{key}`, which the setting {wildcards.setting} needs"
        )
    return files


# Graphs and vocabularies


datasets_in_shards = [name for name in configuration.datasets if configuration.shards(name) > 1]
datasets_at_once = [name for name in configuration.datasets if configuration.shards(name) == 1]


given_parsers = [name for name, parser in configuration.all_parsers.items() if parser.backend == "graphs"]
sentence_parsers = [name for name in configuration.all_parsers if name not in given_parsers]
files_of_parsers = {name: parser.files for name, parser in configuration.all_parsers.items()}


def graph_shards(wildcards):
    """Return the folders in which the shards of a dataset are parsed."""
    folder = layout.graphs_folder(wildcards.dataset, wildcards.parser) / "shards"
    count = configuration.shards(wildcards.dataset)
    return [str(folder / f"{number}_of_{count}") for number in range(1, count + 1)]


def files_of_graph_shards(wildcards):
    return [f"{folder}/{file}" for folder in graph_shards(wildcards) for file in GRAPH_FILES]


# Runs


def run_name(wildcards):
    return wildcards.get("run_folder", "").rpartition("/")[2] or DEFAULT_RUN


def run_of(wildcards):
    configuration.check_run(wildcards.dataset, run_name(wildcards))
    return configuration.run(wildcards.dataset, run_name(wildcards))


def paths_of(wildcards):
    return RunPaths(wildcards.dataset, wildcards.setting, run_name(wildcards))


def run_inputs(wildcards):
    """Return the files that a run is trained and evaluated on."""
    run, paths = run_of(wildcards), paths_of(wildcards)
    return {
        "tables": [str(paths.table(name)) for name in layout.TABLES],
        "regions": str(paths.regions(run.detector)),
        "nodes": str(paths.graphs(run.parser) / "nodes.parquet"),
        "edges": str(paths.graphs(run.parser) / "edges.parquet"),
        "words": str(paths.vocabulary(run.vocabulary) / "words.parquet"),
        "vectors": str(paths.vocabulary(run.vocabulary) / "vectors.npy"),
    }


def file_of_run(name):
    """Return the input function of one of `run_inputs`."""

    def file(wildcards):
        return run_inputs(wildcards)[name]

    return file


rule_run_folders = either_of(f"{os.sep}runs/{name}" for name in configuration.rule_runs)


def trained_model(wildcards):
    """Return the model of a run; a run of rules has none."""
    return [] if run_of(wildcards).potentials == "rules" else str(paths_of(wildcards).model)


def rival_code(wildcards):
    """Return the code of a run's kind of model; that of the paper's model is part of every training."""
    kind = run_of(wildcards).model.kind
    return [] if kind == "jvgn" else code_of(f"jvgn.rivals.{kind}")


def rule_logits(wildcards):
    """Return the log-potentials of the rules, if the run adds them to the network's."""
    return str(paths_of(wildcards).rules) if run_of(wildcards).potentials == "both" else []


def recall(wildcards):
    return paths_of(wildcards).recall(run_of(wildcards).detector)


def proof(wildcards):
    return detector_folder(wildcards.dataset, run_of(wildcards).detector) / "proof.json"


def compared(wildcards):
    """Return the name and the files of every run and seed that are compared."""
    found = []
    for name, run in configuration.compared_runs(wildcards.dataset):
        paths = RunPaths(wildcards.dataset, wildcards.setting, run)
        graphs = paths.graphs(configuration.run(wildcards.dataset, run).parser)
        files = (paths.metrics, paths.predictions, graphs / "nodes.parquet", graphs / "edges.parquet")
        found.append((name, [str(file) for file in files]))
    return found


def compared_files(wildcards):
    return [file for _, files in compared(wildcards) for file in files]


def compared_options(wildcards):
    runs = [f"--run {shlex.join([name, *files])}" for name, files in compared(wildcards)]
    pairs = [pair for pair in configuration.compare.against.items() if {*pair} <= {*configuration.compare.runs}]
    return " ".join(runs + [f"--against {shlex.join(pair)}" for pair in pairs])


def table_metrics(wildcards):
    """Return the metrics behind one of the paper's tables."""
    runs = [run for run in RUNS_OF_TABLES[wildcards.table] if run.run not in RIVALS or run.run in configuration.runs]
    if wildcards.table == "supporting":  # only where supporting objects are annotated
        runs = [run for run in runs if run.dataset == "shapes" or supporting_annotations(run)]
    for run in runs:
        configuration.check_run(run.dataset, run.run)
    return [RunPaths(run.dataset, run.setting, run.run).metrics for run in runs]


def run_settings(wildcards):
    run_of(wildcards)  # names a run that config.yaml lacks
    return json.dumps(configuration.merged(wildcards.dataset, run_name(wildcards)), sort_keys=True)


# The report


def figure(path, category, title, about):
    """Return a figure and the numbers that it shows, both for the report, as arguments of `output`."""
    shown = {"figure": (".svg", Path(path).name, title), "numbers": (".csv", "numbers", f"{title}: numbers")}
    return {
        name: report(
            f"{path}{suffix}",
            caption=f"../report/{caption}.rst",
            category=category,
            labels={"figure": label, "of" if category == "4 Inputs" else "run": about},
        )
        for name, (suffix, caption, label) in shown.items()
    }


def gallery(path, **mark):
    """Return the page of a gallery, as part of the report if that is an archive.

    Within a report that is one .html file, Chromium shows no page of more than 2 MB.
    """
    return report(path, **mark) if galleries_in_report else path


def report_figures(wildcards):
    """Return all figures and pages that belong to the report of a run."""
    run, folder = run_of(wildcards), paths_of(wildcards).folder
    figures = [folder / "report" / name for name in ("learning.svg", "sizes.svg", "calibration.svg")]
    figures.append(paths_of(wildcards).graphs(run.parser) / "report/coverage.svg")
    if dataset_of(wildcards).images is None:
        logger.info(f"datasets.{wildcards.dataset}: has no images, so its report has no examples and no gallery")
    else:
        figures += [folder / "report/examples.html", folder / "gallery/index.html"]
    if wildcards.setting == "det":  # annotated regions cover every referent
        figures.append(folder / "report/recall.svg")
    if run_name(wildcards) == DEFAULT_RUN:
        figures.append(folder / "report/ablation.svg")
    if run.detector in network_detectors:
        figures.append(detector_folder(wildcards.dataset, run.detector) / "report/average_precision.svg")
    return figures
