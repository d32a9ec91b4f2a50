"""What each of several processes learns from a batch of images, and how their losses make up that of the batch."""

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from jvgn.runtime.distributed import Processes


@dataclass(frozen=True)
class Share:
    """A process's part of a batch."""

    positions: Sequence[int]
    """Of its images in the batch."""
    weight: float
    """By which its mean loss enters that of the batch."""


def share(processes: Processes, size: int) -> Share:
    """Every process takes part in every step: where images run out, with one of another's, and no weight."""
    own = processes.share(range(size))
    return Share(own, len(own) / size) if own else Share([0], 0.0)


def together(processes: Processes, network: nn.Module) -> nn.Module:
    """The network, so that the processes' gradients become one."""
    if processes.count == 1:
        return network
    return DistributedDataParallel(network, [processes.device] if processes.device.type == "cuda" else None)


def scaled(processes: Processes, loss: Tensor, weight: float) -> Tensor:
    """A loss whose gradient, in the mean over processes, is that of the whole batch."""
    return loss if processes.count == 1 else loss * (weight * processes.count)


def total(processes: Processes, loss: Tensor, weight: float) -> float:
    """The loss of the whole batch."""
    found = float(loss.detach())
    return found if processes.count == 1 else processes.summed(found * weight)[0]
