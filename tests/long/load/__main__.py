"""`make load`: time and memory of the stages from graphs to metrics, up to 200,000 expressions of 20,000 images.

Every stage runs as in the workflow, in its own process. Prints a table and whether the targets are met, and writes the
table as `load.csv` into a folder. Needs an idle machine, because it measures wall time. Every round measures all sizes,
so that a few slow minutes do not affect one size only; the least time counts, because disturbances only add time.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click
import pandas as pd

from jvgn.storage.files import replacing
from tests.long.load.stages import commands
from tests.long.load.world import World, write_world
from tests.processes import RESIDENT, processes_of

SIZES = (2_000, 20_000, 50_000, 100_000, 200_000)
ROUNDS = 3
MOST_RATIO = 1.2
MOST_MB = 2000
BOUNDED = ("graphs", "vocabulary", "training")
"""Stages whose memory has a limit."""
LOOKED_EVERY = 0.1
"""Seconds between two measurements of memory."""
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--size", "sizes", type=int, multiple=True, default=SIZES, help="Expressions; once for each size.")
@click.option("--threads", type=click.IntRange(min=1), default=os.cpu_count())
def main(folder: Path, sizes: tuple[int, ...], threads: int) -> None:
    if len(set(sizes)) < 4:
        raise click.UsageError("--size: give at least 4 different sizes")
    worlds = written_worlds(folder, sorted(set(sizes)))
    rows = [row for _ in range(ROUNDS) for size, world in worlds.items() for row in rows_of(world, size, threads)]
    table = pd.DataFrame(rows).groupby(["stage", "expressions"], sort=False)
    costs = table.agg({"seconds": "min", "cpu_seconds": "min", "peak_mb": "max"})
    click.echo(costs.round(1).to_string())
    with replacing(folder / "load.csv") as temporary:
        costs.to_csv(temporary)
    verdicts = [time_verdict(costs["seconds"].groupby("expressions").sum().to_dict()), *memory_verdicts(costs)]
    for claim, found, is_met in verdicts:
        click.echo(f"{'met   ' if is_met else 'MISSED'}  {claim}: {found}")
    raise SystemExit(not all(is_met for *_, is_met in verdicts))


def written_worlds(folder: Path, sizes: Sequence[int]) -> dict[int, World]:
    """Write a world of each size, in another process: Linux would count the memory of this one for its commands."""
    folders = [folder / str(size) for size in sizes]
    with ProcessPoolExecutor(1, get_context("spawn")) as apart:
        return dict(zip(sizes, apart.map(write_world, folders, sizes), strict=True))


def rows_of(world: World, size: int, threads: int) -> list[dict[str, object]]:
    """Run each stage once; return a row of the table for each."""
    shutil.rmtree(world.made(""), ignore_errors=True)
    return [
        {"stage": stage, "expressions": size, **cost_of(command)} for stage, command in commands(world, threads).items()
    ]


def cost_of(command: Sequence[str]) -> dict[str, float]:
    """Run a command; return its time, and the memory and time of all its processes."""
    started, peak_mb = time.perf_counter(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        peak_mb = max(peak_mb, PAGE_MB * sum(int(fields[RESIDENT]) for _, fields in processes_of(process.pid)))
        time.sleep(LOOKED_EVERY)
    _, status, usage = ended
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with {os.waitstatus_to_exitcode(status)}")
    seconds, cpu_seconds = time.perf_counter() - started, usage.ru_utime + usage.ru_stime
    return {"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_mb": max(peak_mb, usage.ru_maxrss / 1024)}


def time_verdict(seconds: Mapping[int, float]) -> tuple[str, str, bool]:
    """Compare the time of one more expression at both ends; the start of the commands cancels out."""
    first, second, *_, last_but_one, last = sorted(seconds)
    small = (seconds[second] - seconds[first]) / (second - first)
    large = (seconds[last] - seconds[last_but_one]) / (last - last_but_one)
    claim = f"time an expression from {last_but_one:,} to {last:,} at most {MOST_RATIO} times"
    claim += f" that from {first:,} to {second:,}"
    return claim, f"{large / small:.2f} times", large <= MOST_RATIO * small


def memory_verdicts(costs: pd.DataFrame) -> list[tuple[str, str, bool]]:
    peaks = costs["peak_mb"].groupby("stage").max()
    claim = f"peak memory under {MOST_MB:,} MB"
    return [(f"{stage}: {claim}", f"{peaks[stage]:,.0f} MB", peaks[stage] < MOST_MB) for stage in BOUNDED]


if __name__ == "__main__":
    main()
