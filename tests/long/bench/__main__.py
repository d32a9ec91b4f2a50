"""`make bench`: how fast the stages are, each number beside its reference in the same run.

Writes `bench.md` and `bench.json` into a folder and prints the table. A stage's rows are the list ROWS of a module of
this folder.
"""

import json
import os
import platform
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import click

from jvgn.storage.files import replacing

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

COLUMNS = ("what", "seconds", "peak", "reference", "seconds", "peak", "ratio", "target", "met", "note")


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--threads", type=click.IntRange(min=1), default=os.cpu_count())
@click.option("--only", default="", help="Only the functions with this in their name.")
def main(folder: Path, threads: int, only: str) -> None:
    import torch

    from tests.long.bench import core_rows, ground_rows, region_rows

    torch.set_num_threads(threads)
    rows = []
    for function in [*core_rows.ROWS, *region_rows.ROWS, *ground_rows.ROWS]:
        if only in getattr(function, "func", function).__name__:
            found = function()
            for row in found if isinstance(found, Iterable) else [found]:
                rows.append(row)
                click.echo(markdown_row(row))
    machine = {"machine": platform.machine(), "threads": threads, "torch": torch.__version__}
    with replacing(folder / "bench.json") as temporary:
        temporary.write_text(json.dumps({**machine, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")
    with replacing(folder / "bench.md") as temporary:
        temporary.write_text("\n".join([line(COLUMNS), line(["---"] * len(COLUMNS)), *map(markdown_row, rows)]) + "\n")


def markdown_row(row) -> str:
    cells = [row.name]
    for name, cost in (("", row.work), (row.reference_name, row.reference)):
        peak = "" if cost.peak_mb is None else f"{cost.peak_mb:,.0f} MB"
        cells += ([name] if name else []) + [f"{cost.seconds:.4g}", peak]
    met = ("yes" if row.is_met else "no") if row.target else ""
    return line([*cells, f"{row.ratio:,.3g}", row.target, met, row.note])


def line(cells) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
