"""Problems with SLURM are reported before the first job. The commands are stand-ins; tests/long/slurm has the real."""

import getpass
import os
import subprocess
from pathlib import Path

import pytest

from jvgn.runtime.distributed import on_machines, rendezvous, start_processes
from jvgn.runtime.slurm import Request, check_slurm, minutes
from parsers.errors import UserError

SINFO = "echo 'main* 2-00:00:00'; echo 'short 30:00'"
CONFIG = "echo 'MinJobAge               = 300 sec'"
FORGETS = "echo 'MinJobAge = 60 sec'"
FAILS = "echo 'Slurm accounting storage is disabled' >&2; exit 1"
STATUS = Path(__file__).parents[3] / "workflow/profiles/generic/status.sh"
GOOD = Request("train", "main", "lab", 1440)


@pytest.fixture
def answering(tmp_path, monkeypatch):
    """Puts commands with these answers in SLURM's place."""

    def answer(**answers):
        monkeypatch.setenv("PATH", str(tmp_path))
        scripts = {"sbatch": ":", "sinfo": SINFO, "scontrol": CONFIG, "sacct": ":", "sacctmgr": "echo lab"} | answers
        for name, script in scripts.items():
            if script is not None:
                (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
                (tmp_path / name).chmod(0o755)

    return answer


def test_a_cluster_that_has_all_is_fine(answering):
    answering()
    check_slurm([GOOD, Request("score", None, None, None), Request("score", "short,main", "LAB", 60)], "sacct", 40)


@pytest.mark.parametrize(
    ("answers", "request_", "status", "message"),
    [
        ({"sbatch": None}, GOOD, "sacct", "SLURM is not on this machine"),
        ({"sinfo": FAILS}, GOOD, "sacct", "SLURM's sinfo fails: Slurm accounting storage"),
        ({}, Request("train", "night", "lab", 5), "sacct", "no partition night; choose .* among: main, short"),
        ({"sinfo": "echo 'main infinite'"}, Request("train", None, "lab", 5), "sacct", "no default partition"),
        ({}, Request("train", "short", "lab", 60), "sacct", "train asks for 60 minutes, .* short allows 30: "),
        ({"sacct": FAILS}, GOOD, "sacct", "would wait for ever .*: set slurm-status-command: squeue in the profile$"),
        ({"sacct": FAILS, "scontrol": FORGETS}, GOOD, "squeue", r"or kept for 200 s after .* \(MinJobAge is 60\)$"),
        ({"scontrol": FORGETS}, GOOD, "squeue", "forgets a job 60 s .*: set slurm-status-command: sacct"),
        ({"sacctmgr": FAILS}, GOOD, "sacct", "leave out slurm_account"),
        ({}, Request("train", "main", "mine", 5), "sacct", "no account mine for you; it has: lab"),
    ],
)
def test_what_would_fail_or_wait_for_ever_is_refused(answering, answers, request_, status, message):
    answering(**answers)
    with pytest.raises(UserError, match=message):
        check_slurm([request_], status, 40)


def test_without_accounting_squeue_will_do(answering):
    answering(sacct=FAILS)
    check_slurm([Request("train", "main", None, 5)], "squeue", 40)


def test_a_slurm_that_forgets_no_job_at_all_will_do_without_accounting(answering):
    answering(sacct=FAILS, scontrol="echo 'MinJobAge = 0 sec'")
    check_slurm([Request("train", "main", None, 5)], "squeue", 40)


def test_a_partition_that_slurm_hides_from_its_lists_can_be_chosen(answering):
    answering(sinfo=f'{SINFO}; case "$*" in *--all*) echo "night infinite";; esac')
    check_slurm([Request("train", "night", None, 5)], "squeue", 40)


def test_names_may_be_digits_alone_and_accounts_several(answering):
    answering(sinfo="echo '7 infinite'", sacctmgr="echo lab; echo 123456")
    check_slurm([Request("train", 7, 123456, 5), Request("score", "7", "lab,123456", 5)], "squeue", 40)
    with pytest.raises(UserError, match="SLURM has no account 99 for you; it has: 123456, lab"):
        check_slurm([Request("train", 7, "lab,99", 5)], "squeue", 40)


@pytest.mark.parametrize(
    ("limit", "expected"), [("30:00", 30), ("12:00:00", 720), ("2-00:00:00", 2880), ("1:30", 1.5), ("infinite", 1e99)]
)
def test_time_limits_are_read_as_slurm_writes_them(limit, expected):
    assert minutes(limit) == expected or minutes(limit) > expected == 1e99


def test_processes_on_several_machines_are_started_by_srun_and_meet_where_the_job_says(answering, monkeypatch):
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
    [(3, "1", "--processes 3 cannot be spread evenly over --machines 2"), (4, None, "needs a SLURM job")],
)
def test_machines_without_a_job_or_with_uneven_processes_are_refused(answering, monkeypatch, count, job, message):
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
def test_the_generic_profile_knows_what_has_become_of_a_job(answering, monkeypatch, controller, accounting, expected):
    system = os.environ["PATH"]
    answering(
        scontrol=f"echo 'JobId=7 {controller} Reason=None'" if controller else FAILS, sacct=f"echo '{accounting}'"
    )
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{system}")
    asked = subprocess.run(["bash", STATUS, "7"], capture_output=True, text=True, check=True)
    assert asked.stdout == f"{expected}\n"


def test_the_account_is_looked_for_under_the_users_name(answering, tmp_path):
    answering(sacctmgr=f'echo "$@" > {tmp_path}/asked; echo lab')
    check_slurm([GOOD], "sacct", 40)
    assert f"user={getpass.getuser()}" in (tmp_path / "asked").read_text()
