"""Faster arithmetic: mixed precision and compilation, if the machine supports them."""

import os
import shutil
import subprocess
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch
from torch import nn

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
    """Return a context in which matrix products have this precision."""
    if precision == "float32":
        return nullcontext()
    return torch.autocast(device.type, dtype=TYPES[precision])


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


def compile_in_place(*modules: nn.Module) -> None:
    """Compile the modules at their next call; their weights keep their names."""
    named = os.environ.get("CXX")
    if not any(map(shutil.which, [named] if named else ["g++", "clang++"])):
        raise UserError(
            f"training.compile: torch.compile needs a C++ compiler, and {named or 'g++'} is missing; install it,"
            " set CXX in the environment to another, or set compile to false"
        )
    for module in modules:
        module.compile(dynamic=True)
