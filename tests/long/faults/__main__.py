"""`make faults`: a miniature of the workflow is disturbed at random moments, and must end as if nothing had happened.

A fault begins with a copy of a finished project in which one job has to run again. It happens before or while that job
runs; then the workflow is run as its messages advise until it ends well, and every file is compared with the
undisturbed project's. Prints a line a fault, the table of faults by stage and kind, and what went wrong.
"""

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import chain, islice, takewhile
from pathlib import Path
from traceback import format_exception
from typing import Any

import click

from tests.jvgn.downloads.server import running_server
from tests.long.faults.choosing import Fault, faults
from tests.long.faults.disks import FullDisk, may_mount
from tests.long.faults.harness import Harness
from tests.long.faults.kind import Kind
from tests.long.faults.kinds import KINDS
from tests.long.faults.miniature import undisturbed_in
from tests.long.faults.session import hear_interrupts
from tests.long.faults.table import Outcome, summary, table, told
from tests.long.faults.trial import Flaw
from tests.long.faults.whole import EVERYTHING, Repeatedly

COUNT = click.IntRange(min=1)
POSITIVE = click.FloatRange(min=0, min_open=True)
NAMES = [kind.name for kind in KINDS]


@click.command()
@click.option("--faults", "number", type=COUNT, help="How many; without it, as many as time permits.")
@click.option("--minutes", type=POSITIVE, help="No fault is begun later than that, counted from the very start.")
@click.option("--whole", type=COUNT, help="Also make everything from nothing, disturbed so many times on the way.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--only", multiple=True, help="The number of a fault, or part of its name, such as 'train: kill'.")
@click.option("--each", multiple=True, type=click.Choice(NAMES), help="Also, and first, this kind at every stage.")
@click.option("--side-by-side", type=COUNT, default=3, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where all is kept, and used again if it is there.")
def main(number: int | None, minutes: float | None, folder: Path | None, **which: Any) -> None:
    end = time.monotonic() + 60 * minutes if minutes else math.inf
    hear_interrupts()
    if not may_mount():
        click.echo("no disk is filled: only root may mount a small one")
    with running_server() as server, tempfile.TemporaryDirectory(prefix="faults.") as temporary:
        place = folder or Path(temporary)
        undisturbed = undisturbed_in(place / "undisturbed", server)
        click.echo(f"undisturbed: {len(undisturbed.jobs)} jobs, {len(undisturbed.contents)} files")
        outcomes = []
        for outcome in shown(Harness(undisturbed, server, place, end), number, **which):
            click.echo(outcome.line())
            outcomes.append(outcome)
    click.echo("\n".join(["", *table(outcomes), "", *told(outcomes), summary(outcomes)]))
    raise SystemExit(not is_good(outcomes))


def is_good(outcomes: Sequence[Outcome]) -> bool:
    """Whether a fault has happened, and none showed a flaw."""
    return any(not outcome.is_late for outcome in outcomes) and not any(outcome.flaws for outcome in outcomes)


def shown(
    harness: Harness,
    number: int | None,
    whole: int | None,
    seed: int,
    only: Sequence[str],
    each: Sequence[str],
    side_by_side: int,
) -> Iterator[Outcome]:
    """Of as many faults as were asked for, or as there is time for."""
    if (whole or each) and not number and not only and harness.end == math.inf:
        number = 0
    first = [fault for kind in each for fault in at_each_stage(harness, seed, kind)]
    others = (fault for fault in chosen(harness, seed, only) if fault not in first)
    in_time = takewhile(lambda _: time.monotonic() < harness.end, chain(first, islice(others, number)))
    yield from carried_out(harness, in_time, side_by_side)
    if whole and time.monotonic() < harness.end:
        yield from carried_out(harness, iter([Fault(-1, EVERYTHING, Repeatedly(whole), seed)]), 1)


def at_each_stage(harness: Harness, seed: int, kind: str) -> Iterator[Fault]:
    """The first fault of a kind at each of the stages that can have it."""
    jobs = harness.undisturbed.jobs
    lacking = {job.stage for job in jobs for one in possible_kinds() if one.name == kind and one.fits(job)}
    for fault in faults(jobs, possible_kinds(), seed):
        if not lacking:
            return
        if fault.kind.name == kind and fault.job.stage in lacking:
            lacking.remove(fault.job.stage)
            yield fault


def possible_kinds() -> list[Kind]:
    """Those that this user may cause."""
    return [kind for kind in KINDS if may_mount() or not isinstance(kind, FullDisk)]


def chosen(harness: Harness, seed: int, only: Sequence[str]) -> Iterator[Fault]:
    """All faults, or those of a number or part of a name; without end, unless there are numbers alone."""
    jobs, kinds = harness.undisturbed.jobs, possible_kinds()
    possible = {f"{job.stage}: {kind.name}" for job in jobs for kind in kinds if kind.fits(job)}
    names = [name for name in only if not name.isdecimal()]
    numbers = {int(name) for name in only if name.isdecimal()}
    for name in names:
        if not any(name in fault for fault in possible):
            raise click.UsageError(f"--only {name}: there is no such fault; there are: {', '.join(sorted(possible))}")
    last = None if names or not only else max(numbers) + 1
    for fault in islice(faults(jobs, kinds, seed), last):
        if not only or fault.number in numbers or any(name in str(fault) for name in names):
            yield fault


def carried_out(harness: Harness, waiting: Iterator[Fault], side_by_side: int) -> Iterator[Outcome]:
    """As they end; one is begun when there is room for it."""
    running: dict[Future[Outcome], Fault] = {}
    with ThreadPoolExecutor(side_by_side) as pool:
        while True:
            begun = islice(waiting, side_by_side - len(running))
            running |= {pool.submit(harness.carry_out, fault): fault for fault in begun}
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                fault, error = running.pop(future), future.exception()
                yield broken(fault, error) if error else future.result()


def broken(fault: Fault, error: BaseException) -> Outcome:
    """Of a fault that the harness itself could not carry out."""
    return Outcome(fault, [Flaw("harness", "".join(format_exception(error)).rstrip())], math.nan, is_harmed=False)


if __name__ == "__main__":
    main()
