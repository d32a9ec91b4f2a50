"""`make load` measures the stages as the workflow runs them, and judges growth correctly."""

import re
import sys
from pathlib import Path

import pytest

from jvgn.datasets.tables import EXPRESSIONS
from jvgn.storage.parquet import read_table
from tests.long.load.__main__ import costs_of
from tests.long.load.measuring import Cost, cost_of, written_to_a_file
from tests.long.load.scaling import WHOLE, marginals, verdicts
from tests.long.load.stages import STAGES, commands, run_options
from tests.long.load.world import World, write_world

ROOT = Path(__file__).parents[3]
SIZES = (2_000, 20_000, 50_000, 100_000, 200_000)


def costs(seconds, peak_mb=100.0, silence=1.0):
    return {size: Cost(seconds(size), 2 * seconds(size), peak_mb, silence) for size in SIZES}


def linear(size):
    return 5 + size / 1000


def quadratic(size):
    return 5 + size / 1000 + size**2 / 10**9


@pytest.mark.parametrize(("seconds", "small", "large"), [(linear, 1e-3, 1e-3), (quadratic, 1.022e-3, 1.3e-3)])
def test_the_time_of_one_more_expression_does_not_count_the_start(seconds, small, large):
    assert marginals(costs(seconds)) == pytest.approx((small, large))


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({}, set()),
        ({"whole": costs(quadratic)}, {"time"}),
        ({"training": costs(linear, peak_mb=2000.0)}, {"training:"}),
        ({"scoring": costs(linear, peak_mb=2000.0)}, set()),
        ({"scoring": costs(linear, silence=10.0)}, {"scoring:"}),
    ],
)
def test_each_limit_is_judged(changed, missed):
    stages = {name: costs(linear) for name in (*STAGES, WHOLE)} | changed
    assert {verdict.claim.split()[0] for verdict in verdicts(stages) if not verdict.is_met} == missed


CHILDREN = """
import subprocess, sys, time

hold = "held = b'x' * 100_000_000; print('ready', flush=True); input()"
start = [sys.executable, "-c", hold]
children = [subprocess.Popen(start, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(2)]
for child in children:
    child.stdout.readline()
time.sleep(0.5)
for child in children:
    child.communicate(b"go")
"""


def test_a_command_is_measured_with_its_children():
    cost = cost_of([sys.executable, "-c", CHILDREN])
    assert cost.peak_mb > 195 and 0.5 < cost.silence <= cost.seconds


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_has_the_options_of_its_rule(stage):
    """All but `--supporting`, which is for annotations that a user brings."""
    rules = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    shell = re.search(rf"^rule {STAGES[stage]}:.*?shell:\n(.*?)(?:\n\n|\Z)", rules, re.M | re.S)[1]
    world = World(Path("folder"))
    found = {word for word in commands(world, 2)[stage] if word.startswith("--")}
    shared = {f"--{name}" for name in run_options(world)} if "{params.inputs}" in shell else set()
    assert found == set(re.findall(r"--[\w-]+", shell)) | shared
    assert re.search(r"jvgn ([\w-]+)", shell)[1] == commands(world, 2)[stage][3]


def test_a_larger_world_begins_with_the_smaller_and_most_sentences_are_unique(tmp_path):
    small, large = (
        read_table(write_world(tmp_path / str(size), size).table("expressions"), EXPRESSIONS).to_pylist()
        for size in (200, 2_000)
    )
    assert large[: len(small)] == small and len(large) == 2_000
    assert len({row["text"] for row in large}) > 0.9 * len(large)
    assert 7 < sum(len(row["tokens"]) for row in large) / len(large) < 10


def test_every_stage_runs_and_reports_that_it_reads_its_inputs(tmp_path):
    costs_of(write_world(tmp_path, 200), 1)
    assert World(tmp_path).made("metrics.json").exists()
    for stage in ("training", "prediction", "scoring"):
        assert b"reading " in written_to_a_file(commands(World(tmp_path), 1)[stage])
