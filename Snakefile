"""Joint visual grounding with language scene graphs: from annotations and images to a grounding of every object.

snakemake --cores 8 results/refcocog_det/metrics.json
snakemake --workflow-profile workflow/profiles/demo demo
"""

import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.20")

# The rules import this project's code, wherever Snakemake is started.
sys.path.insert(0, str(workflow.basedir))


include: "workflow/rules/checks.smk"


check_writable(Path.cwd())
check_yaml("config.yaml")


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"


wildcard_constraints:
    dataset=either_of(configuration.datasets),
    training_set=either_of(configuration.training_sets),
    trained_on=either_of([*configuration.datasets, *configuration.training_sets]),
    detector=either_of(configuration.detectors),
    vocabulary=either_of(configuration.vocabularies),
    parser=either_of(configuration.all_parsers),
    setting="gt|det",
    run_folder=either_of(["", *(f"{os.sep}runs/{run}" for run in configuration.all_runs if run != DEFAULT_RUN)]),


scattergather:
    **{name: configuration.shards(name) for name in configuration.datasets},


include: "workflow/rules/settings.smk"
include: "workflow/rules/shapes.smk"
include: "workflow/rules/downloads.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/detector.smk"
include: "workflow/rules/regions.smk"
include: "workflow/rules/graphs.smk"
include: "workflow/rules/vocabulary.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/views.smk"
include: "workflow/rules/paper.smk"


# A scheduler signals every process of a job. The shell must outlive the command, which is still saving its state.
shell.prefix("set -euo pipefail; trap 'echo stopped by a signal >&2' TERM; ")


onstart:
    check_accounting()
    check_disks()
    check_inputs()
    remove_leftovers()


onerror:
    report_failures()


localrules:
    demo,


rule demo:
    default_target: True
    input:
        collect(
            "results/shapes_{setting}/{file}",
            setting=["gt", "det"],
            file=[
                "metrics.json",
                "ablation.csv",
                "examples.png",
                "gallery/index.html",
                "report/results.html",
                "predictions.parquet",
                "model.safetensors",
                "runs/unmarginalised/model.safetensors",
            ],
        ),
        rules="results/shapes_gt/runs/rules/metrics.json",
        regions=collect(
            "results/regions/shapes_{setting}/{detector}.h5",
            setting=["gt", "det"],
            detector=configuration.run("shapes", "default").detector,
        ),
        average_precision=detector_folder("shapes", configuration.run("shapes", "default").detector)
        / "average_precision.json",
