"""What the rules share: the checked configuration, and the files and settings of each stage."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

# `python -m jvgn` runs from the project's root; so does the check of the configuration.
sys.path.insert(0, str(workflow.basedir))

from jvgn.settings.configuration import DEFAULT_RUN, configuration as checked_configuration
from parsers.files import UserError
from snakemake.exceptions import WorkflowError

try:
    configuration = checked_configuration(config)
except UserError as error:
    raise WorkflowError(str(error)) from None


def check_targets(targets):
    """A target that names what the configuration lacks is an error that lists what it has."""
    for target in targets:
        found = re.match(r"results/(?P<dataset>[^/]+)_(gt|det)/(runs/(?P<run>[^/]+)/)?", target)
        try:
            if found:
                configuration.check_run(found["dataset"], found["run"] or DEFAULT_RUN)
        except UserError as error:
            raise WorkflowError(f"{target}: {error}") from None


def dataset_of(wildcards):
    return configuration.datasets[wildcards.dataset]


def tables(wildcards):
    """The folder of a dataset's tables."""
    return f"results/datasets/{wildcards.dataset}"


def refs(wildcards):
    return f"{dataset_of(wildcards).folder}/refs({dataset_of(wildcards).split_by}).p"


def instances(wildcards):
    return f"{dataset_of(wildcards).folder}/instances.json"


def images(wildcards):
    return dataset_of(wildcards).images


def training_images(wildcards):
    """The folder of the images that a detector learns from."""
    learned_from = configuration.training_sets.get(wildcards.trained_on) or configuration.datasets[wildcards.trained_on]
    return learned_from.images


def training_tables(wildcards):
    return f"results/datasets/{wildcards.trained_on}"


def annotations(wildcards):
    return configuration.training_sets[wildcards.training_set].annotations


def withheld_expressions(wildcards):
    """The expressions of every dataset whose evaluation images a detector must not have seen."""
    return [f"results/datasets/{name}/expressions.parquet" for name in configuration.withheld(wildcards.trained_on)]


def detector_folder(dataset, detector):
    return f"results/detectors/{configuration.trained_on(dataset, detector)}/{detector}"


def detector_inputs(wildcards):
    """What regions are extracted with."""
    folder = detector_folder(wildcards.dataset, wildcards.detector)
    return {
        "detector": f"{folder}/settings.yaml",
        "weights": f"{folder}/weights.safetensors",
        "provenance": f"{folder}/provenance.json",
    }


def detectors_where(condition):
    """A pattern of the detectors whose settings meet a condition; of none, where none do."""
    return (
        "|".join(re.escape(name) for name, detector in configuration.detectors.items() if condition(detector)) or "(?!)"
    )


def is_given(detector):
    return detector.source != "precomputed" and detector.weights is not None


def is_precomputed(detector):
    return detector.source == "precomputed"


def is_network(detector):
    return detector.source != "precomputed"


def is_trained(detector):
    return detector.source != "precomputed" and detector.weights is None


def given_files(wildcards):
    """Weights trained elsewhere, and what is known of them."""
    detector = configuration.detectors[wildcards.detector]
    beside = str(Path(detector.weights).with_name("provenance.json"))
    return [detector.weights, *([detector.training_images] if detector.training_images else []), *existing(beside)]


def existing(path):
    return [path] if Path(path).exists() else []


def pretrained(wildcards):
    """The weights a detector starts from, if any."""
    return configuration.detectors[wildcards.detector].pretrained or []


def parser_files(wildcards):
    """The files and folders that a parser's options name, if any."""
    return configuration.all_parsers[wildcards.parser].files


def either_of(names):
    """A pattern for any of the names, and for nothing where there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


datasets_parsed_at_once = [name for name in configuration.datasets if configuration.shards(name) == 1]
datasets_parsed_in_shards = [name for name in configuration.datasets if configuration.shards(name) > 1]


def shard_folders(wildcards):
    folder = f"results/graphs/{wildcards.dataset}/{wildcards.parser}/shards"
    count = configuration.shards(wildcards.dataset)
    return [f"{folder}/{number}_of_{count}" for number in range(1, count + 1)]


def shards_of_graphs(wildcards):
    files = ("nodes.parquet", "edges.parquet", "coverage.json")
    return [f"{folder}/{file}" for folder in shard_folders(wildcards) for file in files]


def glove(wildcards):
    """The GloVe file of a vocabulary, if any."""
    return configuration.vocabularies[wildcards.vocabulary].glove or []


def shards(wildcards):
    """The parts in which a dataset's regions are extracted; those that are only imported come as one."""
    pattern = "results/regions/{dataset}_{setting}/{detector}.shards/{{scatteritem}}.h5".format(**wildcards)
    if configuration.detectors[wildcards.detector].source == "precomputed":
        return [pattern.format(scatteritem="1-of-1")]
    return getattr(gather, wildcards.dataset)(pattern)


def precomputed_files(wildcards):
    name, setting = wildcards.detector, wildcards.setting
    key = {"det": "detections", "gt": "objects"}[setting]
    files = getattr(configuration.detectors[name], key)
    if files is None:
        raise WorkflowError(
            f"config.yaml: detectors.{name} names no files of `{key}`, which the setting {setting} needs"
        )
    return files


def declared_training_images(wildcards):
    return configuration.detectors[wildcards.detector].training_images or []


def run_name(wildcards):
    return wildcards.get("run_folder", "").rpartition("/")[2] or DEFAULT_RUN


def run_of(wildcards):
    return configuration.run(wildcards.dataset, run_name(wildcards))


def nodes(wildcards):
    return f"results/graphs/{wildcards.dataset}/{run_of(wildcards).parser}/nodes.parquet"


def run_inputs(wildcards):
    """What a run is trained and evaluated on."""
    dataset, run = wildcards.dataset, run_of(wildcards)
    return {
        "tables": [f"{tables(wildcards)}/{name}.parquet" for name in ("images", "objects", "expressions", "mentions")],
        "regions": f"results/regions/{dataset}_{wildcards.setting}/{run.detector}.h5",
        "nodes": nodes(wildcards),
        "edges": f"results/graphs/{dataset}/{run.parser}/edges.parquet",
        "words": f"results/vocabulary/{dataset}/{run.vocabulary}/words.parquet",
        "vectors": f"results/vocabulary/{dataset}/{run.vocabulary}/vectors.npy",
    }


def run_options(wildcards):
    """`run_inputs` as the options of a command."""
    files = run_inputs(wildcards)
    options = {"dataset": tables(wildcards), **{name: files[name] for name in files if name != "tables"}}
    return " ".join(f"--{name} {shlex.quote(path)}" for name, path in options.items())


def recall(wildcards):
    return f"results/regions/{wildcards.dataset}_{wildcards.setting}/{run_of(wildcards).detector}.recall.json"


def proof(wildcards):
    return f"{detector_folder(wildcards.dataset, run_of(wildcards).detector)}/proof.json"


def compared_metrics(wildcards):
    """The metrics of every run and seed that are compared, as (name, path)."""
    folder = f"results/{wildcards.dataset}_{wildcards.setting}"
    return [
        (run, f"{folder}/metrics.json" if name == DEFAULT_RUN else f"{folder}/runs/{name}/metrics.json")
        for run, name in configuration.compared_runs(wildcards.dataset)
    ]


def compared_files(wildcards):
    return [path for _, path in compared_metrics(wildcards)]


def compared_options(wildcards):
    return " ".join(f"--run {shlex.quote(run)} {shlex.quote(path)}" for run, path in compared_metrics(wildcards))


def as_json(settings):
    """The chosen values only: the defaults belong to the code, which is an input of its own."""
    return json.dumps(settings.model_dump(mode="json", exclude_unset=True), sort_keys=True)


def detector_settings(wildcards):
    return as_json(configuration.detectors[wildcards.detector])


def parser_settings(wildcards):
    return as_json(configuration.all_parsers[wildcards.parser])


def region_settings(wildcards):
    return as_json(dataset_of(wildcards).regions)


def vocabulary_settings(wildcards):
    return as_json(configuration.vocabularies[wildcards.vocabulary])


def run_settings(wildcards):
    return json.dumps(configuration.merged(wildcards.dataset, run_name(wildcards)), sort_keys=True)
