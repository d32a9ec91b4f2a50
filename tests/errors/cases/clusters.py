"""Problems with SLURM; its commands are stand-ins."""

import shutil
from collections.abc import Callable

from tests.errors.case import Bench, Case
from tests.errors.configurations import write_configuration

FAILS = "echo 'Slurm accounting storage is disabled' >&2; exit 1"


def without_accounting(bench: Bench) -> list:
    write_configuration(bench, {})
    put_on_path(bench, {"sbatch": ":", "sinfo": ":", "scontrol": ":", "squeue": ":", "sacct": FAILS})
    executor = ["--executor", "slurm", "--jobs", "1", "--slurm-status-command", "sacct"]
    return [*executor, "--", "resources/shapes/instances.json"]


def put_on_path(bench: Bench, scripts: dict[str, str]) -> None:
    """Nothing else is there but what Snakemake itself asks for."""
    programs = bench.folder / "programs"
    programs.mkdir()
    for needed in ("bash", "which"):
        (programs / needed).symlink_to(str(shutil.which(needed)))
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    bench.patch.setenv("PATH", str(programs))


def trained_on_machines(**options: int) -> Callable[[Bench], list]:
    def arrange(bench: Bench) -> list:
        bench.patch.delenv("SLURM_JOB_ID", raising=False)
        bench.patch.delenv("WORLD_SIZE", raising=False)
        files = ("settings", "dataset", "excluded", "images", "weights", "provenance")
        named = [part for name in files for part in (f"--{name}", bench.folder / name)]
        return ["train-detector", *named, *(f"--{name}={number}" for name, number in options.items())]

    return arrange


CASES = [
    Case("sacct: …; set slurm-status-command: squeue in the profile", without_accounting, "snakemake"),
    Case("--processes … cannot be spread evenly over --machines …", trained_on_machines(processes=3, machines=2)),
    Case(
        "--machines … needs a SLURM job with as many nodes; this is not one",
        trained_on_machines(processes=4, machines=2),
    ),
]
