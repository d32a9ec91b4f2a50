"""What cases share by name: the finished project, made once and only copied, and what lasts until a case is over."""

import shlex
from collections.abc import Iterator
from contextlib import ExitStack, chdir
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from flask.testing import FlaskClient

from jvgn.storage.records import SUFFIX
from tests.errors.explorer_page import open_page
from tests.errors.programs import PROGRAMS
from tests.errors.project import MAKING, SETTINGS

__all__ = ["explorer_page", "finished_project", "held"]


@pytest.fixture
def held() -> Iterator[ExitStack]:
    """What is entered here lasts until the case is over: a lock, a server."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="session")
def finished_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which every stage has run, by the commands that cases give."""
    folder = tmp_path_factory.mktemp("finished_project")
    with chdir(folder):
        for name, values in SETTINGS.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(yaml.safe_dump(values))
        for program, command in MAKING:
            ran = CliRunner().invoke(PROGRAMS[program], shlex.split(command))
            assert ran.exit_code == 0, (command, ran.output, ran.exception)
    # By its record, a file that is spoiled would be refused unread: here, readers shall say what is wrong with it.
    for record in folder.rglob(f"*{SUFFIX}"):
        record.unlink()
    return folder


@pytest.fixture(scope="session")
def explorer_page(finished_project: Path) -> FlaskClient:
    return open_page(finished_project)
