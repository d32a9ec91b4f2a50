"""Joint visual grounding with language scene graphs: from annotations and images to a grounding of every object.

snakemake --cores 8 results/refcocog_det/metrics.json
snakemake --workflow-profile workflow/profiles/demo demo
"""

from snakemake.utils import min_version

min_version("9.20")


include: "workflow/rules/legibility.smk"


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/dataset_files.smk"
include: "workflow/rules/detector_files.smk"
include: "workflow/rules/run_files.smk"
include: "workflow/rules/provisions.smk"
include: "workflow/rules/report_files.smk"
include: "workflow/rules/table_files.smk"
include: "workflow/rules/resources.smk"
include: "workflow/rules/integrity.smk"
include: "workflow/rules/disks.smk"
include: "workflow/rules/failures.smk"
include: "workflow/rules/targets.smk"


wildcard_constraints:
    dataset=either_of(configuration.datasets),
    training_set=either_of(configuration.training_sets),
    trained_on=either_of([*configuration.datasets, *configuration.training_sets]),
    detector=either_of(configuration.detectors),
    vocabulary=either_of(configuration.vocabularies),
    parser=either_of(configuration.all_parsers),
    setting="gt|det",
    run_folder=r"|/runs/[\w.+-]+",


scattergather:
    **{name: configuration.shards(name) for name in configuration.datasets},


include: "workflow/rules/settings.smk"
include: "workflow/rules/shapes.smk"
include: "workflow/rules/datasets.smk"
include: "workflow/rules/custom.smk"
include: "workflow/rules/sources.smk"
include: "workflow/rules/detectors.smk"
include: "workflow/rules/regions.smk"
include: "workflow/rules/corenlp.smk"
include: "workflow/rules/graphs.smk"
include: "workflow/rules/vocabulary.smk"
include: "workflow/rules/training.smk"
include: "workflow/rules/evaluation.smk"
include: "workflow/rules/gallery.smk"
include: "workflow/rules/readme.smk"
include: "workflow/rules/report_results.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/report_inputs.smk"
include: "workflow/rules/tables.smk"


# A scheduler signals every process of a job. The shell must outlive the command, which still saves its state; it also
# speaks for a command that had not started yet.
shell.prefix("set -euo pipefail; trap 'echo stopped by a signal >&2' TERM; ")


onstart:
    check_executor()
    check_disks()
    check_inputs()
    clear_leftovers()
    atexit.register(tell_of_disks)


onsuccess:
    atexit.unregister(tell_of_disks)


onerror:
    tell_of_failures()


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
        regions=collect(
            "results/regions/shapes_{setting}/{detector}.h5",
            setting=["gt", "det"],
            detector=configuration.run("shapes", "default").detector,
        ),
        average_precision="{}/average_precision.json".format(
            detector_folder("shapes", configuration.run("shapes", "default").detector)
        ),


check_targets()  # last: only now is every rule known
