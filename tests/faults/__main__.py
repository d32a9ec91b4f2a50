"""`make faults`: a miniature of the workflow is disturbed at random moments, and must end as if nothing had happened.

A fault begins with a copy of a finished project in which one job has to run again. It happens before or while that job
runs; then the workflow is run as its messages advise until it ends well, and every file is compared with the
undisturbed project's. Prints a line a fault, the table of faults by stage and kind, and what went wrong.
"""

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

import click

from tests.faults.choosing import Fault, faults
from tests.faults.disks import FullDisk, may_mount
from tests.faults.harness import Harness
from tests.faults.kinds import KINDS
from tests.faults.miniature import undisturbed_in
from tests.faults.table import Outcome, summary, table, told
from tests.sources.server import running_server


@click.command()
@click.option("--faults", "number", type=click.IntRange(min=1), help="How many; without it, as many as time permits.")
@click.option("--minutes", type=float, help="No fault is begun later than that.")
@click.option("--whole", type=int, help="Also make everything from nothing, disturbed so many times on the way.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--only", multiple=True, help="The number of a fault, or part of its name, such as 'train: kill'.")
@click.option("--side-by-side", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where all is kept, and used again if it is there.")
def main(number: int | None, minutes: float | None, folder: Path | None, **chosen: Any) -> None:
    end = time.monotonic() + 60 * minutes if minutes else math.inf
    if not may_mount():
        click.echo("no disk is filled: only root may mount a small one")
    with running_server() as server, tempfile.TemporaryDirectory(prefix="faults.") as temporary:
        place = folder or Path(temporary)
        undisturbed = undisturbed_in(place / "undisturbed", server)
        click.echo(f"undisturbed: {len(undisturbed.jobs)} jobs, {len(undisturbed.contents)} files")
        outcomes = []
        for outcome in shown(Harness(undisturbed, server, place), number, end, **chosen):
            click.echo(outcome.line())
            outcomes.append(outcome)
    click.echo("\n".join(["", *table(outcomes), "", *told(outcomes), summary(outcomes)]))
    raise SystemExit(any(outcome.flaws for outcome in outcomes))


def shown(
    harness: Harness,
    number: int | None,
    end: float,
    whole: int | None,
    seed: int,
    only: Sequence[str],
    side_by_side: int,
) -> Iterator[Outcome]:
    """As many outcomes as were asked for, or as there is time for."""
    kinds = [kind for kind in KINDS if may_mount() or not isinstance(kind, FullDisk)]
    possible = {f"{job.stage}: {kind.name}" for job in harness.undisturbed.jobs for kind in kinds if kind.fits(job)}
    for name in only:
        if not name.isdecimal() and not any(name in fault for fault in possible):
            raise click.UsageError(f"--only {name}: there is no such fault; there are: {', '.join(sorted(possible))}")
    if only and all(name.isdecimal() for name in only):
        number = len(only)
    chosen = (fault for fault in faults(harness.undisturbed.jobs, kinds, seed) if is_chosen(fault, only))
    in_time = takewhile(lambda _: time.monotonic() < end, chosen)
    yield from islice(carried_out(harness, in_time, side_by_side), number)
    if whole:
        yield harness.carry_out_whole(whole, seed)


def is_chosen(fault: Fault, only: Sequence[str]) -> bool:
    return not only or any(name == str(fault.number) or (not name.isdecimal() and name in str(fault)) for name in only)


def carried_out(harness: Harness, chosen: Iterator[Fault], side_by_side: int) -> Iterator[Outcome]:
    """As they end; those that came too late for a quick job are left out."""
    with ThreadPoolExecutor(side_by_side) as pool:
        running = {pool.submit(harness.carry_out, fault) for fault in islice(chosen, side_by_side)}
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(harness.carry_out, fault) for fault in islice(chosen, len(ended))}
            yield from (outcome for future in ended if (outcome := future.result()) is not None)


if __name__ == "__main__":
    main()
