"""Batches in a given order, read ahead by worker processes if the regions do not fit into memory."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from jvgn.batches import Batch
from jvgn.runtime.resume import ignore_signals
from jvgn.training.examples import Examples

AHEAD = 2
"""Batches that each worker prepares ahead."""
MOST_WORKERS = 4

Group = dict[int, np.ndarray]
"""The rows of some images' expressions, by image."""


class Groups(Dataset):
    """The batch of each group."""

    def __init__(self, examples: Examples, groups: Sequence[Group]) -> None:
        self.examples, self.groups = examples, groups

    def __len__(self) -> int:
        return len(self.groups)

    def __getitem__(self, index: int) -> Batch | None:
        return self.examples.batch(self.groups[index]) if self.groups[index] else None


def loaded(examples: Examples, groups: Sequence[Group], workers: int, device: torch.device) -> Iterator[Batch | None]:
    """Yield the batch of each group on the device, in order; None for a group without images."""
    batches: Iterable[Batch | None]
    if not workers:
        batches = map(Groups(examples, groups).__getitem__, range(len(groups)))
    else:
        batches = DataLoader(
            Groups(examples, groups),
            batch_size=None,
            num_workers=workers,
            prefetch_factor=AHEAD,
            pin_memory=device.type == "cuda",
            worker_init_fn=ignore_signals,
            generator=torch.Generator(),  # its own, because dropout's must not depend on the number of workers
        )
    for batch in batches:
        yield None if batch is None else batch.to(device)


def workers_for(examples: Examples, threads: int) -> int:
    """Return 0 if all regions stay in memory, else as many workers as leave a thread to the model."""
    return 0 if examples.remembers else min(MOST_WORKERS, max(1, threads - 1))
