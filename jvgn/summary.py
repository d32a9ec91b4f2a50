"""Results of runs as a small table, for people."""

import json
from pathlib import Path

from parsers.files import BrokenFile

COLUMNS = ("setting", "split", "accuracy", "context accuracy", "oracle recall", "regions an image", "expressions")


def read_metrics(run: Path) -> dict:
    path = run / "metrics.json"
    try:
        return json.loads(path.read_text())
    except FileNotFoundError as error:
        raise BrokenFile(path, "there is no such file", f"make it: snakemake --cores all {path}") from error
    except ValueError as error:
        raise BrokenFile(path, f"not readable as JSON ({error})") from error


def summary(runs: list[Path]) -> str:
    """One row a run and split, in aligned columns, then where to look next."""
    rows = [COLUMNS]
    for run in runs:
        metrics = read_metrics(run)
        name = f"{metrics['dataset']}_{metrics['setting']}"
        for split, values in metrics["splits"].items():
            shares = [values.get(key) for key in ("accuracy", "context_accuracy", "oracle_recall", "mean_regions")]
            rows.append(
                (name, split, *("" if share is None else f"{share:.1f}" for share in shares), f"{values['n']:,}")
            )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines) + "\n\n" + "\n".join(next_steps(run) for run in runs)


def next_steps(run: Path) -> str:
    files = {
        "examples.png": "groundings to look at",
        "ablation.csv": "what marginalisation is worth",
        "predictions.parquet": "every object of every expression",
    }
    found = [f"  {run / name}  {what}" for name, what in files.items() if (run / name).exists()]
    return "\n".join(found)
