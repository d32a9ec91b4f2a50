"""The profiles of clusters plan the whole workflow, and every job asks for memory, time and GPUs."""

import os
import re
import resource
import subprocess
import sys

import pytest

from tests.snakemake_process import snakemake

TARGET = "results/shapes_det/metrics.json"


@pytest.mark.parametrize("profile", ["slurm", "generic", "kubernetes"])
def test_the_whole_workflow_is_planned(project, profile):
    folder = str(project.folder)
    place = ["--default-storage-prefix", folder] if profile == "kubernetes" else []
    plan = snakemake(
        project.folder, "--dry-run", "--workflow-profile", f"workflow/profiles/{profile}", *place, "--", TARGET
    )
    assert plan.returncode == 0, plan.stdout + plan.stderr
    said = plan.stdout + plan.stderr
    blocks = {name: block for block in said.split("\n[") for name in re.findall(r"^rule (\w+):", block, re.M)}
    assert {"train_detector", "extract_regions", "parse_expressions", "train", "score"} <= blocks.keys()
    submitted = {name: block for name, block in blocks.items() if not name.startswith("freeze_")}
    for name, block in submitted.items():
        for amount in ("mem_mb", "runtime"):
            assert re.search(rf"\b{amount}=\d+", block), f"{name} asks for no {amount}"
    for name in ("train_detector", "extract_regions", "train", "predict"):
        assert "gpu=1" in blocks[name]


def test_a_hundred_thousand_images_in_five_hundred_shards_are_planned_within_a_minute_and_two_gigabytes(
    another_project, miniature
):
    project, config = another_project(), miniature()
    config["datasets"]["many"] = config["datasets"]["shapes"] | {
        "folder": "resources/many",
        "images": "resources/many/images",
        "image_count": 100_000,
    }
    config["images_per_shard"] = 200
    project.configure(config)
    (project.folder / "resources/many/images").mkdir(parents=True)
    for name in ("refs(jvgn).p", "instances.json"):
        (project.folder / "resources/many" / name).touch()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--workflow-profile", "workflow/profiles/slurm"]
    command += ["--quiet", "host", "rules", "--", "results/many_det/metrics.json"]
    plan = subprocess.run(command, cwd=project.folder, capture_output=True, text=True, check=False, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert plan.returncode == 0, plan.stderr
    counts = dict(re.findall(r"^(\w+) +(\d+)$", plan.stdout + plan.stderr, re.M))
    assert (counts["extract_regions"], counts["parse_shard"]) == ("500", "500")
    # CPU seconds, because the machine may be busy. The peak is that of all children so far, in GB.
    seconds, peak = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss / 2**20
    assert seconds < 60 and peak < 2, f"{seconds:.0f} s, {peak:.2f} GB"


def test_slurm_without_accounting_is_refused_if_sacct_would_be_asked(project, tmp_path, monkeypatch):
    """Snakemake would wait forever for the end of its jobs."""
    answers = dict.fromkeys(("sbatch", "sinfo", "scontrol", "squeue"), "exit 0")
    for name, answer in (answers | {"sacct": "echo accounting storage is disabled >&2; exit 1"}).items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{answer}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    chosen = ("--executor", "slurm", "--jobs", "1", "--slurm-status-command", "sacct")
    run = snakemake(project.folder, *chosen, "--", "resources/shapes/instances.json")
    assert run.returncode == 1 and "accounting storage is disabled; set slurm-status-command: squeue" in run.stderr
