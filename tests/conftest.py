"""Settings of all tests."""

import os

import pytest
from hypothesis import settings

# Read when torch is loaded. Some virtual machines announce matrix units (AMX) that they do not run: bfloat16 products
# would end the process.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# Two test processes share the machine: with a thread for each core, they would mostly wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No deadline: the machine may be busy, and these tests do not measure time.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


SLOW = ("workflow", "runtime", "fuzz", "training", "detector", "errors", "regions")
"""Folders with slow files, the slowest first."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run slow files first: started last, they would leave the other process without work."""
    items.sort(key=lambda item: next((place for place, name in enumerate(SLOW) if name in item.path.parts), len(SLOW)))
