"""Files that are not as they were written are named before any job: Snakemake removes a job's old outputs first."""


def check_inputs():
    """What the jobs read, and none of them makes, is as it was written."""
    jobs = [*workflow.dag.needrun_jobs()]
    made = {path for job in jobs for path in job.output}
    for path in sorted({path for job in jobs for path in job.input} - made):
        try:
            check_unchanged(Path(path))
        except UserError as error:
            raise WorkflowError(str(error)) from None
