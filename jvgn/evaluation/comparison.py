"""Runs side by side, over their seeds.

`compare.csv`: run, decoding (unary: each node by its own words; marginal; map: the best joint grounding), split, seeds
(how many), and accuracy and context_accuracy in percent, each as its mean over the seeds and, `_sd`, their standard
deviation (of a sample; empty for one seed).
"""

from pathlib import Path
from typing import Any

import pandas as pd

from jvgn.evaluation.metrics import needing, read_metrics
from jvgn.storage.files import replacing
from parsers.errors import UserError

MEASURES = ("accuracy", "context_accuracy")


def compare(runs: list[tuple[str, Path]], table: Path) -> None:
    """`table` compares named runs, each given by the metrics of its seeds."""
    rows = [row for name, path in runs for row in measured(name, path)]
    with replacing(table) as temporary:
        compared(pd.DataFrame(rows)).to_csv(temporary, index=False)


def measured(name: str, path: Path) -> list[dict[str, Any]]:
    """A row for each way to decode and each split."""
    metrics = read_metrics(path)
    with needing(path):
        seed = metrics["provenance"]["seed"]
        return [
            {"run": name, "decoding": way, "split": split, "seed": seed} | {key: values.get(key) for key in MEASURES}
            for split, found in metrics["splits"].items()
            for way, values in found["by_decoding"].items()
        ]


def compared(rows: pd.DataFrame) -> pd.DataFrame:
    key = ["run", "decoding", "split"]
    twice = rows[rows.duplicated([*key, "seed"])]
    if len(twice):
        raise UserError(f"run {twice['run'].iloc[0]} has seed {twice['seed'].iloc[0]} twice; leave one of them out")
    groups = rows.groupby(key, sort=False)
    result = groups["seed"].count().rename("seeds").to_frame()
    for measure in MEASURES:
        values = groups[measure]
        result[measure], result[f"{measure}_sd"] = values.mean().round(4), values.std().round(4)
    return result.reset_index()
