"""The miniature project on a real SLURM. Needs root, minutes and /etc/slurm: run it with `make slurm-test`."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.long.slurm.cluster import missing_programs, running_cluster
from tests.workflow.conftest import copy_project, miniature_configuration

PROFILES = Path("workflow/profiles")
QUICK = [
    *("--slurm-init-seconds-before-status-checks", "1"),
    *("--seconds-between-status-checks", "1"),
    *("--latency-wait", "5"),
]
"""Short waits: the executor's defaults are for jobs of hours."""
CHOSEN = ["--default-resources", "slurm_partition=main", "slurm_account=lab"]
PATIENCE = 900


def pytest_collection_modifyitems(items):
    """Skip these tests unless JVGN_SLURM is set; if it is set, fail where SLURM cannot be started."""
    own = [item for item in items if Path(__file__).parent in item.path.parents]
    if not os.environ.get("JVGN_SLURM"):
        for item in own:
            item.add_marker(pytest.mark.skip(reason="real SLURM is for `make slurm-test`"))
    elif own and os.geteuid() != 0:
        raise pytest.UsageError("only root can start SLURM's daemons")
    elif own and (missing := missing_programs()):
        raise pytest.UsageError(f"install Debian's packages of SLURM; missing programs: {', '.join(missing)}")


@pytest.fixture(scope="package")
def slurm():
    with running_cluster() as cluster:
        yield cluster


@dataclass(frozen=True)
class Run:
    """A started Snakemake process."""

    folder: Path
    process: subprocess.Popen
    log: Path

    def done(self):
        """Wait, assert success, and return the output."""
        assert self.process.wait(timeout=PATIENCE) == 0, self.said()
        return self.said()

    def said(self):
        return self.log.read_text()

    def submitted(self):
        """Return the SLURM jobs of each rule or group, in order."""
        jobs = {}
        for name, job in re.findall(
            r"SLURM jobid \d+ \(log: \S+?/logs/slurm/(?:rule|group)_(\w+)/\S*?(\d+)\.log\)", self.said()
        ):
            jobs.setdefault(name, []).append(job)
        return jobs


@pytest.fixture(scope="package")
def snakemake(tmp_path_factory):
    """Return a function that starts Snakemake in a project."""
    logs, started = tmp_path_factory.mktemp("snakemake"), []

    def start(folder, *arguments, **environment):
        log = logs / f"{len(started)}.log"
        with log.open("w") as said:
            command = [sys.executable, "-m", "snakemake", *map(str, arguments)]
            process = subprocess.Popen(
                command, cwd=folder, stdout=said, stderr=subprocess.STDOUT, env=os.environ | environment
            )
        started.append(process)
        return Run(folder, process, log)

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
            process.wait()


@pytest.fixture(scope="package")
def by_slurm(slurm, snakemake):
    """Return a function that starts Snakemake with the profile, a partition and an account."""

    def start(folder, *arguments):
        return snakemake(folder, "--workflow-profile", PROFILES / "slurm", *CHOSEN, *QUICK, *arguments)

    return start


@pytest.fixture(scope="package")
def new_project(tmp_path_factory):
    """Return a function that makes a project whose jobs run long enough to be interrupted."""

    def make(name):
        config = miniature_configuration()
        config["shapes"]["train"] = 48
        dataset = config["datasets"]["shapes"]
        dataset |= {"shards": 2, "regions": dataset["regions"] | {"batch_size": 1}}
        dataset["run"]["training"] |= {"epochs": 12}
        config["runs"]["plain"] = {"training": {"dropout": 0.0, "epochs": 4}}
        return copy_project(tmp_path_factory.mktemp(name), config).folder

    return make


@pytest.fixture(scope="package")
def local(new_project, snakemake):
    """The project run on one machine, for comparison; started early and awaited when needed."""
    return snakemake(
        new_project("local"),
        *("--workflow-profile", PROFILES / "local"),
        *("results/shapes_gt/metrics.json", "results/shapes_gt/runs/plain/history.parquet"),
    )


@pytest.fixture(scope="package")
def finished(local, tmp_path_factory):
    """A copy of the finished local project."""
    local.done()
    return shutil.copytree(local.folder, tmp_path_factory.mktemp("finished") / "project", symlinks=True)
