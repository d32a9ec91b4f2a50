"""A disk that nothing can be written to is named before any job, and what killed jobs have left there is removed."""

import os
import re
import shutil
import subprocess

import pytest

TARGET = "results/evaluation.yaml"
CURE = "see to the disk, then run it again"


@pytest.fixture
def fresh(another_project):
    """A project in which nothing has been made, but for the folder of results."""
    project = another_project()
    (project.folder / "results").mkdir()
    return project


def mounted(*arguments):
    if os.geteuid() != 0 or subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a disk")


def test_what_a_killed_job_has_left_is_removed_when_the_job_runs_again(fresh):
    results = fresh.folder / "results"
    left = [".evaluation.yaml.1a2b3c4d.unfinished.yaml", "..evaluation.yaml.origin.1a2b3c4d.unfinished.origin"]
    others = [".notes.txt.1a2b3c4d.unfinished.txt", ".evaluation.yaml.mine"]
    for name in [*left, *others]:
        (results / name).touch()
    run = fresh.snakemake("--", TARGET)
    assert run.returncode == 0, run.stderr
    assert run.stderr.count("Removing what a killed job has left") == len(left)
    hidden = {path.name for path in results.iterdir() if path.name.startswith(".")}
    assert hidden == {*others, ".evaluation.yaml.origin"}  # the others may be somebody else's


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


def test_a_full_disk_is_told_of_even_where_nothing_can_be_logged(fresh, tmp_path):
    mounted("-t", "tmpfs", "-o", "size=64m", "tmpfs", tmp_path)
    try:
        shutil.copytree(fresh.folder, tmp_path / "project")
        project = type(fresh)(tmp_path / "project")
        ballast, disk = tmp_path / "ballast", os.statvfs(tmp_path)
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, disk.f_bavail * disk.f_frsize)
        run = project.snakemake("--", TARGET)
        assert run.returncode == 1
        assert f"Error: {project.folder}: cannot be written (No space left on device); {CURE}\n" in run.stderr
        ballast.unlink()
        run = project.snakemake("--", TARGET)
        assert run.returncode == 0 and (project.folder / TARGET).exists(), run.stderr
    finally:
        subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_a_download_that_is_there_is_not_called_unknown(fresh):
    (fresh.folder / "resources/downloads").mkdir(parents=True)
    (fresh.folder / "resources/downloads/refcoco.zip").touch()
    run = fresh.snakemake("--", "resources/downloads/refcoco.zip")
    assert run.returncode == 1 and "refcoco.zip: is there already; delete it, if it shall" in run.stderr
