"""Data-parallel training: which of the processes this is, and what all of them agree on.

`torchrun` starts the processes and says so in the environment (RANK, WORLD_SIZE, MASTER_ADDR, …); without it, a
process is alone and everything here is a plain loop over one.
"""

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor, distributed

Item = TypeVar("Item")


@dataclass(frozen=True)
class Processes:
    device: torch.device
    rank: int = 0
    count: int = 1

    @property
    def is_first(self) -> bool:
        """Whether this process is the one that writes files and shows progress."""
        return self.rank == 0

    def share(self, items: Sequence[Item]) -> Sequence[Item]:
        """This process's part of the items; the parts differ in length by one at most."""
        return items[self.rank :: self.count]

    def summed(self, *values: float) -> list[float]:
        """Each value, summed over the processes."""
        if self.count == 1:
            return list(values)
        total = torch.tensor(values, dtype=torch.float64, device=self.device)
        distributed.all_reduce(total)
        return total.tolist()

    def sum_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Every process has the sum of all processes' gradients."""
        if self.count == 1:
            return
        held = list(parameters)
        # A process whose share of the batch is empty has no gradients, and adds zeros.
        gradients = [torch.zeros_like(value) if value.grad is None else value.grad for value in held]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        distributed.all_reduce(flat)
        for value, part in zip(held, flat.split([value.numel() for value in held]), strict=True):
            value.grad = part.view_as(value)

    def gathered(self, value: Tensor) -> list[Tensor]:
        """The value of each process, by rank; it has the same shape in all."""
        if self.count == 1:
            return [value]
        here = value.to(self.device)
        found = [torch.empty_like(here) for _ in range(self.count)]
        distributed.all_gather(found, here)
        return [part.cpu() for part in found]

    def wait(self) -> None:
        """Returns when all processes have come here."""
        self.summed(0.0)


@contextmanager
def joined(device: torch.device) -> Iterator[Processes]:
    """The processes that `torchrun` started, or this one alone."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Processes(device)
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank = distributed.get_rank()
    if rank:  # one of them speaks for all
        logging.getLogger("jvgn").setLevel(logging.ERROR)
    try:
        yield Processes(device, rank, count)
    finally:
        distributed.destroy_process_group()


def start_processes(count: int) -> None:
    """This command runs anew as `count` processes, under torchrun; returns where that is not needed."""
    if count > 1 and "WORLD_SIZE" not in os.environ:
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count), "-m", "jvgn"]
        os.execv(sys.executable, [sys.executable, *launcher, *sys.argv[1:]])
