"""A workflow that is told to end does so, whatever it is doing."""

import subprocess
import sys

INTERRUPTED = """
import os, signal, sys
from snakemake.cli import main
from snakemake.scheduling.milp import Scheduler

select_jobs = Scheduler.select_jobs

def interrupted(*arguments):
    os.kill(os.getpid(), signal.SIGTERM)
    return select_jobs(*arguments)

Scheduler.select_jobs = interrupted
main(sys.argv[1:])
"""


def test_a_signal_that_comes_while_jobs_are_selected_ends_the_workflow(another_project):
    command = [sys.executable, "-c", INTERRUPTED, "--cores", "1", "--", "results/evaluation.yaml"]
    project = another_project()
    run = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False, timeout=120)
    assert "Will exit after finishing currently running jobs" in run.stderr and run.returncode == 1, run.stderr
    assert project.snakemake("--", "results/evaluation.yaml").returncode == 0
