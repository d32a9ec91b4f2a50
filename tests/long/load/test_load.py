"""`make load` measures the stages as the workflow runs them, and judges by the right numbers."""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.long.load import __main__ as load
from tests.long.load.__main__ import ROUNDS, costs_of, least_costs, main
from tests.long.load.measuring import Cost, cost_of, written_to_a_file
from tests.long.load.scaling import WHOLE, least, marginals, one_after_the_other, slope, verdicts
from tests.long.load.stages import STAGES, commands, run_options
from tests.long.load.world import World, write_world

ROOT = Path(__file__).parents[3]
SIZES = (2_000, 20_000, 50_000, 100_000, 200_000)


def costs(seconds, peak_mb=100.0, silence=1.0):
    """What a command takes whose time is the function's."""
    return {size: Cost(seconds(size), 2 * seconds(size), peak_mb, silence) for size in SIZES}


def linear(size):
    return 5 + size / 1000


def quadratic(size):
    return 5 + size / 1000 + size**2 / 10**9


@pytest.mark.parametrize(("seconds", "small", "large"), [(linear, 1e-3, 1e-3), (quadratic, 1.022e-3, 1.3e-3)])
def test_the_time_of_an_expression_more_leaves_out_the_start(seconds, small, large):
    assert marginals(costs(seconds)) == pytest.approx((small, large))
    assert marginals(costs(seconds), "cpu_seconds") == pytest.approx((2 * small, 2 * large))


@pytest.mark.parametrize("power", [0.5, 1, 2])
def test_the_slope_is_the_power_of_the_size(power):
    assert slope(costs(lambda size: 3 * size**power)) == pytest.approx(power)


def judged(**changed):
    stages = {name: costs(linear) for name in (*STAGES, WHOLE)} | changed
    return {verdict.claim.split(":")[0] for verdict in verdicts(stages) if not verdict.is_met}


@pytest.mark.parametrize(
    ("changed", "missed"),
    [
        ({}, set()),
        (
            {"whole": costs(quadratic)},
            {"time an expression from 100,000 to 200,000 at most 1.2 times that from 2,000 to 20,000"},
        ),
        ({"training": costs(linear, peak_mb=2000.0)}, {"training"}),
        ({"scoring": costs(linear, peak_mb=2000.0)}, set()),
        ({"scoring": costs(linear, silence=10.0)}, {"scoring"}),
    ],
)
def test_each_target_is_missed_by_what_it_forbids(changed, missed):
    assert judged(**changed) == missed


@pytest.mark.parametrize("sizes", [(100,), (100, 200, 300), (100, 200, 300, 300)])
def test_too_few_sizes_are_refused_before_anything_is_measured(sizes, tmp_path):
    result = CliRunner().invoke(main, [str(tmp_path), *(word for size in sizes for word in ("--size", str(size)))])
    assert result.exit_code == 2 and "give at least 4 different ones" in result.output
    assert not any(tmp_path.iterdir())


def test_turns_are_judged_by_their_least_times_and_their_worst_memory_and_silence():
    turns = [Cost(1, 1, 10, 3), Cost(9, 9, 30, 1), Cost(2, 2, 20, 2)]
    assert least(turns) == Cost(1, 1, 30, 3)
    assert one_after_the_other(turns) == Cost(12, 12, 30, 3)


def test_every_round_takes_all_sizes_so_that_slow_minutes_are_not_one_sizes_alone(monkeypatch):
    sizes = []

    def slow_at_first(size, threads):
        sizes.append(size)
        return {"graphs": Cost(size + 100 * (len(sizes) <= 3), 1, 10, 1)}

    monkeypatch.setattr(load, "costs_of", slow_at_first)
    found = least_costs({1: 1, 2: 2, 3: 3}, 1)
    assert sizes == [1, 2, 3] * ROUNDS
    assert [costs[WHOLE].seconds for costs in found.values()] == [1, 2, 3]


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


def test_progress_breaks_the_silence_of_a_terminal_alone():
    command = [sys.executable, "-c", "import time, tqdm; [time.sleep(0.3) for _ in tqdm.tqdm(range(4), disable=None)]"]
    cost = cost_of(command)
    assert cost.silence < cost.seconds - 0.5 and written_to_a_file(command) == b""


def test_a_command_that_fails_is_shown():
    with pytest.raises(RuntimeError, match="no such luck"):
        cost_of([sys.executable, "-c", "raise SystemExit('no such luck')"])


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_has_the_options_of_its_rule(stage):
    """All but `--supporting`, which is for annotations that a user brings."""
    rules = "".join(path.read_text() for path in sorted((ROOT / "workflow/rules").glob("*.smk")))
    shell = re.search(rf"^rule {STAGES[stage]}:.*?shell:\n(.*?)(?:\n\n|\Z)", rules, re.M | re.S)[1]
    expected = set(re.findall(r"--[\w-]+", shell))
    world = World(Path("folder"))
    found = {word for word in commands(world, 2)[stage] if word.startswith("--")}
    shared = {f"--{name}" for name in run_options(world)} if "{params.inputs}" in shell else set()
    assert found == expected | shared
    assert re.search(r"python -m (\S+ \S+)", shell)[1] == " ".join(commands(world, 2)[stage][2:4])


def test_a_larger_world_begins_with_the_smaller_and_most_of_its_sentences_are_said_once(tmp_path):
    small, large = (expressions_of(write_world(tmp_path / str(size), size)) for size in (200, 2_000))
    assert large[: len(small)] == small and len(large) == 2_000
    assert len({row["text"] for row in large}) > 0.9 * len(large)
    assert 7 < sum(len(row["tokens"]) for row in large) / len(large) < 10


def test_every_stage_runs_on_the_world_and_says_when_it_reads_all_of_it(tmp_path):
    """Libraries take seconds to load: with the tables of a large dataset after them, that would be a long silence."""
    assert all(cost.silence > 0 for cost in costs_of(write_world(tmp_path, 200), 1).values())
    assert World(tmp_path).made("metrics.json").exists()
    for stage in ("training", "prediction", "scoring"):
        assert b"reading " in written_to_a_file(commands(World(tmp_path), 1)[stage])


def expressions_of(world):
    from jvgn.datasets.tables import EXPRESSIONS
    from jvgn.storage.parquet import read_table

    return read_table(world.table("expressions"), EXPRESSIONS).to_pylist()
