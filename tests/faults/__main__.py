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

import click

from tests.faults.choosing import Fault, faults
from tests.faults.disks import may_mount
from tests.faults.harness import Harness
from tests.faults.kinds import KINDS, FullDisk
from tests.faults.miniature import undisturbed_in
from tests.faults.table import Outcome, summary, table, told
from tests.sources.server import running_server


@click.command()
@click.option("--faults", "number", type=click.IntRange(min=1), help="How many; without it, as many as time permits.")
@click.option("--minutes", type=float, help="No fault is begun later than that.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--only", multiple=True, help="The number of a fault, or part of its name, such as 'train: kill'.")
@click.option("--side-by-side", type=click.IntRange(min=1), default=2, show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), help="Where all is kept, and used again if it is there.")
def main(
    number: int | None, minutes: float | None, seed: int, only: tuple[str, ...], side_by_side: int, folder: Path | None
) -> None:
    end = time.monotonic() + 60 * minutes if minutes else math.inf
    kinds = [kind for kind in KINDS if may_mount() or not isinstance(kind, FullDisk)]
    if not may_mount():
        click.echo("no disk is filled: only root may mount a small one")
    if all(name.isdecimal() for name in only):
        number = number or len(only) or None
    with running_server() as server, tempfile.TemporaryDirectory(prefix="faults.") as temporary:
        place = folder or Path(temporary)
        undisturbed = undisturbed_in(place / "undisturbed", server)
        click.echo(f"undisturbed: {len(undisturbed.jobs)} jobs, {len(undisturbed.contents)} files")
        chosen = (fault for fault in faults(undisturbed.jobs, kinds, seed) if is_chosen(fault, only))
        in_time = takewhile(lambda _: time.monotonic() < end, chosen)
        harness = Harness(undisturbed, server, place)
        outcomes = []
        for outcome in islice(carried_out(harness, in_time, side_by_side), number):
            click.echo(outcome.line())
            outcomes.append(outcome)
    click.echo("\n".join(["", *table(outcomes), "", *told(outcomes), summary(outcomes)]))
    raise SystemExit(any(outcome.flaws for outcome in outcomes))


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
