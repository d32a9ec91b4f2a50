"""Several processes that train one detector. torchrun starts them; each learns from its share of every batch."""

import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel


@dataclass(frozen=True)
class Share:
    """What a process learns from a batch."""

    positions: Sequence[int]
    """Of its images in the batch."""
    weight: float
    """By which its mean loss enters that of the batch."""


@dataclass(frozen=True)
class Processes:
    """This process among all; alone by default."""

    device: torch.device
    rank: int = 0
    count: int = 1

    def share(self, size: int) -> Share:
        """Every process takes part in every step: where images run out, with one of another's, and no weight."""
        own = range(self.rank, size, self.count)
        return Share(own, len(own) / size) if own else Share([0], 0.0)

    def together(self, network: nn.Module) -> nn.Module:
        """The network, so that the processes' gradients become one."""
        if self.count == 1:
            return network
        return DistributedDataParallel(network, [self.device] if self.device.type == "cuda" else None)

    def scaled(self, loss: Tensor, weight: float) -> Tensor:
        """A loss whose gradient, in the mean over processes, is that of the whole batch."""
        return loss if self.count == 1 else loss * (weight * self.count)

    def total(self, loss: Tensor, weight: float) -> float:
        """The loss of the whole batch."""
        found = loss.detach()
        if self.count > 1:
            found = found * weight
            distributed.all_reduce(found)
        return float(found)


@contextmanager
def joined(device: torch.device) -> Iterator[Processes]:
    """The processes that torchrun started, or this one alone."""
    count = int(os.environ.get("WORLD_SIZE", 1))
    if count == 1:
        yield Processes(device)
        return
    if device.type == "cuda":
        device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank = distributed.get_rank()
    if rank:  # one of them speaks for all
        logging.getLogger("jvgn").setLevel(logging.ERROR)
    try:
        yield Processes(device, rank, count)
        distributed.barrier()  # the first still writes
    finally:
        distributed.destroy_process_group()


def start_processes(count: int) -> None:
    """This command runs anew as `count` processes, under torchrun; returns where that is not needed."""
    if count > 1 and "WORLD_SIZE" not in os.environ:
        launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(count), "-m", "jvgn"]
        os.execv(sys.executable, [sys.executable, *launcher, *sys.argv[1:]])
