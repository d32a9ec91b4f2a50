"""Other ways to the same results: several nodes, the generic profile, SLURM without accounting."""

import shutil

import pandas as pd
import pytest

from tests.long.slurm.conftest import PROFILES

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


def test_the_generic_profile_submits_with_sbatch(finished, slurm, snakemake):
    (finished / METRICS).unlink()
    chosen = {"SBATCH_PARTITION": "main", "SBATCH_ACCOUNT": "lab"}
    quick = ("--latency-wait", "5", "--seconds-between-status-checks", "1")
    done = snakemake(finished, "--workflow-profile", PROFILES / "generic", *quick, METRICS, **chosen)
    assert "with external jobid '" in done.done()
    assert (finished / "logs/metrics/shapes_gt.log").read_text().startswith("SLURM job ")


def test_without_accounting_squeue_works(finished, slurm, by_slurm):
    """That sacct is refused then is proved in tests/workflow/test_cluster_plans.py."""
    (finished / METRICS).unlink(missing_ok=True)
    slurm.stop()
    slurm.start(accounting=False)
    by_slurm(finished, "--default-resources", "slurm_partition=main", "--", METRICS).done()
