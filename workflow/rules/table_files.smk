"""The runs that the paper's tables are made of, and the annotations of supporting objects that users bring."""

from jvgn.paper.runs import RUNS_OF_TABLES, VGG_RUN


def supporting_annotations(wildcards):
    """The annotations of a dataset's supporting objects, where the user has put some."""
    path = dataset_of(wildcards).supporting
    return existing(path) if path else []


def supporting_option(wildcards):
    return " ".join(f"--supporting {shlex.quote(path)}" for path in supporting_annotations(wildcards))


def table_metrics(wildcards):
    """The metrics behind a table. Without annotations of its supporting objects, a dataset has no figure to add."""
    runs = RUNS_OF_TABLES[wildcards.table]
    for run in runs:
        check_run_of_table(wildcards.table, run)
    if wildcards.table == "supporting":
        runs = [run for run in runs if run.dataset == "shapes" or supporting_annotations(run)]
    return [f"results/{run.metrics}" for run in runs]


def check_run_of_table(table, run):
    try:
        configuration.check_run(run.dataset, run.run)
    except UserError as error:
        hint = f"; for example: runs: {{{VGG_RUN}: {{detector: vgg16}}}}" if run.run == VGG_RUN else ""
        raise WorkflowError(f"results/tables/{table}.csv: {error}{hint}") from None
