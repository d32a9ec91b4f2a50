"""`make load`: what the stages from graphs to metrics take as a dataset grows, to 200,000 expressions of 20,000 images.

Every stage runs as the workflow runs it, in a process of its own, attached to a terminal. Prints a table and whether
its targets are met, and writes the table as `load.csv` into a folder. For an idle machine: wall time is what counts.
"""

import csv
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path

import click

from parsers.files import replacing
from tests.load.measuring import Cost, cost_of, written_to_a_file
from tests.load.scaling import WHOLE, Costs, Verdict, least, marginals, one_after_the_other, slope, verdicts
from tests.load.stages import commands
from tests.load.world import World, write_world

SIZES = (2_000, 20_000, 50_000, 100_000, 200_000)
TURNS = {2_000: 5, 20_000: 5, 100_000: 3, 200_000: 3}
"""How often the stages run at the sizes that are compared: whatever else the machine does, once would be luck."""
FEWEST = 4
"""Sizes of which two are the small end, and two others the large one."""
COLUMNS = ("stage", "expressions", "seconds", "CPU seconds", "a second", "peak MB", "longest silence")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--size", "sizes", type=int, multiple=True, default=SIZES, help="Expressions; once for each size.")
@click.option("--threads", type=click.IntRange(min=1), default=os.cpu_count())
def main(folder: Path, sizes: tuple[int, ...], threads: int) -> None:
    if len(set(sizes)) < FEWEST:
        raise click.UsageError(f"--size: give at least {FEWEST} different ones, to see how costs grow")
    click.echo(line(COLUMNS))
    stages: dict[str, dict[int, Cost]] = {}
    for size in sorted(set(sizes)):
        for stage, cost in costs_of(folder / str(size), size, threads).items():
            stages.setdefault(stage, {})[size] = cost
            click.echo(line(cells(stage, size, cost)))
    write_csv(folder / "load.csv", stages)
    click.echo("\n".join(["", *growth(stages), ""]))
    found = [*verdicts(stages), quiet_verdict(folder / str(min(sizes)), threads)]
    for verdict in found:
        click.echo(f"{'met   ' if verdict.is_met else 'MISSED'}  {verdict.claim}: {verdict.found}")
    raise SystemExit(not all(verdict.is_met for verdict in found))


def costs_of(folder: Path, expressions: int, threads: int) -> dict[str, Cost]:
    """Of each stage, and of the whole."""
    world = write_world(folder, expressions)
    turns = []
    for _ in range(TURNS.get(expressions, 1)):
        shutil.rmtree(world.made(""), ignore_errors=True)
        turns.append({stage: cost_of(command) for stage, command in commands(world, threads).items()})
    costs = {stage: least([turn[stage] for turn in turns]) for stage in turns[0]}
    return {**costs, WHOLE: one_after_the_other(costs.values())}


def quiet_verdict(folder: Path, threads: int) -> Verdict:
    """A bar is drawn over and over in its line, by returning to the line's start; a log must have none of that."""
    drawn = [
        stage for stage, command in commands(World(folder), threads).items() if b"\r" in written_to_a_file(command)
    ]
    return Verdict("no progress is drawn into a log", ", ".join(drawn) or "none", not drawn)


def growth(stages: dict[str, Costs]) -> Iterator[str]:
    """A line a stage: what an expression more takes at either end, in microseconds, their ratio, and the slope."""
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
