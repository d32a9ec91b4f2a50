"""The finished project, made once, and a copy of it for each test."""

import shutil
from pathlib import Path

import pytest

from tests.errors.project import make_project


@pytest.fixture(scope="session")
def finished_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished_project")
    make_project(folder)
    return folder


@pytest.fixture
def project(finished_project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a copy of the finished project."""
    shutil.copytree(finished_project, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path
