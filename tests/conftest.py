"""What all tests share."""

import os

import pytest
from hypothesis import settings

# Read when torch is loaded. Some virtual machines announce matrix units (AMX) that they refuse to run: bfloat16
# products would end the process. Vector units serve the tests as well.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# A busy machine may take its time: how long an example takes is not what these tests prove.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole workflows first: begun last, they would leave all processes but one without work."""
    items.sort(key=lambda item: "workflow" not in item.path.parts)
