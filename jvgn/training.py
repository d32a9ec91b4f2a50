"""Trains a run: only the referent's box is given; belief propagation carries the gradient to all other nodes.

`history.parquet`: epoch int32, loss float64 (mean over the expressions trained on), val_accuracy float64 (percent),
learning_rate float64, seconds float64.
"""

import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import nn
from tqdm import tqdm

from jvgn.batches import Batch
from jvgn.checkpoint import new_model, save_model
from jvgn.examples import Examples, batched
from jvgn.inputs import Inputs
from jvgn.model import JVGN, divergence
from jvgn.settings.run import RunSettings, TrainingSettings
from jvgn.training_state import TrainingState
from jvgn.vocabulary import Vocabulary, read_vectors
from parsers.files import UserError, sha256
from parsers.table import write_table

log = logging.getLogger(__name__)

HISTORY = pa.schema(
    [
        ("epoch", pa.int32()),
        ("loss", pa.float64()),
        ("val_accuracy", pa.float64()),
        ("learning_rate", pa.float64()),
        ("seconds", pa.float64()),
    ]
)


def train(inputs: Inputs, settings: RunSettings, model_path: Path, history_path: Path, device: torch.device) -> None:
    """`model_path` holds the epoch that is best on val (in det, a box with IoU > 0.5 is right: the field's measure).

    An interrupted training goes on from its last epoch.
    """
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(settings.training.seed)
    examples = inputs.examples(settings)
    vocabulary = Vocabulary.read(inputs.words)
    vectors = read_vectors(inputs.vectors, vocabulary)
    feature_size = examples.store.feature_size
    model = new_model(settings, vectors, feature_size).to(device)
    inputs_sha256 = [sha256(path) for path in inputs.files()]
    state = TrainingState(model_path.with_name("training_state.pt"), settings.model_dump_json(), *inputs_sha256)
    trainer = Trainer(model, examples, settings.training, device)
    trainer.run(state)
    model.load_state_dict(trainer.best_weights)
    save_model(model_path, model, settings, feature_size, vocabulary.words)
    write_table(history_path, {name: [row[name] for row in trainer.history] for name in HISTORY.names}, HISTORY)
    state.remove()


class Trainer:
    """The model, its optimiser and the epochs so far."""

    def __init__(self, model: JVGN, examples: Examples, settings: TrainingSettings, device: torch.device) -> None:
        self.model, self.examples, self.settings, self.device = model, examples, settings, device
        self.rows_by_image = examples.rows_by_image("train")
        in_train = int((examples.expressions["split"] == "train").sum())
        unseen = in_train - sum(map(len, self.rows_by_image.values()))
        if unseen:
            log.info("%d of %d training expressions left out: their images have no regions", unseen, in_train)
        for split in ("train", "val"):
            if not examples.rows_by_image(split):
                raise UserError(f"the dataset has no expressions in split {split}; training needs train and val")
        self.optimiser = torch.optim.Adam(model.parameters(), lr=self.settings.learning_rate)
        self.history: list[dict[str, float]] = []
        self.best_accuracy = -1.0
        self.best_weights: dict[str, torch.Tensor] = {}

    def resume(self, state: dict[str, Any] | None) -> None:
        if state is not None:
            self.model.load_state_dict(state["model"])
            self.optimiser.load_state_dict(state["optimiser"])
            self.history = state["history"]
            self.best_accuracy, self.best_weights = state["best_accuracy"], state["best_weights"]
            log.info("going on after epoch %d", len(self.history))

    def state(self) -> dict[str, Any]:
        return {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "history": self.history,
            "best_accuracy": self.best_accuracy,
            "best_weights": self.best_weights,
        }

    def run(self, state: TrainingState) -> None:
        """All epochs that `state` does not have yet."""
        self.resume(state.load())
        for epoch in range(len(self.history), self.settings.epochs):
            started = time.perf_counter()
            rate = self.settings.learning_rate * self.settings.decay ** (epoch // self.settings.decay_epochs)
            loss = self.train_epoch(epoch, rate)
            accuracy = self.accuracy("val")
            if accuracy > self.best_accuracy:  # the first of equals
                self.best_accuracy = accuracy
                self.best_weights = {name: value.cpu().clone() for name, value in self.model.state_dict().items()}
            row = {"epoch": epoch + 1, "loss": loss, "val_accuracy": accuracy, "learning_rate": rate}
            self.history.append(row | {"seconds": time.perf_counter() - started})
            state.save(**self.state())
            log.info("epoch %d: loss %.4f, val accuracy %.2f", epoch + 1, loss, accuracy)

    def train_epoch(self, epoch: int, rate: float) -> float:
        """The mean loss over the epoch's expressions; those that no region fits are left out, and counted."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        # Seeded anew each epoch, so that a resumed training draws what an undisturbed one would have drawn.
        torch.manual_seed(int(np.random.SeedSequence((self.settings.seed, epoch)).generate_state(1)[0]))
        self.model.train()
        total, used, seen = 0.0, 0, 0
        for batch in self.shuffled(epoch):
            log_probability_SN = self.model.referent_log_probability(batch, self.settings.marginalise)
            fits_S = batch.target_SN.sum(dim=1) > 0
            loss_S = divergence(log_probability_SN, batch.target_SN)[fits_S]
            if not loss_S.isfinite().all():
                raise UserError(
                    f"the loss is not finite in epoch {epoch + 1}; lower learning_rate or set gradient_norm"
                )
            if len(loss_S):
                self.step(loss_S.mean())
            total, used, seen = total + float(loss_S.detach().sum()), used + len(loss_S), seen + len(fits_S)
        if used < seen and epoch == 0:
            log.info("%d of %d training expressions left out: no region fits their referent", seen - used, seen)
        if not used:
            raise UserError(
                "no region fits the referent of any training expression; check the regions and their dataset"
            )
        return total / used

    def step(self, loss: torch.Tensor) -> None:
        self.optimiser.zero_grad()
        loss.backward()
        if self.settings.gradient_norm:
            nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.gradient_norm)
        self.optimiser.step()

    def shuffled(self, epoch: int) -> Iterator[Batch]:
        order = np.random.default_rng((self.settings.seed, epoch)).permutation(list(self.rows_by_image))
        parts = list(batched(order.tolist(), self.settings.images_per_batch))
        for image_ids in tqdm(parts, desc=f"epoch {epoch + 1}/{self.settings.epochs}", leave=False, disable=None):
            yield self.examples.batch({image_id: self.rows_by_image[image_id] for image_id in image_ids}).to(
                self.device
            )

    @torch.no_grad()
    def accuracy(self, split: str) -> float:
        """The share of a split's referents that are found, in percent."""
        self.model.eval()
        found, seen = 0, 0
        for batch in self.examples.batches(split, self.settings.images_per_batch):
            batch = batch.to(self.device)
            region_S = self.model.referent_log_probability(batch, self.settings.marginalise).argmax(dim=1)
            found += int(batch.right_SN.gather(1, region_S[:, None]).sum())
            seen += len(region_S)
        return 100 * found / seen
