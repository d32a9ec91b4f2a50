"""Training of a detector, on all images of a table that are not excluded because a dataset evaluates on them.

On a CPU, the same seed, number of threads and machine give the same bytes, also if the training was interrupted:
`*.state.pt` beside the weights holds the last saved step until the weights are written. SIGTERM and SIGINT save a step.

`losses.parquet` has a row for each epoch: epoch int32, learning_rate float64 (at its end), and float64 means over its
steps: loss, and its four parts class, box (of the regions), objectness and proposal (of the anchors).
"""

import logging
import math
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from tqdm import tqdm

from jvgn.datasets.tables import boxes_of, read_images, read_objects
from jvgn.detector.images import ImageFiles, load, load_whole
from jvgn.detector.interface import untrained
from jvgn.detector.provenance import Provenance, without, write_provenance
from jvgn.detector.weights import pretrained_sha256, save_detector
from jvgn.runtime.distributed import Board, Processes, check_precision, compute_in, joined
from jvgn.settings.detector import Detectron2Settings, TorchvisionSettings
from jvgn.storage.files import on_success, sha256
from jvgn.storage.parquet import write_table
from jvgn.storage.processes import Interrupted, Interruption, watched
from jvgn.storage.tensor_files import TrainingState
from parsers.errors import UserError

logger = logging.getLogger(__name__)

CATEGORY = ["category_id", "category"]
SMALLEST_SIDE = 1.0
"""Narrower objects, in pixels, are not learned from."""

Target = dict[str, Tensor]

PARTS = {
    **{"loss_classifier": "class", "loss_box_reg": "box", "loss_objectness": "objectness"},
    **{"loss_rpn_box_reg": "proposal", "loss_cls": "class", "loss_rpn_cls": "objectness", "loss_rpn_loc": "proposal"},
}
"""Our name of each loss of torchvision and of detectron2."""
LOSSES = pa.schema(
    [("epoch", pa.int32())]
    + [(name, pa.float64()) for name in ("learning_rate", "loss", *dict.fromkeys(PARTS.values()))]
)
NAMED = 3
"""The number of unreadable images that a message names."""


def train_detector(
    settings: TorchvisionSettings | Detectron2Settings,
    *,
    images: Path | str,
    objects: Path | str,
    excluded: Path | str,
    folder: Path | str,
    weights: Path | str,
    provenance: Path | str,
    losses: Path | str,
    tensorboard: Path | None = None,
    device: str | torch.device = "cpu",
    threads: int = 1,
) -> None:
    """Train a detector; write its `weights`, its training images to `provenance`, and its `losses`."""
    torch.set_num_threads(threads)
    check_precision(torch.device(device), settings.precision)
    image_table, object_table = without(read_images(images), excluded), read_objects(objects)
    if not len(image_table):
        raise UserError(
            f"{images}: all images are excluded by {excluded}, so none is left to train on; add images that no dataset"
            " evaluates on"
        )
    categories = sorted({(row["category_id"], row["category"]) for row in object_table.select(CATEGORY).to_pylist()})
    made = Provenance(
        detector=settings,
        seed=settings.seed,
        categories=tuple(categories),
        training_image_ids=tuple(sorted(image_table["image_id"].to_pylist())),
        weights_sha256="",
        pretrained_sha256=pretrained_sha256(settings),
        tables={"images": sha256(images), "objects": sha256(objects), "excluded": sha256(excluded)},
        versions={name: version(name) for name in ("torch", "torchvision")},
    )
    targets = targets_of(image_table, object_table, [category_id for category_id, _ in categories])
    logger.info("training on %d images of %d categories", len(image_table), len(categories))
    with joined(torch.device(device)) as processes, torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        detector = untrained(settings, len(categories))
        compute_in(settings.precision, detector.dense_parts)
        # `tables` has the checksums of the categories and images. The format of the state is the state's own.
        depends_on = made.model_dump(mode="json", exclude={"format", "categories", "training_image_ids", "versions"})
        state = TrainingState(Path(weights).with_suffix(".state.pt"), depends_on)
        training = Training(settings, detector, processes, state)
        files = ImageFiles(image_table, folder, seen_often=True)
        if not training.step:
            check_readable(files, processes, threads)
        with watched() as training.interruption, closing(Board(tensorboard if processes.is_first else None)) as board:
            training.run(files, targets, threads, board)
        if processes.is_first:
            write_table(losses, {name: [row[name] for row in training.history] for name in LOSSES.names}, LOSSES)
            digest = save_detector(weights, training.detector.state_dict(), settings, categories)
            write_provenance(provenance, made.model_copy(update={"weights_sha256": digest}))
            on_success(state.remove)
        processes.wait()  # until the first one has written


def targets_of(images: pa.Table, objects: pa.Table, category_ids: Sequence[int]) -> list[Target]:
    """Return the boxes and labels of each image, without crowds and empty boxes; labels count categories from 1."""
    box_N4 = boxes_of(objects)
    label_N = np.searchsorted(np.asarray(category_ids), objects["category_id"].to_numpy()) + 1
    is_target_N = ((box_N4[:, 2:] - box_N4[:, :2]) >= SMALLEST_SIDE).all(axis=1) & ~np.asarray(objects["is_crowd"])
    rows: dict[int, list[int]] = {image_id: [] for image_id in images["image_id"].to_pylist()}
    for row, (image_id, is_target) in enumerate(zip(objects["image_id"].to_pylist(), is_target_N, strict=True)):
        if is_target and image_id in rows:
            rows[image_id].append(row)
    return [
        {"boxes": torch.from_numpy(box_N4[own]), "labels": torch.from_numpy(label_N[own].astype(np.int64))}
        for own in rows.values()
    ]


def check_readable(files: ImageFiles, processes: Processes, threads: int) -> None:
    """Read all images once: an image that cannot be read must not stop a training on its second day."""
    logger.info("reading %d images once, to find those that cannot be read", len(files))
    alone = [[index] for index in processes.share(range(len(files)))]
    problems = [str(found) for (found,) in load(files, alone, threads) if isinstance(found, UserError)]
    if problems:
        more = f"; and {len(problems) - NAMED} more images" if len(problems) > NAMED else ""
        raise UserError("; ".join(problems[:NAMED]) + more)


def order_batches(sizes: Sequence[tuple[int, int]], batch_size: int, epochs: int, seed: int) -> list[list[int]]:
    """Return the images of every step. A batch holds only wide or only tall images, which saves padding."""
    is_wide = np.asarray([width >= height for width, height in sizes])
    steps: list[list[int]] = []
    for epoch in range(epochs):
        random = np.random.default_rng([seed, epoch])
        shuffled = [random.permutation(np.flatnonzero(alike)) for alike in (is_wide, ~is_wide)]
        batches = [
            order[start : start + batch_size].tolist()
            for order in shuffled
            for start in range(0, len(order), batch_size)
        ]
        steps += [batches[index] for index in random.permutation(len(batches))]
    return steps


def flip(image: Tensor, target: Target) -> tuple[Tensor, Target]:
    """Mirror an image and its boxes left to right."""
    x1, y1, x2, y2 = target["boxes"].unbind(dim=1)
    width = image.shape[2]
    return image.flip(2), target | {"boxes": torch.stack([width - x2, y1, width - x1, y2], dim=1)}


def learning_rate(step: int, steps: int, highest: float, warm_up: int) -> float:
    """Return a rate that grows for `warm_up` steps, then follows a cosine to 0 after the last step."""
    return highest * min(1.0, (step + 1) / (warm_up + 1)) * 0.5 * (1 + math.cos(math.pi * step / steps))


@dataclass(frozen=True)
class Share:
    """The part of a batch that one of several processes learns from."""

    positions: Sequence[int]
    """Positions of its images in the batch."""
    weight: float
    """The weight of its mean loss in the loss of the batch."""


def share(processes: Processes, size: int) -> Share:
    """Return the share of this process. A process without images takes another's image with weight 0."""
    own = processes.share(range(size))
    return Share(own, len(own) / size) if own else Share([0], 0.0)


def together(processes: Processes, network: nn.Module) -> nn.Module:
    """Wrap the network so that gradients are averaged over processes."""
    if processes.count == 1:
        return network
    return DistributedDataParallel(network, [processes.device] if processes.device.type == "cuda" else None)


def scaled(processes: Processes, loss: Tensor, weight: float) -> Tensor:
    """Scale the loss so that its gradient, averaged over processes, is that of the whole batch."""
    return loss if processes.count == 1 else loss * (weight * processes.count)


def totals(processes: Processes, losses: Tensor, weight: float) -> list[float]:
    """Return the losses of the whole batch."""
    found = losses.detach().tolist()
    return found if processes.count == 1 else processes.summed(*(loss * weight for loss in found))


class Training:
    """A detector and its optimiser, at the first step or at the step that `state` holds."""

    def __init__(
        self,
        settings: TorchvisionSettings | Detectron2Settings,
        detector: nn.Module,
        processes: Processes,
        state: TrainingState,
    ) -> None:
        self.settings, self.processes, self.state = settings, processes, state
        self.detector = detector.to(processes.device).train()
        parameters = [parameter for parameter in self.detector.parameters() if parameter.requires_grad]
        self.optimiser: torch.optim.Optimizer
        if settings.optimiser == "sgd":
            self.optimiser = torch.optim.SGD(parameters, momentum=0.9, weight_decay=settings.weight_decay)
        else:
            self.optimiser = torch.optim.AdamW(parameters, weight_decay=settings.weight_decay)
        # Small gradients would vanish in fp16, so they are scaled; other precisions do not need it.
        self.scaler = torch.amp.GradScaler(processes.device.type, enabled=settings.precision == "fp16")
        self.step = 0
        self.history: list[dict[str, float]] = []
        self.sums: dict[str, float] = {}
        """The losses of the current epoch, summed over its steps so far."""
        self.interruption: Interruption | None = None
        self.resume(state.load())
        self.network = together(processes, self.detector)

    def run(self, files: ImageFiles, targets: Sequence[Target], threads: int, board: Board) -> None:
        """Train to the last step."""
        settings = self.settings
        batches = order_batches(files.sizes, settings.batch_size, settings.epochs, settings.seed)
        left, start = batches[self.step :], time.monotonic()
        shares = [share(self.processes, len(batch)) for batch in left]
        own = [[batch[position] for position in part.positions] for batch, part in zip(left, shares, strict=True)]
        hidden = None if self.processes.is_first else True
        progress = tqdm(total=len(batches), initial=self.step, desc="detector", unit="step", disable=hidden)
        with progress:
            for batch, part, images in zip(left, shares, load_whole(files, own, threads), strict=True):
                rate = learning_rate(self.step, len(batches), settings.learning_rate, settings.warm_up)
                chosen = [targets[batch[position]] for position in part.positions]
                losses = self.learn(*self.flipped(images, chosen, part, len(batch)), part.weight, rate)
                self.step += 1
                progress.update()
                progress.set_postfix(loss=f"{losses['loss']:.3f}", refresh=False)
                board.write(self.step, {f"train/{name}": value for name, value in losses.items()})
                self.count(losses, rate, len(batches) // settings.epochs)
                self.save_if_due(len(batches), losses)
        logger.info("%d steps in %.0f s", len(left), time.monotonic() - start)

    def count(self, losses: dict[str, float], rate: float, steps_per_epoch: int) -> None:
        """Add the losses of a step to those of its epoch; after the last one, add their means to the history."""
        self.sums = {name: self.sums.get(name, 0.0) + value for name, value in losses.items()}
        if self.step % steps_per_epoch == 0:
            means = {name: value / steps_per_epoch for name, value in self.sums.items()}
            self.history.append({"epoch": self.step // steps_per_epoch, "learning_rate": rate} | means)
            self.sums = {}
            logger.info("epoch %d: %s", self.step // steps_per_epoch, described(means))

    def save_if_due(self, steps: int, losses: dict[str, float]) -> None:
        """Save the state if it is time, or if a signal asks to stop."""
        if self.is_asked_to_stop():
            self.save()
            raise Interrupted(f"stopped by a signal after step {self.step}; run it again to resume")
        if self.step % self.settings.save_every == 0 or self.step == steps:
            logger.info("step %d of %d: %s", self.step, steps, described(losses))
            self.save()

    def is_asked_to_stop(self) -> bool:
        """Return whether any process received a signal, so that all stop at the same step."""
        return self.processes.summed(float(self.interruption is not None and self.interruption.has_come))[0] > 0

    def flipped(
        self, images: list[Tensor], targets: list[Target], part: Share, batch_size: int
    ) -> tuple[list[Tensor], list[Target]]:
        """Mirror some images. The random numbers depend on the step alone, so a resumed training is the same."""
        torch.manual_seed(self.settings.seed * 2**32 + self.step + 1)
        if not self.settings.flips:
            return images, targets
        is_flipped = [bool(torch.rand(()) < 0.5) for _ in range(batch_size)]
        chosen = [
            flip(image, target) if is_flipped[position] else (image, target)
            for image, target, position in zip(images, targets, part.positions, strict=True)
        ]
        return [image for image, _ in chosen], [target for _, target in chosen]

    def learn(self, images: list[Tensor], targets: list[Target], weight: float, rate: float) -> dict[str, float]:
        """Take one step on a share of a batch; return the loss of the whole batch and its parts."""
        device = self.processes.device
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        losses = self.network(
            [image.to(device) for image in images],
            [{name: value.to(device) for name, value in target.items()} for target in targets],
        )
        each = torch.stack(list(losses.values()))
        loss, values = each.sum(), totals(self.processes, each, weight)
        if not math.isfinite(sum(values)):
            raise UserError(f"the detector's loss is {sum(values)} at step {self.step + 1}; try a lower learning_rate")
        self.optimiser.zero_grad()
        self.scaler.scale(scaled(self.processes, loss, weight)).backward()
        self.scaler.unscale_(self.optimiser)
        nn.utils.clip_grad_norm_(self.detector.parameters(), self.settings.gradient_norm)
        self.scaler.step(self.optimiser)
        self.scaler.update()
        return {"loss": sum(values), **dict(zip((PARTS[name] for name in losses), values, strict=True))}

    def save(self) -> None:
        if self.processes.is_first:
            self.state.save(
                step=self.step,
                detector=self.detector.state_dict(),
                optimiser=self.optimiser.state_dict(),
                scaler=self.scaler.state_dict(),
                history=self.history,
                sums=self.sums,
            )

    def resume(self, saved: dict[str, Any] | None) -> None:
        if saved is not None:
            self.detector.load_state_dict(saved["detector"])
            self.optimiser.load_state_dict(saved["optimiser"])
            self.scaler.load_state_dict(saved["scaler"])
            self.step, self.history, self.sums = saved["step"], saved["history"], saved["sums"]
            logger.info("resuming from step %d", self.step)


def described(losses: dict[str, float]) -> str:
    """Return the loss and its parts for the log."""
    parts = ", ".join(f"{name} {value:.4f}" for name, value in losses.items() if name != "loss")
    return f"loss {losses['loss']:.5f} ({parts})"
