"""What is wrong with SLURM, or with what is asked of it; its commands are stand-ins."""

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.errors.case import Bench, Case
from tests.errors.configurations import write_configuration

ANSWERS = {
    "sbatch": ":",
    "sinfo": "echo 'main* 2-00:00:00'; echo 'short 1:00'",
    "scontrol": "echo 'MinJobAge = 300 sec'",
    "sacct": ":",
    "sacctmgr": "echo lab",
}
FAILS = "echo 'Slurm accounting storage is disabled' >&2; exit 1"
FORGETS = "echo 'MinJobAge = 60 sec'"
CHOOSE = "choose with --default-resources slurm_partition=NAME among: …"
WAITS = "…; Snakemake would wait for ever for the end of its jobs: …"


def on_a_cluster(*options: str, status: str = "sacct", **answers: str | None) -> Callable[[Bench], list]:
    """Submits a world's drawing to a SLURM whose commands answer so; None is a command that is not there."""

    def arrange(bench: Bench) -> list:
        write_configuration(bench, {})
        put_on_path(bench, ANSWERS | answers)
        executor = ["--executor", "slurm", "--jobs", "1", "--slurm-status-command", status]
        return [*executor, *options, "--", "resources/shapes/instances.json"]

    return arrange


def put_on_path(bench: Bench, scripts: dict[str, str | None]) -> None:
    """Nothing else is there but what Snakemake itself asks for."""
    programs = bench.folder / "programs"
    programs.mkdir()
    for needed in ("bash", "which"):
        (programs / needed).symlink_to(str(shutil.which(needed)))
    for name, script in scripts.items():
        if script is not None:
            (programs / name).write_text(f"#!/bin/sh\n{script}\n")
            (programs / name).chmod(0o755)
    bench.patch.setenv("PATH", str(programs))


def silent_sinfo(bench: Bench) -> list:
    bench.patch.setattr("jvgn.runtime.slurm.PATIENCE", 0.2)
    sleep = Path(str(shutil.which("sleep"))).resolve()
    return on_a_cluster(sinfo=f"exec {sleep} 5")(bench)


def trained_on_machines(**options: int) -> Callable[[Bench], list]:
    def arrange(bench: Bench) -> list:
        bench.patch.delenv("SLURM_JOB_ID", raising=False)
        bench.patch.delenv("WORLD_SIZE", raising=False)
        files = ("settings", "dataset", "excluded", "images", "weights", "provenance")
        named = [part for name in files for part in (f"--{name}", bench.folder / name)]
        return ["train-detector", *named, *(f"--{name}={number}" for name, number in options.items())]

    return arrange


def partition(name: str) -> tuple[str, str]:
    return "--default-resources", f"slurm_partition={name}"


def account(name: str) -> tuple[str, str]:
    return "--default-resources", f"slurm_account={name}"


SLURM = [
    Case(
        "SLURM is not on this machine: there is no command sbatch; start Snakemake where you submit jobs, or with"
        " another profile, such as workflow/profiles/local",
        on_a_cluster(sbatch=None),
    ),
    Case("SLURM's command … is not on this machine", on_a_cluster(sinfo=None)),
    Case("SLURM's … has not answered within … s", silent_sinfo),
    Case("SLURM's … fails: …; start Snakemake where … answers", on_a_cluster(sinfo=FAILS)),
    Case(
        f"SLURM has no default partition, and none is chosen; {CHOOSE}",
        on_a_cluster(sinfo="echo 'main infinite'"),
    ),
    Case(
        f"SLURM has no partition …; {CHOOSE}",
        on_a_cluster(*partition("night")),
    ),
    Case(
        "… asks for … minutes, and SLURM's partition … allows …: the job would never start; ask for less with"
        " --set-resources …:runtime=MINUTES",
        on_a_cluster(*partition("short")),
    ),
    Case(WAITS, on_a_cluster(sacct=FAILS)),
    Case(
        "SLURM forgets a job … s after its end (MinJobAge), and Snakemake may ask later than that: set"
        " slurm-status-command: sacct in the profile",
        on_a_cluster(status="squeue", scontrol=FORGETS),
    ),
    Case("…; where SLURM keeps no accounts, leave out slurm_account", on_a_cluster(*account("lab"), sacctmgr=FAILS)),
    Case("SLURM has no account … for you; it has: …", on_a_cluster(*account("mine"))),
]
MACHINES = [
    Case("--processes … cannot be spread evenly over --machines …", trained_on_machines(processes=3, machines=2)),
    Case(
        "--machines … needs a SLURM job with as many nodes; this is not one",
        trained_on_machines(processes=4, machines=2),
    ),
]
CASES = [Case(case.message, case.arrange, "snakemake") for case in SLURM] + MACHINES
