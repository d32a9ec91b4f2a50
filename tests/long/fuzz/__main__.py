"""`make fuzz`: gives every reader thousands of broken and contrived files, and prints what became of them.

A reader may accept a file or refuse it in one line (`UserError`). Anything else is a finding: another exception, a
crash, more than five seconds, a quarter of a gigabyte, code that ran, a file written elsewhere. Findings are kept in a
folder, and make the exit code 1. The same seed makes the same inputs.
"""

import os
import tempfile
from pathlib import Path

import click

from tests.long.fuzz.inputs import Inputs
from tests.long.fuzz.readers import READERS
from tests.long.fuzz.running import Finding, Run, Tally, jobs_of, run_jobs

COLUMNS = ("reader", "inputs", "structured", "past header", "accepted", "refused", "findings", "slowest")


@click.command()
@click.option("--inputs", type=click.IntRange(min=1), default=100_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--processes", type=click.IntRange(min=1), default=os.cpu_count(), show_default=True)
@click.option("--only", default="", help="Only the readers with this in their name.")
@click.option("--keep", type=click.Path(path_type=Path), default=Path("results/fuzz"), show_default=True)
def main(inputs: int, seed: int, processes: int, only: str, keep: Path) -> None:
    shares = {name: reader.share for name, reader in READERS.items() if only in name}
    run = run_jobs(jobs_of(shares, inputs, seed), processes)
    for line in table(run):
        click.echo(line)
    for finding in run.findings:
        click.echo(f"\n{finding.kind}: {finding.reader}, input {finding.number}, kept as {kept(finding, seed, keep)}")
        click.echo(finding.said)
    raise SystemExit(bool(run.findings))


def table(run: Run) -> list[str]:
    rows = [cells(name, run.tallies[name]) for name in READERS if name in run.tallies]
    whole = Tally()
    for tally in run.tallies.values():
        for name in ("inputs", "structured", "beyond_header"):
            setattr(whole, name, getattr(whole, name) + getattr(tally, name))
        whole.kinds += tally.kinds
        whole.slowest = max(whole.slowest, tally.slowest)
    lines = [COLUMNS, *rows, cells("all", whole)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines]


def cells(name: str, tally: Tally) -> tuple[str, ...]:
    accepted, refused = tally.kinds["accepted"], tally.kinds["refused"]
    counts = (tally.inputs, tally.structured, tally.beyond_header, accepted, refused, tally.inputs - accepted - refused)
    return name, *(f"{count:,}" for count in counts), f"{tally.slowest:.2f} s"


def kept(finding: Finding, seed: int, folder: Path) -> Path:
    """The input, made once more."""
    with tempfile.TemporaryDirectory() as temporary:
        made = Inputs(READERS[finding.reader], Path(temporary) / "made")
        one = made.input(seed, max(finding.number, 0))
        place = folder / finding.reader.replace(" ", "_") / f"{finding.number}{one.path.suffix}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(one.content)
    return place


if __name__ == "__main__":
    main()
