"""Datasets that tests may spoil, and one trained detector that they share."""

from pathlib import Path

import pytest

from .drawing import Drawn, draw


@pytest.fixture
def drawn(tmp_path) -> Drawn:
    return draw(tmp_path / "drawn")


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> tuple[Drawn, Path]:
    """A dataset and the weights of a detector trained on it."""
    root = tmp_path_factory.mktemp("trained")
    data = draw(root / "drawn")
    return data, data.train(root / "detector")
