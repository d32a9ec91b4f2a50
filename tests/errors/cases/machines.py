"""What this machine does not have: a GPU, a precision, a compiler."""

import torch
import yaml

from tests.errors.case import Bench, Case
from tests.errors.mistakes import after, chosen
from tests.errors.project import RUN, SMALL_RUN, TRAIN


def training(bench: Bench, **values: object) -> list:
    """Trains a run whose inputs are not there: the mistake must be found before they are read."""
    bench.write(f"{RUN}/settings.yaml", yaml.safe_dump(SMALL_RUN | {"training": values}))
    return TRAIN.split()


def gpu_without_bf16(bench: Bench) -> list:
    bench.patch.setattr("jvgn.cli.run_commands.prepared_device", lambda *_: torch.device("cuda:0"))
    bench.patch.setattr(torch.cuda, "is_bf16_supported", lambda: False)
    return training(bench, precision="bf16")


def cpu_that_fails(bench: Bench) -> list:
    bench.patch.setattr("jvgn.runtime.precision.PROBE", "raise SystemExit('Illegal instruction')")
    return [*training(bench, precision="bf16"), "--device=cpu"]


def no_compiler(bench: Bench) -> list:
    bench.patch.setenv("CXX", "no-such-compiler")
    return after(f"{TRAIN} --device cpu", chosen(f"{RUN}/settings.yaml", training={"compile": True}))(bench)


CASES = [
    Case(
        "--device …: not to be had on this machine; say cpu, or as many --processes as there are GPUs",
        lambda bench: [*training(bench), "--device=cuda:77"],
    ),
    Case(
        "precision: fp16 needs a GPU; set bf16 or float32",
        lambda bench: [*training(bench, precision="fp16"), "--device=cpu"],
    ),
    Case("precision: this GPU has no bf16; set fp16 or float32", gpu_without_bf16),
    Case(
        "precision: bf16 fails on this CPU; set float32, or ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16 in the environment",
        cpu_that_fails,
    ),
    Case(
        "training.compile: torch.compile needs a C++ compiler, and … is missing; install it, set CXX"
        " in the environment to another, or set compile to false",
        no_compiler,
    ),
]
