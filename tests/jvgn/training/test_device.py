"""A training step never makes the device wait for the CPU, and never gives a wrong number because of that.

There is no GPU here, so calls are recorded instead: each operation that a GPU would have to be asked about, for a value
or for a shape that depends on values.
"""

import math

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from jvgn.batches import Batch
from jvgn.runtime.distributed import Processes
from jvgn.settings.run import TrainingSettings
from jvgn.training.trainer import Trainer
from tests.jvgn.small_batch import random_images, small_batch, small_model

aten = torch.ops.aten
WAITS = {
    *(aten._local_scalar_dense, aten.item, aten.is_nonzero, aten.equal, aten.allclose),  # a value
    *(aten.nonzero, aten.nonzero_numpy, aten.masked_select, aten.bincount, aten.repeat_interleave),  # a shape
    *(aten._unique, aten._unique2, aten.unique_dim, aten.unique_consecutive),
    *(aten._to_copy, aten.copy_),  # only those between devices count: see below
}
BETWEEN_DEVICES = {aten._to_copy, aten.copy_}


class Recorded(TorchDispatchMode):
    """Notes the operations that a device would have to wait for, but for those on `allowed` tensors."""

    def __init__(self, allowed=()):
        super().__init__()
        self.waits, self.calls = [], 0
        self.allowed = {tensor.data_ptr() for tensor in allowed}

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        options = options or {}
        self.calls += 1
        packet = function.overloadpacket
        boolean_index = packet in (aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_) and any(
            part is not None and part.dtype == torch.bool for part in arguments[1]
        )
        if boolean_index or (packet in WAITS and not self.is_harmless(packet, arguments, options)):
            self.waits.append(str(function))
        return function(*arguments, **options)

    def is_harmless(self, packet, arguments, options):
        if packet in BETWEEN_DEVICES:
            return options.get("device") is None
        return arguments[0].data_ptr() in self.allowed


def trainer_for(model, **settings):
    """A trainer without a dataset: its steps get their batches from us."""
    trainer = Trainer.__new__(Trainer)
    trainer.model, trainer.settings = model, TrainingSettings(**settings)
    trainer.processes = Processes(torch.device("cpu"))
    trainer.device, trainer.repair = trainer.processes.device, False
    trainer.optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    trainer.scaler = torch.amp.GradScaler("cpu", enabled=False)
    return trainer


def one_step(trainer: Trainer, batch: Batch) -> None:
    """Forward, loss, backward, clipping and the optimiser's step; all of a step but the reading of its loss."""
    trainer.backpropagate(trainer.losses(batch)[0].sum() / batch.with_target)
    trainer.update_weights()


@pytest.fixture
def batch():
    return small_batch()


@pytest.mark.parametrize("marginalise", [True, False])
def test_a_training_step_never_makes_the_device_wait(batch, marginalise):
    trainer = trainer_for(small_model().float().train(), gradient_norm=1.0)
    trainer.model.marginalise = marginalise
    one_step(trainer, batch)  # the optimiser makes its state in its first step
    counters = [state["step"] for state in trainer.optimiser.state.values()]  # torch keeps them on the CPU
    before = [value.clone() for value in trainer.model.parameters()]
    with Recorded(allowed=counters) as recorded:
        one_step(trainer, batch)
    assert recorded.waits == [] and recorded.calls > 100
    assert not all(map(torch.equal, before, trainer.model.parameters()))


def test_with_repair_the_device_is_asked(batch):
    """And the recorder sees it; otherwise the test above would prove nothing."""
    trainer = trainer_for(small_model().float().train())
    trainer.repair = True
    with Recorded() as recorded:
        trainer.losses(batch)
    assert recorded.waits


def gradients(trainer, batch, repair):
    trainer.repair = repair
    total, _ = trainer.compute_gradients(batch, batch.with_target)
    return total, [value.grad.clone() for value in trainer.model.parameters() if value.grad is not None]


def test_loss_and_gradients_are_bitwise_those_with_repair(batch):
    trainer = trainer_for(small_model().float().train())
    total, found = gradients(trainer, batch, repair=False)
    expected_total, expected = gradients(trainer, batch, repair=True)
    assert total == expected_total and all(map(torch.equal, found, expected))


def cancelling(model):
    """B_o = −B_s: the norm of a region paired with itself is a small difference of large numbers."""
    weight = model.pairwise.project.weight.data
    weight[:, weight.shape[1] // 2 :] = -weight[:, : weight.shape[1] // 2]
    model.pairwise.project.bias.data.mul_(0.01)
    return model


def steep(model):
    """Scores that are too far apart for the fast path of belief propagation."""
    model.pairwise.score.weight.data.mul_(1000)
    return model


@pytest.mark.parametrize("spoil", [cancelling, steep])
def test_a_step_that_loses_digits_is_taken_again_exactly(batch, spoil):
    """Also its dropout is the same, and from then on numbers are looked at."""
    stepped = {}
    for start_with_repair in (False, True):
        model = spoil(small_model().float().train())
        model.language.dropout.p = 0.5
        trainer = trainer_for(model)
        trainer.repair = start_with_repair
        torch.manual_seed(3)
        random = trainer.random_state()
        if not start_with_repair:
            assert math.isnan(trainer.compute_gradients(batch, batch.with_target)[0])
            trainer.set_random_state(random)
        take_step(trainer, batch)
        assert trainer.repair
        stepped[start_with_repair] = [value.clone() for value in model.parameters()] + [torch.get_rng_state()]
    assert all(map(torch.equal, stepped[False], stepped[True]))
    assert all(value.isfinite().all() for value in stepped[True][:-1])


def take_step(trainer, batch):
    """`Trainer.step` with the few things of a whole training that it reports to."""
    from jvgn.training.log import TrainingLog
    from jvgn.training.trainer import Progress

    trainer.progress, trainer.log, trainer.interruption = Progress(), TrainingLog(0, silent=True), None
    trainer.norm = None
    trainer.rows_by_image = {"train": {0: [0], 1: [1, 2]}}
    trainer.step(batch, epoch=0, rate=1e-3)
    assert trainer.progress.steps == 1 and trainer.progress.used == 3


def test_a_lost_number_that_no_loss_depends_on_is_seen_too():
    """An expression without a target has a loss of zero, but its NaN would spoil the gradients of all weights."""
    images = random_images()
    model = cancelling(small_model().float().train())
    batch = small_batch(images=images)
    batch.target_GN[0] = 0
    batch.target_GN[2] = 0  # what is left is an expression without any edge
    trainer = trainer_for(model)
    assert math.isnan(trainer.compute_gradients(batch, used=1)[0])
    total, found = gradients(trainer, batch, repair=True)
    assert math.isfinite(total) and all(gradient.isfinite().all() for gradient in found)
