"""A workflow that is told to end does so, whatever it is doing."""

import subprocess
import sys
from pathlib import Path

RULES = Path(__file__).parents[2] / "workflow" / "rules"
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
UNHEARD = f"""
from threading import Timer, get_ident

include: "{RULES}/signals.smk"

def signal_passing_by():
    signal.pthread_kill(get_ident(), signal.SIGTERM)

onstart:
    heed_signals()
    Timer(3, signal_passing_by).start()

rule slow:
    output: "made"
    shell: "sleep 9; touch {{output}}"
"""


def test_a_signal_that_comes_while_jobs_are_selected_ends_the_workflow(another_project):
    command = [sys.executable, "-c", INTERRUPTED, "--cores", "1", "--", "results/evaluation.yaml"]
    project = another_project()
    run = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False, timeout=120)
    assert "Will exit after finishing currently running jobs" in run.stderr and run.returncode == 1, run.stderr
    assert project.snakemake("--", "results/evaluation.yaml").returncode == 0


def test_a_signal_that_the_waiting_thread_does_not_hear_is_answered_before_a_job_ends(tmp_path):
    (tmp_path / "Snakefile").write_text(UNHEARD)
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120).stderr
    assert 0 < said.find("Will exit after finishing currently running jobs") < said.find("Finished jobid"), said
    assert (tmp_path / "made").exists()
