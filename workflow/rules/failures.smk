"""Failures: why jobs have failed, in their own words. Snakemake names the jobs, and the words may be far above."""

import time

from jvgn.storage.shown_text import printable

BEGAN = int(time.time())
"""Logs that are older tell of other runs. Some file systems know whole seconds only."""


def tell_of_failures():
    """The errors in the logs of this run come last, each in a line that begins with `Error:`."""
    logs = {Path(path) for job in workflow.dag.needrun_jobs() for path in job.log if Path(path).is_file()}
    times = {log: log.stat().st_mtime for log in logs}
    for log in sorted(logs, key=times.get):
        if times[log] >= BEGAN:
            for line in log.read_text(errors="replace").splitlines():
                if line.startswith("Error: "):
                    print(printable(line), file=sys.stderr)
