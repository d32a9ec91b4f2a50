"""A training that is interrupted at any step resumes with identical results; several processes train like one."""

import itertools
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest
import torch

from jvgn.model import divergence
from jvgn.storage.processes import Interrupted
from jvgn.training.run import train
from jvgn.training.trainer import Trainer
from parsers.errors import UserError
from tests.process_group import in_two_processes

CPU = torch.device("cpu")
ROOT = Path(__file__).parents[3]
STEPS = 70  # two epochs of 35


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    torch.set_num_threads(1)


def trained(inputs, settings, folder, **options):
    train(inputs, settings, folder / "model.safetensors", folder / "history.parquet", CPU, **options)
    return (folder / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def short(run_settings):
    """Two epochs with dropout, a state every 4 steps."""
    return run_settings(epochs=2, save_every=4)


@pytest.fixture(scope="module")
def undisturbed(small_world, short, tmp_path_factory):
    return trained(small_world, short, tmp_path_factory.mktemp("undisturbed"))


def signalled(monkeypatch, number, at):
    """Make the training send itself a signal in step `at`."""
    step, steps = Trainer.step, iter(range(1, STEPS + 1))

    def patched(self, *arguments):
        if next(steps) == at:
            os.kill(os.getpid(), number)
        step(self, *arguments)

    monkeypatch.setattr(Trainer, "step", patched)


def test_a_training_killed_at_any_step_ends_with_the_same_weights(
    small_world, short, undisturbed, tmp_path, monkeypatch
):
    at = random.SystemRandom().randint(5, STEPS)
    with monkeypatch.context() as patches:
        signalled(patches, signal.SIGKILL, at)
        child = multiprocessing.get_context("fork").Process(target=trained, args=(small_world, short, tmp_path))
        child.start()
        child.join()
    assert child.exitcode == -signal.SIGKILL
    assert not (tmp_path / "model.safetensors").exists()
    state = torch.load(tmp_path / "training_state.pt", weights_only=True)
    saved = 35 * len(state["history"]) + state["progress"]["steps"]
    assert at - 4 <= saved < at, f"killed in step {at}"
    assert trained(small_world, short, tmp_path) == undisturbed, f"killed in step {at}"


@pytest.mark.parametrize(("number", "at"), [(signal.SIGTERM, 18), (signal.SIGINT, 70)])
def test_a_signal_saves_the_step_and_stops(small_world, short, undisturbed, tmp_path, monkeypatch, number, at):
    before = signal.getsignal(number)
    with monkeypatch.context() as patches:
        signalled(patches, number, at)
        with pytest.raises(Interrupted, match=rf"in epoch {-(-at // 35)} after step {(at - 1) % 35 + 1};"):
            trained(small_world, short, tmp_path)
    assert signal.getsignal(number) == before
    assert trained(small_world, short, tmp_path) == undisturbed


def test_a_loss_that_is_not_finite_stops_with_its_step_its_expressions_and_a_state(
    small_world, short, tmp_path, monkeypatch
):
    calls, rows, losses = itertools.count(), [], Trainer.losses
    monkeypatch.setattr(Trainer, "losses", lambda self, batch: rows.append(batch.row_S) or losses(self, batch))
    monkeypatch.setattr(
        "jvgn.model.divergence", lambda *parts: divergence(*parts) * (torch.nan if next(calls) >= 6 else 1)
    )
    with pytest.raises(UserError, match=r"not finite in epoch 1, step 7 \(expressions \d+, .*training_state\.pt"):
        trained(small_world, short, tmp_path)
    state = torch.load(tmp_path / "training_state.pt", weights_only=True)
    expression_ids = pd.read_parquet(small_world.dataset / "expressions.parquet")["expression_id"]
    assert state["progress"]["steps"] == 6 and len(rows) == 8  # the bad step is computed again before it counts
    assert state["not_finite"] == expression_ids[rows[-1].numpy()].tolist()
    assert all(value.isfinite().all() for value in state["model"].values())


def command(inputs, settings, folder, processes=2):
    """Return the command that trains; two processes run under torchrun."""
    settings.write(folder / "settings.yaml")
    files = asdict(inputs) | {
        "settings": folder / "settings.yaml",
        "model": folder / "model.safetensors",
        "history": folder / "history.parquet",
    }
    options = [part for name, path in files.items() if path for part in (f"--{name}", str(path))]
    numbers = ["--processes", str(processes), "--threads", str(processes)]
    return [sys.executable, "-m", "jvgn", "train", *numbers, "--device", "cpu", *options]


def test_a_training_resumes_after_comments_were_edited(small_world, short, undisturbed, tmp_path, monkeypatch):
    with monkeypatch.context() as patches, pytest.raises(Interrupted):
        signalled(patches, signal.SIGTERM, 18)
        trained(small_world, short, tmp_path)
    for package in ("jvgn", "parsers"):
        edited = shutil.copytree(ROOT / package, tmp_path / "code" / package)
        for file in edited.rglob("*.py"):
            file.write_text(file.read_text() + "# an edited comment\n")
    again = command(small_world, short, tmp_path, processes=1)
    done = subprocess.run(again, cwd=tmp_path / "code", capture_output=True, text=True)
    assert "resuming after epoch 0, step 18" in done.stderr, done.stderr
    assert (tmp_path / "model.safetensors").read_bytes() == undisturbed


def step_losses(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    (file,) = folder.glob("events.*")  # one process writes
    events = EventAccumulator(str(file))
    events.Reload()
    return [event.value for event in events.Scalars("train/loss")]


def train_logged(inputs, settings, folder):
    return trained(inputs, settings, folder, tensorboard=folder / "tensorboard")


@pytest.fixture(scope="module")
def together(small_world, run_settings, tmp_path_factory):
    """The settings of a training in two processes, and its folder."""
    settings, folder = run_settings(epochs=1, save_every=2, dropout=0.0), tmp_path_factory.mktemp("together")
    in_two_processes(train_logged, small_world, settings, folder)
    return settings, folder


def test_two_processes_have_the_losses_of_one(small_world, together, tmp_path):
    settings, folder = together
    train_logged(small_world, settings, tmp_path)
    one, two = (step_losses(path / "tensorboard") for path in (tmp_path, folder))
    assert len(one) == len(two) == STEPS // 2
    assert two == pytest.approx(one, abs=1e-5)


def test_interrupted_processes_go_on_together(small_world, together, tmp_path):
    settings, folder = together
    state = tmp_path / "training_state.pt"
    process = subprocess.Popen(command(small_world, settings, tmp_path), stderr=subprocess.PIPE, text=True)
    while not state.exists() and process.poll() is None:
        time.sleep(0.05)
    process.terminate()
    _, said = process.communicate(timeout=600)
    assert process.returncode != 0 and state.exists(), said
    in_two_processes(trained, small_world, settings, tmp_path)
    assert (tmp_path / "model.safetensors").read_bytes() == (folder / "model.safetensors").read_bytes()
