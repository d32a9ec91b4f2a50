"""Whatever lies in the place of a file that a command reads, the command works all the same, or says what is wrong."""

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.errors.mistakes import NOISE, deleted, folder_at, written
from tests.errors.programs import PROGRAMS
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
    ("jvgn", EXAMPLES),
    ("jvgn", GALLERY),
    ("jvgn", f"figures learning --history {RUN}/history.parquet {FIGURE}"),
    ("jvgn", f"figures calibration {FOUND} {FIGURE}"),
    ("jvgn", f"figures ablation --ablation {RUN}/ablation.csv {FIGURE}"),
    ("jvgn", f"figures results --metrics {RUN}/metrics.json --output page.html"),
    ("jvgn", f"compare --run full {RUN}/metrics.json --output compare.csv"),
    ("jvgn", f"ground {PICTURE} star --run {RUN} --json answers.json"),
    ("jvgn", f"show {RUN} 5"),
    ("jvgn", f"survey make ours={RUN} --examples 1 --output form.html --key key.json"),
    ("jvgn", f"regions show {REGIONS} {PICTURE}"),
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
"""The files of a folder that is named in the place of them all."""
DAMAGES = {
    "missing": deleted,
    "a folder": folder_at,
    "empty": lambda path: written(path, b""),
    "noise": lambda path: written(path, NOISE),
}


NAMES = [" ".join(command.split()[:2]) for _, command in COMMANDS]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("program", "command"), COMMANDS, ids=NAMES)
def test_a_damaged_file_never_ends_in_a_traceback(program, command, damage, finished_project, tmp_path, monkeypatch):
    shutil.copytree(finished_project, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for path in files_of(command):
        DAMAGES[damage](path)()
        ran = CliRunner().invoke(PROGRAMS[program], shlex.split(command))
        assert ran.exception is None or isinstance(ran.exception, SystemExit), (path, ran.exception)
        complaints = [line for line in ran.stderr.splitlines() if line.startswith("Error: ")]
        assert (ran.exit_code, len(complaints)) in ((0, 0), (1, 1)), (path, ran.exit_code, ran.stderr)
        shutil.rmtree(path) if Path(path).is_dir() else Path(path).unlink(missing_ok=True)
        shutil.copy(finished_project / path, path)


def files_of(command):
    """The files that are there of those that a command names, alone or by a folder of theirs."""
    words = [word.partition("=")[2] or word for word in shlex.split(command)]
    named = dict.fromkeys(file for word in words for file in HELD.get(word, [word]))
    return [path for path in named if Path(path).is_file()]
