"""`jvgn explore` reports mistakes in one line, before anything heavy is loaded."""

import socket

import pytest
from click.testing import CliRunner

from jvgn.cli import main


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder with a run that seems to be trained, and one that is not."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results/shapes_det").mkdir(parents=True)
    (tmp_path / "results/shapes_det/model.safetensors").touch()
    (tmp_path / "results/shapes_gt").mkdir()


def error_of(*arguments):
    result = CliRunner().invoke(main, ["explore", *arguments, "--no-browser"])
    assert result.exit_code == 1 and result.stdout == ""
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["results/nothing"], "results/nothing"),
        (["results/shapes_gt"], "results/shapes_gt/model.safetensors"),
        (["results/shapes_det"], "config.yaml"),
        (["results/shapes_det", "--images", "nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_one_line_that_names_the_file(results, arguments, named):
    assert error_of(*arguments).startswith(f"Error: {named}: ")


def test_a_port_in_use_is_reported_before_the_run_is_loaded(results, tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        assert f"--port {port}: " in error_of("results/shapes_det", "--images", str(tmp_path), "--port", port)
