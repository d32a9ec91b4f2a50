"""Folders that are made once for all parallel test processes, which read or copy them."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder with what `make` puts there. The first process to ask makes it, and the others wait."""
    own = factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, unfinished = shared / name, shared / f"{name}.unfinished"
    with FileLock(shared / f"{name}.lock"):
        if not folder.exists():
            unfinished.mkdir(exist_ok=True)
            make(unfinished)
            unfinished.rename(folder)
    return folder
