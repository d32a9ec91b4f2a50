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
from parsers.backends import BACKENDS
from parsers.files import UserError
from snakemake.exceptions import WorkflowError

try:
    configuration = checked_configuration(config, BACKENDS)
except UserError as error:
    raise WorkflowError(str(error)) from None


def check_targets(targets):
    """A target that names what the configuration lacks is an error that lists what it has."""
    for target in targets:
        found = re.match(r"results/(?P<dataset>[^/]+)_(gt|det)/(runs/(?P<run>[^/]+)/)?", target)
        for kind, known in (("dataset", configuration.datasets), ("run", configuration.all_runs)):
            name = found and found[kind]
            if name and name not in known:
                raise WorkflowError(f"{target}: config.yaml has no {kind} {name}; it has: {', '.join(known)}")


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


def datasets_with_these_images(wildcards):
    """All datasets whose images a detector for this one may meet: itself and those of the same image folder."""
    folder = Path(images(wildcards)).resolve()
    return [name for name, dataset in configuration.datasets.items() if Path(dataset.images).resolve() == folder]


def expressions_with_these_images(wildcards):
    return [f"results/datasets/{name}/expressions.parquet" for name in datasets_with_these_images(wildcards)]


def other_expressions(wildcards):
    own = f"results/datasets/{wildcards.dataset}/expressions.parquet"
    return [path for path in expressions_with_these_images(wildcards) if path != own]


def other_expressions_as_options(wildcards):
    return " ".join(f"--others {shlex.quote(path)}" for path in other_expressions(wildcards))


def pretrained(wildcards):
    """The weights a detector starts from, if any."""
    return configuration.detectors[wildcards.detector].pretrained or []


def glove(wildcards):
    """The GloVe file of a vocabulary, if any."""
    return configuration.vocabularies[wildcards.vocabulary].glove or []


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


def proof(wildcards):
    return f"results/detectors/{wildcards.dataset}/{run_of(wildcards).detector}/proof.json"


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


def region_settings(wildcards):
    return as_json(dataset_of(wildcards).regions)


def vocabulary_settings(wildcards):
    return as_json(configuration.vocabularies[wildcards.vocabulary])


def run_settings(wildcards):
    return json.dumps(configuration.merged(wildcards.dataset, run_name(wildcards)), sort_keys=True)
