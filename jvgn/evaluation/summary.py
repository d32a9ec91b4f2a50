"""Results of runs as a small table, for people."""

from collections.abc import Iterator
from pathlib import Path

from jvgn.evaluation.metrics import needing, read_metrics
from jvgn.layout import METRICS
from parsers.errors import UserError

COLUMNS = ("setting", "split", "accuracy", "context accuracy", "oracle recall", "regions an image", "expressions")


def summary(runs: list[Path]) -> list[str]:
    """The lines of a table, one row a run and split, in aligned columns, then where to look next."""
    rows = [COLUMNS]
    for run in runs:
        if run.is_file():
            raise UserError(f"{run}: a file; name the folder of a run, such as results/shapes_det")
        path = run / METRICS
        metrics = read_metrics(path)
        name = f"{metrics['dataset']}_{metrics['setting']}" + (
            "" if metrics["run"] == "default" else f" {metrics['run']}"
        )
        for split, values in metrics["splits"].items():
            shares = [values.get(key) for key in ("accuracy", "context_accuracy", "oracle_recall", "mean_regions")]
            with needing(path):
                cells = ["" if share is None else f"{share:.1f}" for share in shares]
                rows.append((name, split, *cells, f"{values['n']:,}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return [*lines, "", *(line for run in runs for line in next_steps(run))]


def next_steps(run: Path) -> Iterator[str]:
    files = {
        "gallery/index.html": "open it in a browser: groundings, before and after message passing",
        "examples.png": "some of them as a picture",
        "report/results.html": "all its figures; `make report` makes one page of everything",
        "ablation.csv": "what marginalisation is worth",
        "predictions.parquet": "every object of every expression",
    }
    for name, what in files.items():
        if (run / name).exists():
            yield f"  {run / name}  {what}"
