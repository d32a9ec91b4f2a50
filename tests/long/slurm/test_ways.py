"""Other ways to the same results: several nodes, any command that submits, squeue alone; and what is refused."""

import shutil

import pandas as pd
import pytest

from tests.long.slurm.conftest import CHOSEN, PROFILES

PLAIN = "results/shapes_gt/runs/plain/history.parquet"
METRICS = "results/shapes_gt/metrics.json"


def test_two_nodes_train_together_with_the_losses_of_one_process(finished, by_slurm, local):
    shutil.rmtree((finished / PLAIN).parent)
    spread = ("nodes=2", "gpu=2", "tasks=2", "tasks_per_gpu=0", "mpi=srun")
    done = by_slurm(finished, "--set-resources", *(f"train:{one}" for one in spread), "--", PLAIN)
    done.done()
    log = (finished / "logs/training/shapes_gt/runs/plain.log").read_text()
    assert "on jvgn1, GPU" in log and "on jvgn2, GPU" in log
    found, expected = (pd.read_parquet(folder / PLAIN) for folder in (finished, local.folder))
    assert found["loss"].tolist() == pytest.approx(expected["loss"].tolist(), rel=1e-4)


def test_any_command_that_submits_will_do(finished, slurm, snakemake):
    (finished / METRICS).unlink()
    chosen = {"SBATCH_PARTITION": "main", "SBATCH_ACCOUNT": "lab"}
    quick = ("--latency-wait", "5", "--seconds-between-status-checks", "2")
    done = snakemake(finished, "--workflow-profile", PROFILES / "generic", *quick, METRICS, **chosen)
    assert "with external jobid '" in done.done()
    assert (finished / "logs/metrics/shapes_gt.log").read_text().startswith("SLURM job ")


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        (["slurm_account=lab"], "SLURM has no default partition, and none is chosen; choose with"),
        (["slurm_partition=night", "slurm_account=lab"], "SLURM has no partition night; choose with"),
        (["slurm_partition=main", "slurm_account=mine"], "SLURM has no account mine for you; it has: lab"),
    ],
)
def test_what_slurm_does_not_have_is_refused_before_any_job(finished, by_slurm, resources, message):
    (finished / METRICS).unlink(missing_ok=True)
    said = by_slurm(finished, "--default-resources", *resources, "--", METRICS).refused()
    assert message in said and "has been submitted" not in said


def test_a_job_that_asks_for_more_time_than_is_allowed_is_refused(finished, by_slurm):
    said = by_slurm(finished, "--set-resources", "score:runtime=9999", "--", METRICS).refused()
    assert "score asks for 9999 minutes, and SLURM's partition main allows 2880" in said


def test_a_machine_without_slurm_is_told_so(finished, snakemake, tmp_path):
    for program in ("bash", "which"):
        (tmp_path / program).symlink_to(shutil.which(program))
    said = snakemake(
        finished, "--workflow-profile", PROFILES / "slurm", *CHOSEN, "--", METRICS, PATH=str(tmp_path)
    ).refused()
    assert "SLURM is not on this machine: there is no command sbatch" in said


def test_without_accounting_it_says_what_to_set_and_runs_with_that(finished, slurm, by_slurm):
    slurm.stop()
    slurm.start(accounting=False)
    by_sacct = ("--default-resources", "slurm_partition=main", "--slurm-status-command", "sacct")
    said = by_slurm(finished, *by_sacct, "--", METRICS).refused()
    assert "Snakemake would wait for ever for the end of its jobs: set slurm-status-command: squeue" in said
    said = by_slurm(finished, "--", METRICS).refused()
    assert "where SLURM keeps no accounts, leave out slurm_account" in said
    by_slurm(finished, "--default-resources", "slurm_partition=main", "--", METRICS).done()
