"""A missing, empty or damaged input of any command: one error line, or success, never a traceback."""

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from jvgn.cli import main
from tests.errors.mistakes import NOISE, deleted, folder_at, written
from tests.errors.project import (
    DATASET,
    DETECTION_SETTINGS,
    DETECTOR,
    EDGES,
    EXAMPLES,
    EXPRESSIONS,
    FIGURE,
    FOUND,
    GALLERY,
    GRAPHS,
    MAKING,
    NODES,
    PICTURE,
    PREDICTIONS,
    REGIONS,
    RUN,
)

COMMANDS = [
    *MAKING,
    EXAMPLES,
    GALLERY,
    f"figures learning --history {RUN}/history.parquet {FIGURE}",
    f"figures calibration {FOUND} {FIGURE}",
    f"figures ablation --ablation {RUN}/ablation.csv {FIGURE}",
    f"figures results --metrics {RUN}/metrics.json --output page.html",
    f"compare --dataset {DATASET} --run full {RUN}/metrics.json {PREDICTIONS} {NODES} {EDGES} --output compare.csv",
    f"ground {PICTURE} star --run {RUN} --json answers.json",
    f"show {RUN} 5",
    f"survey make ours={RUN} --examples 1 --output form.html --key key.json",
    f"regions show {REGIONS} {PICTURE}",
]
HELD = {
    DATASET: [EXPRESSIONS, f"{DATASET}/images.parquet", f"{DATASET}/objects.parquet", f"{DATASET}/mentions.parquet"],
    RUN: [
        f"{RUN}/settings.yaml",
        f"{RUN}/model.safetensors",
        PREDICTIONS,
        REGIONS,
        NODES,
        EDGES,
        f"{GRAPHS}/settings.yaml",
        f"{DETECTOR}/settings.yaml",
        f"{DETECTOR}/weights.safetensors",
        DETECTION_SETTINGS,
        "config.yaml",
    ],
}
"""Files of a folder that commands take as one argument."""
DAMAGES = {
    "missing": deleted,
    "a folder": folder_at,
    "empty": lambda path: written(path, b""),
    "noise": lambda path: written(path, NOISE),
}


NAMES = [" ".join(command.split()[:2]) for command in COMMANDS]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("command", COMMANDS, ids=NAMES)
def test_a_damaged_input_never_ends_in_a_traceback(command, damage, finished_project, project):
    for path in inputs_of(command):
        DAMAGES[damage](path)()
        ran = CliRunner().invoke(main, shlex.split(command))
        assert ran.exception is None or isinstance(ran.exception, SystemExit), (path, ran.exception)
        errors = [line for line in ran.stderr.splitlines() if line.startswith("Error: ")]
        assert (ran.exit_code, len(errors)) in ((0, 0), (1, 1)), (path, ran.exit_code, ran.stderr)
        shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink(missing_ok=True)
        shutil.copy(finished_project / path, path)


def inputs_of(command):
    """Return the existing files that a command names, directly or through their folder."""
    words = [word.partition("=")[2] or word for word in shlex.split(command)]
    named = dict.fromkeys(file for word in words for file in HELD.get(word, [word]))
    return [path for path in named if Path(path).is_file()]
