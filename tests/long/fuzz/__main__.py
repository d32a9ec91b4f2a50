"""`make fuzz`: give damaged files of every kind to the commands that read them, and print what became of them.

A command may accept a file or refuse it with one error line. Anything else is a finding: a traceback, a crash, a hang,
code that ran. Findings are kept in a folder, and make the exit code 1. The same seed makes the same inputs.
"""

import os
from collections import Counter
from pathlib import Path

import click

from tests.long.fuzz.inputs import FINE, Outcome, inputs_of, outcomes
from tests.long.fuzz.readers import READERS


@click.command()
@click.option("--inputs", type=click.IntRange(min=1), default=10_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--processes", type=click.IntRange(min=1), default=os.cpu_count(), show_default=True)
@click.option("--only", default="", help="Only the kinds of files with this in their name.")
@click.option("--keep", type=click.Path(path_type=Path), default=Path("results/fuzz"), show_default=True)
def main(inputs: int, seed: int, processes: int, only: str, keep: Path) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes(inputs_of([name for name in READERS if only in name], inputs, seed), processes):
        counts[outcome.input.reader, outcome.kind] += 1
        if outcome.kind not in FINE:
            click.echo(f"{outcome.kind}: {kept(outcome, keep)}\n{outcome.message}\n", err=True)
    for name in READERS:
        kinds = [f"{count:,} {kind}" for (reader, kind), count in sorted(counts.items()) if reader == name]
        click.echo(f"{name}: {', '.join(kinds)}") if kinds else None
    raise SystemExit(any(kind not in FINE for _, kind in counts))


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
