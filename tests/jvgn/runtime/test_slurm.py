"""Trainings on several nodes, and the status script of the generic profile. SLURM's commands are stand-ins here."""

import os
import subprocess
from pathlib import Path

import pytest

from jvgn.runtime.distributed import on_machines, rendezvous, start_processes
from parsers.errors import UserError

FAILS = "echo 'Slurm accounting storage is disabled' >&2; exit 1"
STATUS = Path(__file__).parents[3] / "workflow/profiles/generic/status.sh"


@pytest.fixture
def answering(tmp_path, monkeypatch):
    """Return a function that puts scripts in the place of SLURM's commands."""

    def answer(**scripts):
        monkeypatch.setenv("PATH", str(tmp_path))
        for name, script in scripts.items():
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)

    return answer


def test_processes_on_several_nodes_are_started_by_srun_with_a_common_rendezvous(answering, monkeypatch):
    answering(srun=":")
    monkeypatch.setenv("SLURM_JOB_ID", "12345")
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    started = []
    monkeypatch.setattr(os, "execvp", lambda name, command: started.append((name, command)))
    start_processes(8, 2, 6)
    ((name, command),) = started
    said = " ".join(command)
    assert name == "srun" and "--nodes 2 --ntasks 2 --ntasks-per-node 1 --cpus-per-task 6" in said
    assert "--nproc-per-node 4 --nnodes 2" in said and "--rdzv-id 12345" in said
    assert rendezvous()[-1].endswith(":22345")


@pytest.mark.parametrize(
    ("count", "job", "message"),
    [(3, "1", "--processes 3: not a multiple of --machines 2"), (4, None, "needs a SLURM job")],
)
def test_several_nodes_need_a_slurm_job_and_as_many_processes_on_each(answering, monkeypatch, count, job, message):
    answering(srun=":")
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    if job:
        monkeypatch.setenv("SLURM_JOB_ID", job)
    with pytest.raises(UserError, match=message):
        on_machines(count, 2, 1)


@pytest.mark.parametrize(
    ("controller", "accounting", "expected"),
    [
        ("JobState=RUNNING", "", "running"),
        ("JobState=PENDING", "PREEMPTED", "running"),
        ("JobState=COMPLETED", "", "success"),
        ("JobState=PREEMPTED", "", "failed"),
        ("JobState=NODE_FAIL", "", "failed"),
        (None, "COMPLETED ", "success"),
        (None, "CANCELLED by 1000", "failed"),
        (None, "OUT_OF_ME+", "failed"),
    ],
)
def test_the_generic_profile_reports_the_state_of_a_job(answering, monkeypatch, controller, accounting, expected):
    system = os.environ["PATH"]
    answering(
        scontrol=f"echo 'JobId=7 {controller} Reason=None'" if controller else FAILS, sacct=f"echo '{accounting}'"
    )
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{system}")
    asked = subprocess.run(["bash", STATUS, "7"], capture_output=True, text=True, check=True)
    assert asked.stdout == f"{expected}\n"
