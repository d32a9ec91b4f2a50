"""`make fuzz`: give damaged files of every kind to the commands that read them, and print what became of them.

A command may accept a file or refuse it with one error line. Anything else is a finding: a traceback, a crash, a hang,
code that ran. Findings are kept in a folder, and make the exit code 1. The same seed makes the same inputs.
"""

import os
from collections import defaultdict
from pathlib import Path

import click

from tests.long.fuzz.readers import READERS
from tests.long.fuzz.running import FINE, Outcome, inputs_of, outcomes

HEADER = ("file", "inputs", "accepted", "refused", "findings", "slowest")


@click.command()
@click.option("--inputs", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--processes", type=click.IntRange(min=1), default=os.cpu_count(), show_default=True)
@click.option("--only", default="", help="Only the kinds of files with this in their name.")
@click.option("--keep", type=click.Path(path_type=Path), default=Path("results/fuzz"), show_default=True)
def main(inputs: int, seed: int, processes: int, only: str, keep: Path) -> None:
    found: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes(inputs_of([name for name in READERS if only in name], inputs, seed), processes):
        found[outcome.input.reader].append(outcome)
        if outcome.kind not in FINE:
            click.echo(f"{outcome.kind}: {kept(outcome, keep)}\n{outcome.message}\n", err=True)
    rows = [HEADER, *(row(name, found[name]) for name in READERS if name in found)]
    rows.append(row("all", [outcome for some in found.values() for outcome in some]))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *rest in rows:
        click.echo("  ".join([first.ljust(widths[0]), *map(str.rjust, rest, widths[1:])]))
    raise SystemExit(any(outcome.kind not in FINE for some in found.values() for outcome in some))


def row(name: str, some: list[Outcome]) -> tuple[str, ...]:
    accepted, refused = (sum(outcome.kind == kind for outcome in some) for kind in FINE)
    counts = (len(some), accepted, refused, len(some) - accepted - refused)
    return name, *(f"{count:,}" for count in counts), f"{max(outcome.seconds for outcome in some):.1f} s"


def kept(outcome: Outcome, folder: Path) -> Path:
    """Write the input of a finding, and the command and its message beside it."""
    given = outcome.input
    path = folder / f"{given.reader}-{given.seed}-{given.number}" / Path(READERS[given.reader][0]).name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(outcome.content)
    (path.parent / "finding.txt").write_text(f"jvgn {given.command}\n{outcome.kind}\n{outcome.message}\n")
    return path


if __name__ == "__main__":
    main()
