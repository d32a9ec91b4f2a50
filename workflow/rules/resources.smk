"""What a job asks for. Amounts grow with every attempt: a scheduler ends a job that takes more than it asked for.

The time of a training or an extraction does not grow: the next attempt goes on where the last was stopped.
"""

from jvgn.runtime.slurm import Request, check_slurm


def growing(amount):
    """As much for the first attempt, twice that for the second, and so on."""

    def grown(wildcards, attempt):
        return amount * attempt

    return grown


def parser_memory(wildcards, threads, attempt):
    """Megabytes. CoreNLP has a Java of up to 2 GB beside each process."""
    is_java = configuration.all_parsers[wildcards.parser].backend == "corenlp"
    return attempt * threads * (4500 if is_java else 2000)


def check_executor():
    """Stops before the first job where a cluster could not run it, or Snakemake not see its end."""
    if workflow.executor_plugin.name != "slurm":
        return
    settings, jobs = workflow.executor_settings, [job for job in workflow.dag.needrun_jobs() if not job.is_local]
    requests = {
        Request(
            job.rule.name,
            job.resources.get("slurm_partition"),
            job.resources.get("slurm_account"),
            job.resources.get("runtime"),
        )
        for job in jobs
    }
    try:
        check_slurm(requests, settings.status_command, settings.init_seconds_before_status_checks)
    except UserError as error:
        raise WorkflowError(str(error)) from None
