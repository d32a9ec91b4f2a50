"""The shapes pipeline with the SLURM profile, while a training is preempted and an extraction is killed."""

import os
import re
import signal
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

from jvgn.storage.files import RECORD
from tests.long.slurm.cluster import output, run, until

METRICS = "results/shapes_gt/metrics.json"
LOCAL_LOGS = ("settings", "slurm", "tensorboard")
GPU_RULES = {"train_detector", "extract_regions", "train", "predict"}
TIMED = {"coverage.json", "history.parquet"}
"""Files that contain run times."""


class Disturbance(threading.Thread):
    """Pause a job when it has done part of its work, then preempt or kill it."""

    def __init__(self, pipeline, words, pattern, log, act):
        super().__init__(daemon=True)
        self.folder, self.words, self.pattern, self.log, self.act = pipeline.folder, words, pattern, log, act
        self.start()

    def run(self):
        until(lambda: self.process() is not None, " ".join(self.words), patience=600)
        process = self.process()
        until(lambda: any(self.folder.glob(self.pattern)), self.pattern, pause=0.001)
        os.kill(process, signal.SIGSTOP)
        job = re.search(r"^SLURM job (\d+)", self.log.read_text(), re.M)[1]
        self.act(job)
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGCONT)
        if self.act is ask_to_stop:
            until(lambda: "stopped by a signal" in self.log.read_text(), "the state to be saved", pause=0.01)
            run("scontrol", "requeue", job)

    def process(self):
        """Return the first process in the project's folder whose command has all the words."""
        for found in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
            with suppress(OSError):
                command = (found / "cmdline").read_bytes().decode(errors="replace").split("\0")
                if {"-m", *self.words} <= set(command) and (found / "cwd").readlink() == self.folder:
                    return int(found.name)
        return None


def kill(job):
    subprocess.run(["scancel", "--signal=KILL", job], check=True)


def ask_to_stop(job):
    subprocess.run(["scancel", "--signal=TERM", job], check=True)


@pytest.fixture(scope="module")
def disturbed(new_project, local, by_slurm):
    pipeline = by_slurm(new_project("slurm"), METRICS)
    logs = pipeline.folder / "logs"
    disturbances = [
        Disturbance(
            pipeline,
            ["extract-regions", "1-of-2"],
            "results/regions/shapes_gt/tiny.shards/1-of-2.parts/0.h5",
            logs / "regions/shapes_gt/tiny.1-of-2.log",
            kill,
        ),
        Disturbance(
            pipeline,
            ["train", "results/shapes_gt/settings.yaml"],
            "results/shapes_gt/training_state.pt",
            logs / "training/shapes_gt.log",
            ask_to_stop,
        ),
    ]
    pipeline.done()
    assert not any(disturbance.is_alive() for disturbance in disturbances)
    return pipeline


def test_the_results_are_those_of_one_machine_byte_for_byte(disturbed, local):
    local.done()
    everything = [path for path in (disturbed.folder / "results").rglob("*") if path.is_file()]
    # Records contain times, so only their existence is compared.
    files = [path for path in everything if path.suffix != RECORD]
    for record in {*everything} - {*files}:
        assert (local.folder / record.relative_to(disturbed.folder)).is_file(), record
    for path in files:
        expected = local.folder / path.relative_to(disturbed.folder)
        assert path.name in TIMED or path.read_bytes() == expected.read_bytes(), path
    assert {"metrics.json", "predictions.parquet", "model.safetensors", "tiny.h5"} <= {path.name for path in files}
    histories = [pd.read_parquet(one.folder / "results/shapes_gt/history.parquet") for one in (disturbed, local)]
    pd.testing.assert_frame_equal(*(history.drop(columns="seconds") for history in histories), check_exact=True)


def test_every_job_has_its_slurm_number_in_its_log(disturbed):
    submitted = {job for jobs in disturbed.submitted().values() for job in jobs}
    folder = disturbed.folder / "logs"
    logs = [path for path in folder.rglob("*.log") if path.relative_to(folder).parts[0] not in LOCAL_LOGS]
    assert len(logs) > 10 and not any(name.startswith("freeze") for name in disturbed.submitted())
    for path in logs:
        assert re.search(r"^SLURM job (\d+) on jvgn[12]", path.read_text(), re.M)[1] in submitted, path


def test_jobs_have_the_gpu_that_their_rule_asks_for(disturbed):
    for rule, jobs in disturbed.submitted().items():
        for job in jobs:
            granted = output("sacct", "-X", "-n", "-j", job, "-o", "AllocTRES%80")
            assert ("gres/gpu=1" in granted) == (rule in GPU_RULES), f"{rule}: {granted}"
    assert re.search(
        r"^SLURM job \d+ on jvgn[12], GPU [01]$", (disturbed.folder / "logs/training/shapes_gt.log").read_text(), re.M
    )


def test_a_killed_shard_is_submitted_again_and_goes_on_after_what_it_had(disturbed):
    assert len(disturbed.submitted()["extract_regions"]) == 3
    log = (disturbed.folder / "logs/regions/shapes_gt/tiny.1-of-2.log").read_text()
    there, all_windows = map(int, re.search(r"resuming: (\d) of (\d) windows are done", log).groups())
    assert 1 <= there <= all_windows == 2  # killed after the first window; on a busy machine, the second may be done


def test_a_preempted_training_keeps_its_job_and_goes_on_from_its_step(disturbed):
    (job,) = disturbed.submitted()["train"]
    states = output("sacct", "-X", "-n", "-D", "-j", job, "-o", "State").split()
    assert states == ["REQUEUED", "COMPLETED"]
    log = (disturbed.folder / "logs/training/shapes_gt.log").read_text()
    assert re.search(r"resuming after epoch \d+, step \d+", log) and "epoch 1:" not in log


def test_nothing_that_was_finished_is_computed_again(disturbed):
    repeated = {rule: len(jobs) for rule, jobs in disturbed.submitted().items() if len(jobs) > 1}
    assert repeated == {"extract_regions": 3}


def test_a_job_that_needs_more_memory_than_granted_is_killed_and_has_more_the_next_time(disturbed, by_slurm):
    (disturbed.folder / "results/shapes_gt/predictions.parquet").unlink()
    again = by_slurm(
        disturbed.folder, "--set-resources", "predict:mem_mb=600*attempt", "--", "results/shapes_gt/predictions.parquet"
    )
    again.done()
    first, *_, last = again.submitted()["predict"]
    assert first != last
    assert "exceeded memory limit" in next(disturbed.folder.rglob(f"logs/slurm/rule_predict/*/{first}.log")).read_text()
    asked = [output("sacct", "-X", "-n", "-j", job, "-o", "State,ReqMem").split() for job in (first, last)]
    assert asked[0] == ["FAILED", "600M"] and asked[1][0] == "COMPLETED" and asked[1][1] in ("1200M", "1800M")
