"""Mixed precision, where the device has it."""

import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

from parsers.errors import UserError

Precision = Literal["float32", "bf16", "fp16"]
TYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
PROBE = """
import torch
layer = torch.nn.Linear(64, 64)
with torch.autocast("cpu", dtype=torch.bfloat16):
    layer(torch.ones(64, 64)).sum().backward()
"""


def autocast(device: torch.device, precision: Precision) -> AbstractContextManager:
    """A context in which matrix products have this precision."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=TYPES[precision])


def check_precision(device: torch.device, precision: Precision) -> None:
    """A precision that the device lacks is refused before any work."""
    if precision == "fp16" and device.type != "cuda":
        raise UserError("precision: fp16 needs a GPU; say bf16 or float32")
    if precision == "bf16" and device.type == "cuda" and not torch.cuda.is_bf16_supported():
        raise UserError("precision: this GPU has no bf16; say fp16 or float32")
    # Some virtual machines announce units for bfloat16 and then end any process that uses them.
    if precision == "bf16" and device.type == "cpu" and fails(PROBE):
        raise UserError("precision: bf16 fails on this CPU; say float32, or set ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16")


def fails(program: str) -> bool:
    return subprocess.run([sys.executable, "-c", program], capture_output=True).returncode != 0
