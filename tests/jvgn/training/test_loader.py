"""Batches come in the given order, with and without worker processes; precisions are checked before any work."""

import signal

import h5py
import numpy as np
import pytest
import torch

from jvgn.runtime.distributed import Processes, check_precision, fails
from jvgn.storage.processes import watched
from jvgn.training.checkpoint import load_model
from jvgn.training.examples import loaded, workers_for
from jvgn.training.run import train
from jvgn.training.trainer import Trainer
from parsers.errors import UserError

CPU = torch.device("cpu")


@pytest.fixture
def examples(small_world, run_settings):
    return small_world.examples(run_settings())


def groups(examples, size=7):
    rows = list(examples.rows_by_image("val").items())
    return [dict(rows[start : start + size]) for start in range(0, len(rows), size)]


def test_worker_processes_load_the_same_batches(examples):
    wanted = [*groups(examples)[::-1], {}]
    examples.remembers = False
    before = torch.get_rng_state()
    alone, together = (list(loaded(examples, wanted, workers, CPU)) for workers in (0, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert len(alone) == len(together) == len(wanted)
    assert alone.pop() is together.pop() is None
    for one, other in zip(alone, together, strict=True):
        assert all(map(torch.equal, tensors(one), tensors(other)))
        assert one.with_target == other.with_target and one.schedule.sizes == other.schedule.sizes


def tensors(batch):
    found = []
    batch.each(lambda value: found.append(value) or value)
    return found


def test_regions_that_fit_into_memory_need_no_workers(examples):
    assert examples.remembers and workers_for(examples, 4) == 0
    examples.remembers = False
    assert [workers_for(examples, threads) for threads in (1, 2, 4, 64)] == [1, 1, 3, 4]


def test_an_image_is_one_contiguous_read_of_features(examples, monkeypatch):
    read = []
    get = h5py.Dataset.__getitem__
    monkeypatch.setattr(
        h5py.Dataset, "__getitem__", lambda self, rows: read.append((self.name, rows)) or get(self, rows)
    )
    regions = examples.store.read(int(examples.store.image_ids[3]))
    ((name, rows),) = read
    assert name == "/feature" and rows.step in (None, 1) and rows.stop - rows.start == len(regions)


def test_features_stay_in_the_precision_of_the_file(examples):
    examples.store.read(int(examples.store.image_ids[0]))
    (batch, *_) = loaded(examples, groups(examples), 0, CPU)
    stored = examples.store.read(int(next(iter(groups(examples)[0]))))
    assert batch.feature_IND.numpy().dtype == stored.feature.dtype
    np.testing.assert_array_equal(batch.feature_IND[0, : len(stored)].numpy(), stored.feature)


BFLOAT16_LSTM = """
import torch
with torch.autocast("cpu", dtype=torch.bfloat16):
    torch.nn.LSTM(4, 4)(torch.ones(1, 1, 4))[0].sum().backward()
"""


def test_a_trained_model_has_the_same_loss_in_bfloat16(small_world, run_settings, tmp_path):
    if fails(BFLOAT16_LSTM):
        pytest.skip("this CPU runs no LSTM in bfloat16")
    settings = run_settings(epochs=2, precision="bf16", gradient_norm=1.0, contrast=0.1)
    train(small_world, settings, tmp_path / "model.safetensors", tmp_path / "history.parquet", CPU)
    model, losses = load_model(tmp_path / "model.safetensors", CPU).model, {}
    for precision in ("float32", "bf16"):
        training = run_settings(precision=precision).training
        trainer = Trainer(model, small_world.examples(settings), training, Processes(CPU))
        batches = trainer.examples.batches("val", 40)
        losses[precision] = sum(trainer.losses(batch)[0].sum().item() for batch in batches)
    assert losses["bf16"] != losses["float32"]
    assert losses["bf16"] == pytest.approx(losses["float32"], rel=0.01)


def test_half_precision_without_a_gpu_is_refused_before_any_work():
    with pytest.raises(UserError, match=r"precision: fp16 needs a GPU"):
        check_precision(CPU, "fp16")


def test_bfloat16_that_kills_the_process_is_refused(monkeypatch):
    monkeypatch.setattr("jvgn.runtime.distributed.PROBE", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    with pytest.raises(UserError, match=r"bf16 fails on this CPU"):
        check_precision(CPU, "bf16")


@pytest.mark.parametrize("split", ["train", "val"])
def test_a_dataset_without_a_split_is_refused_before_any_work(small_world, run_settings, examples, split):
    examples.expressions = examples.expressions.replace({"split": {split: "test"}})
    with pytest.raises(UserError, match=f"no expressions in split {split}"):
        Trainer(torch.nn.Linear(1, 1), examples, run_settings().training, Processes(CPU))


def test_signal_handlers_are_restored_afterwards():
    before = signal.getsignal(signal.SIGTERM)
    with watched() as interruption:
        signal.raise_signal(signal.SIGTERM)
        assert interruption.has_come
    assert signal.getsignal(signal.SIGTERM) == before
