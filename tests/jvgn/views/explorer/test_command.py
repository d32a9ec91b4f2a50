"""`jvgn explore`: what is wrong is told in one line, before anything heavy is loaded."""

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
    ("arguments", "message"),
    [
        (["results/nothing"], "results/nothing: there is no such run"),
        (["results/shapes_gt"], "results/shapes_gt/model.safetensors: there is no such file, so no trained run"),
        (["results/shapes_det"], "config.yaml: there is no such file to say where the images are"),
        (["results/shapes_det", "--images", "nowhere"], "nowhere: there is no such folder of images"),
    ],
)
def test_a_mistake_is_told_in_one_line(results, arguments, message):
    assert message in error_of(*arguments)


def test_a_port_that_is_taken_is_told_before_the_run_is_loaded(results, tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        told = error_of("results/shapes_det", "--images", str(tmp_path), "--port", port)
    assert f"--port {port}: another program has it" in told
