"""Before the first job, unwritable disks are named and unfinished files removed; after the last, errors are printed."""

import os
import re
import subprocess

import pytest

TARGET = "results/evaluation.yaml"
CURE = "check its space and permissions, then run it again"


@pytest.fixture
def fresh(another_project):
    """A project in which nothing has been made, but for the folder of results."""
    project = another_project()
    (project.folder / "results").mkdir()
    return project


def mounted(*arguments):
    if os.geteuid() != 0 or subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a disk")


def test_unfinished_files_of_a_killed_job_are_removed_when_it_runs_again(fresh):
    results = fresh.folder / "results"
    left = [".evaluation.yaml.1a2b3c4d.unfinished.yaml", "..evaluation.yaml.origin.1a2b3c4d.unfinished.origin"]
    others = [".notes.txt.1a2b3c4d.unfinished.txt", ".evaluation.yaml.mine"]
    for name in [*left, *others]:
        (results / name).touch()
    run = fresh.snakemake("--", TARGET)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("Removing an unfinished file") == len(left)
    hidden = {path.name for path in results.iterdir() if path.name.startswith(".")}
    assert hidden == {*others, ".evaluation.yaml.origin"}  # other files may be in use


def test_a_folder_that_cannot_be_written_to_is_named_before_any_job(fresh):
    """For root, who may write everywhere else, by a read-only mount."""
    results = fresh.folder / "results"
    if os.geteuid() == 0:
        mounted("--bind", results, results)
        mounted("-o", "remount,bind,ro", results)
    else:
        results.chmod(0o555)
    try:
        run = fresh.snakemake("--", TARGET)
    finally:
        subprocess.run(["umount", "--lazy", results], check=True) if os.geteuid() == 0 else results.chmod(0o755)
    assert run.returncode == 1 and "Traceback" not in run.stderr and "localrule" not in run.stderr
    assert re.search(rf"^results: cannot be written \((Read-only|Permission).*\); {CURE}$", run.stderr, re.M)


def test_the_errors_of_failed_jobs_are_printed_last_and_no_others(fresh):
    """The log of another rule, which was written before this run, has an error too."""
    logs = fresh.folder / "logs/settings"
    logs.mkdir(parents=True)
    (logs / "evaluation.log").write_text("Error: of an earlier run\n")
    os.utime(logs / "evaluation.log", (0, 0))
    (fresh.folder / "resources/shapes").mkdir(parents=True)
    for name in ("refs(jvgn).p", "instances.json"):
        (fresh.folder / "resources/shapes" / name).write_text("damaged")
    (fresh.folder / "resources/shapes/images").mkdir()
    command = ("--allowed-rules", "read_dataset", "--", "results/datasets/shapes/images.parquet")
    run = fresh.snakemake(*command)
    assert run.returncode == 1
    errors = [line for line in run.stderr.splitlines() if line.startswith("Error: ")]
    assert len(errors) == 1 and errors[0].startswith("Error: resources/shapes/")
