"""The training loop: epochs of steps. An interrupted training resumes at any step with bit-identical results.

Under `torchrun`, each process takes its share of every mini-batch's images and gradients are summed, so that a step is
the same as that of one process with the whole mini-batch, up to rounding; but `contrast` compares only the images of a
process's own share.
"""

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from jvgn.batches import Batch
from jvgn.model import GroundingModel, divergence
from jvgn.runtime.distributed import Processes, autocast
from jvgn.settings.run import TrainingSettings
from jvgn.storage.processes import Interrupted, Interruption
from jvgn.storage.tensor_files import TrainingState
from jvgn.training.examples import Examples, Group, batched, loaded
from jvgn.training.log import TrainingLog
from parsers.errors import UserError

log = logging.getLogger(__name__)

SHOWN_IDS = 10
CLOSE = 0.05
"""A first epoch that gains less than this share of what guessing leaves to gain is a warning."""


@dataclass
class Progress:
    """The steps of the current epoch so far, over all processes."""

    steps: int = 0
    loss: float = 0.0
    """Summed over the labelled nodes trained on."""
    used: int = 0
    labelled: int = 0
    seen: int = 0
    """Expressions."""
    found: int = 0
    """Of these, those whose referent was found, with dropout and before the weights learned from them."""
    gradient_norm: float = 0.0
    """Summed over the steps whose gradients were finite, `updates` in number."""
    updates: int = 0
    seconds: float = 0.0


class Arriving:
    """Numbers on their way from the device. Only reading them waits, and only for the work that was queued before."""

    def __init__(self, *numbers: Tensor) -> None:
        together = torch.stack([number.detach().float() for number in numbers])
        self.numbers = together.to("cpu", non_blocking=True)
        self.arrived = torch.cuda.Event() if together.is_cuda else None
        if self.arrived:
            self.arrived.record(torch.cuda.current_stream(together.device))

    def read(self) -> list[float]:
        if self.arrived:
            self.arrived.synchronize()
        return self.numbers.tolist()


@dataclass(frozen=True)
class Guess:
    """What a model reaches that finds all regions equally probable."""

    accuracy: float
    loss: float

    def compare(self, row: dict[str, float]) -> None:
        """Warn if the first epoch is hardly better."""
        if (
            row["val_accuracy"] < self.accuracy + CLOSE * (100 - self.accuracy)
            or row["val_loss"] > (1 - CLOSE) * self.loss
        ):
            log.warning(
                "after the first epoch, accuracy %.2f and loss %.4f on val are close to those of guessing (%.2f, %.4f);"
                " check that regions and boxes belong together, or change learning_rate",
                *(row["val_accuracy"], row["val_loss"], self.accuracy, self.loss),
            )


class Trainer:
    """The model, its optimiser and the steps so far."""

    def __init__(
        self,
        model: GroundingModel,
        examples: Examples,
        settings: TrainingSettings,
        processes: Processes,
        workers: int = 0,
    ) -> None:
        self.model, self.examples, self.settings = model, examples, settings
        self.processes, self.device, self.workers = processes, processes.device, workers
        self.rows_by_image = {split: examples.rows_by_image(split) for split in ("train", "val")}
        for split, rows in self.rows_by_image.items():
            if not rows:
                raise UserError(
                    f"{examples.dataset}: has no expressions in split {split}; training needs train and val"
                )
        in_train = int((examples.expressions["split"] == "train").sum())
        if unseen := in_train - sum(map(len, self.rows_by_image["train"].values())):
            log.info("%d of %d training expressions skipped: their images have no regions", unseen, in_train)
        # Fused, Adam skips a step of fp16 whose gradients overflow without asking the device whether they did.
        fused = self.device.type == "cuda"
        self.optimiser = torch.optim.Adam(model.parameters(), lr=settings.learning_rate, fused=fused)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=settings.precision == "fp16")
        self.history: list[dict[str, float]] = []
        self.progress = Progress()
        self.norm: Arriving | None = None
        """The length of the last gradient, if it is not in the progress yet."""
        self.best_accuracy = -1.0
        self.best_weights: dict[str, Tensor] = {}
        self.interruption: Interruption | None = None
        self.repair = False
        """Whether steps look for numbers that lost their digits, for which the device has to wait; at first not."""
        self.log = TrainingLog(0, silent=True)

    def run(self, state: TrainingState, log_to: Callable[[int, int], TrainingLog] | None = None) -> None:
        """Take all steps that are left after `state`. `log_to(total, done)` makes the log, in expressions."""
        self.file = state
        self.resume(state.load())
        expressions = self.expressions("train")
        guess = self.guess() if self.processes.is_first and not self.history else None
        if log_to:
            self.log = log_to(expressions * self.settings.epochs, expressions * len(self.history) + self.progress.seen)
        try:
            for epoch in range(len(self.history), self.settings.epochs):
                self.run_epoch(epoch)
                if guess and epoch == 0:
                    guess.compare(self.history[0])
        finally:
            self.log.close()

    def run_epoch(self, epoch: int) -> None:
        started = time.perf_counter() - self.progress.seconds
        rate = self.settings.learning_rate * self.settings.decay ** (epoch // self.settings.decay_epochs)
        self.train_epoch(epoch, rate, started)
        accuracy, loss = self.evaluate("val")
        if accuracy > self.best_accuracy:  # the first of equals
            self.best_accuracy = accuracy
            self.best_weights = {name: value.cpu().clone() for name, value in self.model.state_dict().items()}
        progress = self.progress
        row = {"epoch": epoch + 1, "loss": progress.loss / progress.used, "val_accuracy": accuracy, "val_loss": loss}
        row |= {"train_accuracy": 100 * progress.found / progress.seen, "learning_rate": rate}
        row |= {"gradient_norm": progress.gradient_norm / max(progress.updates, 1)}
        row |= {"seconds": time.perf_counter() - started}
        self.history.append(row)
        self.log.epoch(epoch + 1, row, self.expressions("train"))
        self.progress = Progress()
        self.save()

    def train_epoch(self, epoch: int, rate: float, started: float) -> None:
        """Take the rest of the epoch's steps. Labelled nodes without a fitting region are skipped and counted."""
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        if not self.progress.steps:
            self.seed(epoch)
        self.model.train()
        for batch in self.shuffled(epoch, self.progress.steps):
            self.step(batch, epoch, rate)
            self.progress.seconds = time.perf_counter() - started
            if self.progress.steps % self.settings.save_every == 0 and self.progress.steps < self.steps_per_epoch:
                self.save()
        self.count_norm()
        progress = self.progress
        if progress.used < progress.labelled and epoch == 0 and self.processes.is_first:
            skipped = progress.labelled - progress.used
            log.info("%d of %d labelled objects skipped: no region fits them", skipped, progress.labelled)
        if not progress.used:
            raise UserError(
                f"{self.examples.store.path}: no region fits the referent of any training expression; check the regions"
                " and their dataset"
            )

    def step(self, batch: Batch | None, epoch: int, rate: float) -> None:
        """Take one step on this process's share of a mini-batch; the batch is None if the share is empty.

        Nothing in it makes the device wait. The loss, the only number that is read, is copied while gradients are
        computed; it is checked before the weights change.
        """
        counts = (0, 0, 0) if batch is None else (batch.with_target, len(batch.labelled_G), len(batch.row_S))
        used, labelled, seen, stop = self.agreed(*counts)
        random = self.random_state()
        self.count_norm()
        total, found = self.compute_gradients(batch, used)
        if not math.isfinite(total) and not self.repair:
            # Some numbers lost their digits, in this step and probably in later ones: compute them again from now on.
            self.repair = True
            self.set_random_state(random)
            total, found = self.compute_gradients(batch, used)
        if not math.isfinite(total):
            self.stop_at_bad_loss(epoch)
        if used:
            self.update_weights()
        progress = self.progress
        progress.steps, progress.loss = progress.steps + 1, progress.loss + total
        progress.used, progress.labelled = progress.used + int(used), progress.labelled + int(labelled)
        progress.seen, progress.found = progress.seen + int(seen), progress.found + int(found)
        number = epoch * self.steps_per_epoch + progress.steps
        self.log.step(number, int(seen), total / max(used, 1), rate)
        if stop:
            self.stop_early()

    def compute_gradients(self, batch: Batch | None, used: float) -> list[float]:
        """Compute the gradients of the mean loss; return the sum of losses and the referents found."""
        loss_G, right_S = self.losses(batch)
        loss = loss_G.sum()
        arriving = Arriving(loss, right_S.sum())
        if used:
            self.backpropagate(loss / used)
        return self.processes.summed(*arriving.read())

    def losses(self, batch: Batch | None) -> tuple[Tensor, Tensor]:
        """Return (G,): the loss of each labelled node, eqs. (17) to (20), zero if no region fits it; and (S,): whether
        each referent is found.
        """
        if batch is None:
            return torch.zeros(0, device=self.device), torch.zeros(0, device=self.device)
        with autocast(self.device, self.settings.precision):
            beliefs = self.model.beliefs(batch, self.repair)
        return self.model.loss(batch, beliefs), self.is_right(batch, beliefs.referent_SN.detach())

    def backpropagate(self, loss: Tensor) -> None:
        self.optimiser.zero_grad()
        scaled = self.scaler.scale(loss)  # also without gradients: the scaler starts with its first loss
        if scaled.requires_grad:
            scaled.backward()
        self.processes.sum_gradients(self.model.parameters())

    def update_weights(self) -> None:
        self.scaler.unscale_(self.optimiser)
        if self.settings.gradient_norm:
            norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.gradient_norm)
        else:
            norm = nn.utils.get_total_norm([value.grad for value in self.model.parameters() if value.grad is not None])
        self.norm = Arriving(norm)
        self.scaler.step(self.optimiser)
        self.scaler.update()

    def count_norm(self) -> None:
        """Add the length of the last gradient to the progress. In fp16, a step with an infinite one is not taken."""
        if self.norm:
            (norm,) = self.norm.read()
            if math.isfinite(norm):
                self.progress.gradient_norm, self.progress.updates = (
                    self.progress.gradient_norm + norm,
                    self.progress.updates + 1,
                )
            self.norm = None

    def agreed(self, *values: float) -> list[float]:
        """Return the values summed over all processes, then the number of processes that were asked to stop."""
        return self.processes.summed(*values, float(self.interruption is not None and self.interruption.has_come))

    def stop_at_bad_loss(self, epoch: int) -> None:
        """Save the weights from before the step and the expressions of its mini-batch, those of all processes."""
        first = self.progress.steps * self.settings.images_per_batch
        images = self.order(epoch)[first : first + self.settings.images_per_batch]
        row_S = np.concatenate([self.rows_by_image["train"][image] for image in images])
        ids = self.examples.expressions["expression_id"].to_numpy()[row_S].tolist()
        self.save(not_finite=ids)
        log.error("the loss of one of these expressions is not finite: %s", ", ".join(map(str, ids)))
        shown = ", ".join(map(str, ids[:SHOWN_IDS])) + (", …" if len(ids) > SHOWN_IDS else "")
        raise UserError(
            f"the loss is not finite in epoch {epoch + 1}, step {self.progress.steps + 1} (expressions {shown}); the"
            f" state before it is in {self.file.path}; lower learning_rate or set gradient_norm"
        )

    def stop_early(self) -> None:
        self.save()
        epoch, step = len(self.history) + 1, self.progress.steps
        raise Interrupted(f"stopped by a signal in epoch {epoch} after step {step}; run it again to resume there")

    def shuffled(self, epoch: int, first: int) -> Iterator[Batch | None]:
        """Yield this process's shares of the epoch's mini-batches, starting at number `first`."""
        return self.shares("train", self.order(epoch), first)

    def order(self, epoch: int) -> list[int]:
        """Return the training images in the order of the epoch, the same in all processes."""
        images = list(self.rows_by_image["train"])
        return np.random.default_rng((self.settings.seed, epoch)).permutation(images).tolist()

    def shares(self, split: str, images: Sequence[int], first: int = 0) -> Iterator[Batch | None]:
        parts = list(batched(images, self.settings.images_per_batch))[first:]
        rows = self.rows_by_image[split]
        groups: list[Group] = [{image: rows[image] for image in self.processes.share(part)} for part in parts]
        return loaded(self.examples, groups, self.workers, self.device)

    def guess(self) -> "Guess":
        """Return what guessing on val would reach, and log it."""
        guess = Guess(*self.examples.guess(self.rows_by_image["val"]))
        log.info("guessing on val has accuracy %.2f, and loss %.4f", guess.accuracy, guess.loss)
        return guess

    def accuracy(self, split: str) -> float:
        """Return the share of a split's referents that are found, in percent."""
        return self.evaluate(split)[0]

    @torch.no_grad()
    def evaluate(self, split: str) -> tuple[float, float]:
        """Return the accuracy on a split, in percent, and the mean loss of the referents that some region fits."""
        self.model.eval()
        if split not in self.rows_by_image:
            self.rows_by_image[split] = self.examples.rows_by_image(split)
        sums = np.zeros(4)
        for batch in self.shares(split, list(self.rows_by_image[split])):
            here = [0.0] * 4 if batch is None else self.scores(batch)
            *added, stop = self.agreed(*here)
            sums += added
            if stop:
                self.stop_early()
        found, seen, loss, used = sums.tolist()
        return 100 * found / seen, loss / max(used, 1)

    def scores(self, batch: Batch) -> list[float]:
        """Return how many referents are found, how many there are, and the sum and number of their losses."""
        with autocast(self.device, self.settings.precision):
            log_probability_SN = self.model.beliefs(batch).referent_SN
        # The divergence whatever the model's own loss is. Outside of train, the labelled nodes are the referents.
        loss = divergence(log_probability_SN.float(), batch.target_GN).sum()
        found, loss_sum = Arriving(self.is_right(batch, log_probability_SN).sum(), loss).read()
        return [found, len(batch.row_S), loss_sum, batch.with_target]

    @staticmethod
    def is_right(batch: Batch, log_probability_SN: Tensor) -> Tensor:
        """Return (S,): whether the most probable region of each referent, eq. (1), is right."""
        return batch.right_SN.gather(1, log_probability_SN.argmax(1)[:, None]).squeeze(1)

    @property
    def steps_per_epoch(self) -> int:
        return -(-len(self.rows_by_image["train"]) // self.settings.images_per_batch)

    def expressions(self, split: str) -> int:
        return sum(map(len, self.rows_by_image[split].values()))

    def seed(self, epoch: int) -> None:
        """Seed dropout by epoch and process."""
        rank = (self.processes.rank,) if self.processes.rank else ()
        torch.manual_seed(int(np.random.SeedSequence((self.settings.seed, epoch, *rank)).generate_state(1)[0]))

    def random_state(self) -> dict[str, Tensor]:
        on_device = {"cuda": torch.cuda.get_rng_state(self.device)} if self.device.type == "cuda" else {}
        return {"cpu": torch.get_rng_state(), **on_device}

    def set_random_state(self, state: dict[str, Tensor]) -> None:
        torch.set_rng_state(state["cpu"])
        if "cuda" in state:
            torch.cuda.set_rng_state(state["cuda"], self.device)

    def save(self, **more: Any) -> None:
        """Save the state from which this training, in as many processes, resumes."""
        self.count_norm()
        random = {kind: self.processes.gathered(value) for kind, value in self.random_state().items()}
        if self.processes.is_first:
            self.file.save(
                model=self.model.state_dict(),
                optimiser=self.optimiser.state_dict(),
                scaler=self.scaler.state_dict(),
                random=random,
                history=self.history,
                progress=asdict(self.progress),
                best_accuracy=self.best_accuracy,
                best_weights=self.best_weights,
                **more,
            )

    def resume(self, state: dict[str, Any] | None) -> None:
        if state is None:
            return
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.scaler.load_state_dict(state["scaler"])
        self.set_random_state({kind: values[self.processes.rank] for kind, values in state["random"].items()})
        self.history, self.progress = state["history"], Progress(**state["progress"])
        self.best_accuracy, self.best_weights = state["best_accuracy"], state["best_weights"]
        if self.processes.is_first:
            log.info("resuming after epoch %d, step %d", len(self.history), self.progress.steps)
