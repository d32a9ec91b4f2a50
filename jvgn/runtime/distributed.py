"""What all trainings share: their processes and the numbers these exchange, mixed precision, and TensorBoard.

`torchrun` starts the processes and describes them in the environment (RANK, WORLD_SIZE, MASTER_ADDR, …). Without it
there is one process, and nothing is exchanged.
"""

import logging
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import torch
from torch import Tensor, distributed, nn

from parsers.errors import UserError

log = logging.getLogger(__name__)

Item = TypeVar("Item")
FIRST_PORT, PORTS = 20000, 10000
"""Below the ports that systems assign automatically."""
Precision = Literal["float32", "bf16", "fp16"]
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
PROBE = """
import torch
layer = torch.nn.Linear(64, 64)
with torch.autocast("cpu", dtype=torch.bfloat16):
    layer(torch.ones(64, 64)).sum().backward()
"""


@dataclass(frozen=True)
class Processes:
    """The processes of a training, and what they compute together; there may be only one."""

    device: torch.device
    rank: int = 0
    count: int = 1

    @property
    def is_first(self) -> bool:
        """Tell whether this process writes files and shows progress."""
        return self.rank == 0

    def share(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return this process's part of the items; parts differ in length by one at most."""
        return items[self.rank :: self.count]

    def summed(self, *values: float) -> list[float]:
        """Return each value, summed over the processes."""
        if self.count == 1:
            return list(values)
        total = torch.tensor(values, dtype=torch.float64, device=self.device)
        distributed.all_reduce(total)
        return total.tolist()

    def sum_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Replace the gradients by their sum over the processes."""
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
        """Return the value of each process, by rank; all have the same shape."""
        if self.count == 1:
            return [value]
        here = value.to(self.device)
        found = [torch.empty_like(here) for _ in range(self.count)]
        distributed.all_gather(found, here)
        return [part.cpu() for part in found]

    def wait(self) -> None:
        """Return when all processes have called this."""
        self.summed(0.0)


@contextmanager
def joined(device: torch.device) -> Iterator[Processes]:
    """Join the processes that `torchrun` started, or run alone."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Processes(device)
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    rank = distributed.get_rank()
    if rank:  # only the first process logs
        logging.getLogger("jvgn").setLevel(logging.ERROR)
    try:
        yield Processes(device, rank, count)
    finally:
        distributed.destroy_process_group()


def start_processes(count: int, machines: int = 1, threads: int = 1) -> None:
    """Run this command again as `count` processes, under torchrun; return if one process is enough.

    On several machines, which are the nodes of a SLURM job, `srun` starts one torchrun on each, with so many threads.
    """
    if (count < 2 and machines == 1) or "WORLD_SIZE" in os.environ:
        return
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(count // machines)]
    if machines == 1:
        command = [*torchrun, "--standalone"]
    else:
        command = [*on_machines(count, machines, threads), *torchrun, "--nnodes", str(machines), *rendezvous()]
    os.execvp(command[0], [*command, "-m", "jvgn", *sys.argv[1:]])


def on_machines(count: int, machines: int, threads: int) -> list[str]:
    """Return the command that starts another one once on each node of this SLURM job."""
    if count < machines or count % machines:
        raise UserError(f"--processes {count}: not a multiple of --machines {machines}; give one")
    if "SLURM_JOB_ID" not in os.environ or not shutil.which("srun"):
        raise UserError(f"--machines {machines} needs a SLURM job with as many nodes; start one, or leave it out")
    tasks = ["--ntasks", str(machines), "--ntasks-per-node", "1", "--cpus-per-task", str(threads)]
    return ["srun", "--nodes", str(machines), *tasks, "--kill-on-bad-exit=0"]


def rendezvous() -> list[str]:
    """Return torchrun's options for the meeting point: this node, at a port that is derived from the job."""
    job = os.environ["SLURM_JOB_ID"]
    port = FIRST_PORT + int(job) % PORTS
    return ["--rdzv-backend", "c10d", "--rdzv-id", job, "--rdzv-endpoint", f"{socket.gethostname()}:{port}"]


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager:
    """Return a context in which matrix products have this precision."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=TYPES[precision])


def compute_in(precision: Precision, parts: Iterable[nn.Module]) -> None:
    """Let these parts of a network compute in this precision. Everything outside of them stays in float32."""
    if precision != "float32":
        for part in parts:
            part.forward = lowered(part, precision)


def lowered(part: nn.Module, precision: Precision) -> Callable:
    """Return the forward pass of a part in this precision, with its results in float32."""
    forward = part.forward

    def forward_lowered(*inputs: Any) -> Any:
        with autocast(next(part.parameters()).device, precision):
            return in_float32(forward(*inputs))

    return forward_lowered


def in_float32(values: Any) -> Any:
    """Return a tensor, or tensors in lists, tuples and dicts, in float32."""
    if isinstance(values, Tensor):
        return values.float()
    if isinstance(values, dict):
        return {name: in_float32(value) for name, value in values.items()}
    return type(values)(in_float32(value) for value in values)


def check_precision(device: torch.device, precision: Precision) -> None:
    """Stop before any work if the device lacks the precision."""
    if precision == "fp16" and device.type != "cuda":
        raise UserError("precision: fp16 needs a GPU; set bf16 or float32")
    if precision == "bf16" and device.type == "cuda" and not torch.cuda.is_bf16_supported():
        raise UserError("precision: this GPU has no bf16; set fp16 or float32")
    # Some virtual machines report support for bfloat16 and then kill any process that uses it.
    if precision == "bf16" and device.type == "cpu" and fails(PROBE):
        raise UserError(
            "precision: bf16 fails on this CPU; set float32, or ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 in the environment"
        )


def fails(program: str) -> bool:
    return subprocess.run([sys.executable, "-c", program], capture_output=True).returncode != 0


class Board:
    """Write numbers to TensorBoard's files in a folder; without a folder or TensorBoard, write nothing."""

    def __init__(self, folder: Path | None) -> None:
        self.writer: Any = None
        if folder is None:
            return
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            log.info("TensorBoard is not installed: nothing is written to %s (pip install 'jvgn[tensorboard]')", folder)
        else:
            self.writer = SummaryWriter(str(folder))

    def write(self, step: int, values: dict[str, float]) -> None:
        if self.writer is not None:
            for name, value in values.items():
                self.writer.add_scalar(name, value, step)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()
