"""`make faults`: disturb a small workflow at random moments; its results must be as if nothing had happened.

A fault begins with a copy of a finished project in which one job has to run again. It happens before or while that job
runs. Then the workflow is run as its messages advise until it succeeds, and every file is compared with the
undisturbed project. Prints a line for each fault, and what went wrong.
"""

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice, takewhile
from pathlib import Path
from traceback import format_exception
from typing import Any

import click

from tests.jvgn.downloads.server import running_server
from tests.long.faults.disks import may_mount
from tests.long.faults.harness import Harness
from tests.long.faults.jobs import Fault, faults
from tests.long.faults.kinds import KINDS, FullDisk, Kind
from tests.long.faults.miniature import undisturbed_in
from tests.long.faults.outcome import Outcome, explained, summary
from tests.long.faults.session import hear_interrupts
from tests.long.faults.trial import Flaw

COUNT = click.IntRange(min=1)
POSITIVE = click.FloatRange(min=0, min_open=True)


@click.command()
@click.option("--faults", "number", type=COUNT, help="How many faults; without it, as many as time permits.")
@click.option("--minutes", type=POSITIVE, help="Start no fault later than this.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--only", multiple=True, help="The number of a fault, or part of its name, such as 'train: kill'.")
@click.option("--side-by-side", type=COUNT, default=3, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Keep projects and logs here.")
def main(number: int | None, minutes: float | None, folder: Path | None, **which: Any) -> None:
    end = time.monotonic() + 60 * minutes if minutes else math.inf
    hear_interrupts()
    if not may_mount():
        click.echo("only root may mount a small disk: no disk is filled")
    with running_server() as server, tempfile.TemporaryDirectory(prefix="faults.") as temporary:
        place = folder or Path(temporary)
        undisturbed = undisturbed_in(place / "undisturbed", server)
        click.echo(f"undisturbed: {len(undisturbed.jobs)} jobs, {len(undisturbed.contents)} files")
        outcomes = []
        for outcome in shown(Harness(undisturbed, server, place, end), number, **which):
            click.echo(outcome.line())
            outcomes.append(outcome)
    click.echo("\n".join(["", *explained(outcomes), summary(outcomes)]))
    raise SystemExit(not is_good(outcomes))


def is_good(outcomes: Sequence[Outcome]) -> bool:
    """Return whether a fault happened, and none showed a flaw."""
    return any(not outcome.is_late for outcome in outcomes) and not any(outcome.flaws for outcome in outcomes)


def shown(harness: Harness, number: int | None, seed: int, only: Sequence[str], side_by_side: int) -> Iterator[Outcome]:
    """Yield the outcomes of as many faults as were asked for, or as time permits."""
    waiting = islice(chosen(harness, seed, only), number)
    in_time = takewhile(lambda _: time.monotonic() < harness.end, waiting)
    yield from carried_out(harness, in_time, side_by_side)


def possible_kinds() -> list[Kind]:
    """Return the kinds that this user may cause."""
    return [kind for kind in KINDS if may_mount() or not isinstance(kind, FullDisk)]


def chosen(harness: Harness, seed: int, only: Sequence[str]) -> Iterator[Fault]:
    """Yield all faults, or those with these numbers or parts of names."""
    jobs, kinds = harness.undisturbed.jobs, possible_kinds()
    possible = {f"{job.stage}: {kind.name}" for job in jobs for kind in kinds if kind.fits(job)}
    names = [name for name in only if not name.isdecimal()]
    numbers = {int(name) for name in only if name.isdecimal()}
    for name in names:
        if not any(name in fault for fault in possible):
            raise click.UsageError(f"--only {name}: unknown fault; known: {', '.join(sorted(possible))}")
    last = None if names or not only else max(numbers) + 1
    for fault in islice(faults(jobs, kinds, seed), last):
        if not only or fault.number in numbers or any(name in str(fault) for name in names):
            yield fault


def carried_out(harness: Harness, waiting: Iterator[Fault], side_by_side: int) -> Iterator[Outcome]:
    """Yield outcomes as faults end; run some side by side."""
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
    """Return the outcome of a fault that the harness could not carry out."""
    return Outcome(fault, [Flaw("harness", "".join(format_exception(error)).rstrip())], math.nan, is_harmed=False)


if __name__ == "__main__":
    main()
