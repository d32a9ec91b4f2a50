"""Failures: why jobs have failed, in their own words. Snakemake names the jobs, and the words may be far above."""

import time

BEGAN = time.time()
"""Logs that are older tell of other runs."""


def tell_of_failures():
    """The errors in the logs of this run come last, each in a line that begins with `Error:`."""
    logs = sorted({Path(path) for job in workflow.dag.needrun_jobs() for path in job.log})
    for log in logs:
        if log.is_file() and log.stat().st_mtime >= BEGAN:
            for line in log.read_text(errors="replace").splitlines():
                if line.startswith("Error: "):
                    print(line, file=sys.stderr)
