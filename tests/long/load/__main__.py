"""`make load`: time and memory of the stages from graphs to metrics, up to 200,000 expressions of 20,000 images.

Every stage runs as in the workflow, in its own process, attached to a terminal. Prints a table and whether the targets
are met, and writes the table as `load.csv` into a folder. Needs an idle machine, because it measures wall time. Every
round measures all sizes, so that a few slow minutes do not affect one size only.
"""

import csv
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, fields
from multiprocessing import get_context
from pathlib import Path

import click

from jvgn.storage.files import replacing
from tests.long.load.measuring import Cost, cost_of, written_to_a_file
from tests.long.load.scaling import WHOLE, Costs, Verdict, least, marginals, one_after_the_other, slope, verdicts
from tests.long.load.stages import commands
from tests.long.load.world import World, write_world

SIZES = (2_000, 20_000, 50_000, 100_000, 200_000)
ROUNDS = 3
TURNS = {2_000: 2, 20_000: 2}
"""Runs in a round of sizes that take seconds only, to average out noise."""
FEWEST = 4
"""Sizes to compare: two small and two large ones."""
COLUMNS = ("stage", "expressions", "seconds", "CPU seconds", "a second", "peak MB", "longest silence")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--size", "sizes", type=int, multiple=True, default=SIZES, help="Expressions; once for each size.")
@click.option("--threads", type=click.IntRange(min=1), default=os.cpu_count())
def main(folder: Path, sizes: tuple[int, ...], threads: int) -> None:
    if len(set(sizes)) < FEWEST:
        raise click.UsageError(f"--size: give at least {FEWEST} different sizes")
    stages = by_stage(least_costs(written_worlds(folder, sorted(set(sizes))), threads))
    click.echo(line(COLUMNS))
    for stage, costs in stages.items():
        click.echo("\n".join(line(cells(stage, size, cost)) for size, cost in costs.items()))
    write_csv(folder / "load.csv", stages)
    click.echo("\n".join(["", *growth(stages), ""]))
    found = [*verdicts(stages), quiet_verdict(folder / str(min(sizes)), threads)]
    for verdict in found:
        click.echo(f"{'met   ' if verdict.is_met else 'MISSED'}  {verdict.claim}: {verdict.found}")
    raise SystemExit(not all(verdict.is_met for verdict in found))


def written_worlds(folder: Path, sizes: Sequence[int]) -> dict[int, World]:
    """Write a world of each size, in another process: Linux would count the memory of this one for its commands."""
    folders = [folder / str(size) for size in sizes]
    with ProcessPoolExecutor(1, get_context("spawn")) as apart:
        return dict(zip(sizes, apart.map(write_world, folders, sizes), strict=True))


def least_costs(worlds: Mapping[int, World], threads: int) -> dict[int, dict[str, Cost]]:
    """Return the costs of each stage and of all together, by size."""
    turns: dict[int, list[dict[str, Cost]]] = {size: [] for size in worlds}
    for number in range(ROUNDS):
        for size, world in worlds.items():
            click.echo(f"round {number + 1} of {ROUNDS}: {size:,} expressions", err=True)
            turns[size] += [costs_of(world, threads) for _ in range(TURNS.get(size, 1))]
    costs = {
        size: {stage: least([turn[stage] for turn in taken]) for stage in taken[0]} for size, taken in turns.items()
    }
    return {size: {**stages, WHOLE: one_after_the_other(stages.values())} for size, stages in costs.items()}


def costs_of(world: World, threads: int) -> dict[str, Cost]:
    """Run each stage once; return the costs."""
    shutil.rmtree(world.made(""), ignore_errors=True)
    return {stage: cost_of(command) for stage, command in commands(world, threads).items()}


def by_stage(costs: Mapping[int, Mapping[str, Cost]]) -> dict[str, Costs]:
    return {stage: {size: costs[size][stage] for size in costs} for stage in costs[min(costs)]}


def quiet_verdict(folder: Path, threads: int) -> Verdict:
    """Check that no progress bar is drawn into a log: a bar is drawn with carriage returns."""
    drawn = [
        stage for stage, command in commands(World(folder), threads).items() if b"\r" in written_to_a_file(command)
    ]
    return Verdict("no progress is drawn into a log", ", ".join(drawn) or "none", not drawn)


def growth(stages: dict[str, Costs]) -> Iterator[str]:
    """Yield a line for each stage: microseconds of one more expression at both ends, their ratio, and the slope."""
    yield line(("stage", "µs, small", "µs, large", "ratio", "CPU ratio", "slope", "CPU slope"))
    for stage, costs in stages.items():
        (small, large), (cpu_small, cpu_large) = marginals(costs), marginals(costs, "cpu_seconds")
        numbers = f"{small * 1e6:,.1f}", f"{large * 1e6:,.1f}", f"{large / small:.2f}", f"{cpu_large / cpu_small:.2f}"
        yield line((stage, *numbers, f"{slope(costs):.2f}", f"{slope(costs, 'cpu_seconds'):.2f}"))


def cells(stage: str, size: int, cost: Cost) -> Sequence[str]:
    times = f"{cost.seconds:,.1f}", f"{cost.cpu_seconds:,.1f}", f"{size / cost.seconds:,.0f}"
    return stage, f"{size:,}", *times, f"{cost.peak_mb:,.0f}", f"{cost.silence:.1f}"


def line(values: Sequence[str]) -> str:
    return "".join(f"{value:<12}" if not number else f"{value:>17}" for number, value in enumerate(values))


def write_csv(path: Path, stages: dict[str, Costs]) -> None:
    with replacing(path) as temporary, temporary.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["stage", "expressions", *(field.name for field in fields(Cost))])
        for stage, costs in stages.items():
            rows.writerows((stage, size, *astuple(cost)) for size, cost in costs.items())


if __name__ == "__main__":
    main()
