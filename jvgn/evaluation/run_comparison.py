"""Runs side by side, all from their metrics: over seeds, the paper's ablation, and a summary for people.

`compare.csv`: run, decoding (unary, marginal or map), split, seeds (how many), and accuracy and context_accuracy in
percent, each as its mean over the seeds and, in `{measure}_sd`, their standard deviation (of a sample; empty for one
seed).

`ablation.csv`: marginalise_training, marginalise_inference, split, accuracy, context_accuracy (percent). A run decoded
without message passing (`unary`) is one without marginalisation in inference.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from jvgn.evaluation.metrics import Metrics, Shares, read_metrics
from jvgn.layout import METRICS
from jvgn.settings.run import RunSettings
from jvgn.storage.files import replacing
from jvgn.storage.records import read_origin
from jvgn.storage.shown_text import aligned
from jvgn.storage.verify import changed_inputs
from parsers.errors import BrokenFile, UserError

MEASURES = ("accuracy", "context_accuracy")
SUMMARY = ("setting", "split", "accuracy", "context accuracy", "oracle recall", "regions an image", "expressions")
NEXT_STEPS = {
    "gallery/index.html": "open it in a browser: groundings, before and after message passing",
    "examples.png": "some of them as a picture",
    "report/results.html": "all its figures; `make report` makes one page of everything",
    "ablation.csv": "what marginalisation is worth",
    "predictions.parquet": "every object of every expression",
}


def compare(runs: list[tuple[str, Path]], table: Path) -> None:
    """Write `table`, which compares named runs, each given by the metrics of its seeds."""
    rows = [row for name, path in runs for row in rows_of(name, read_metrics(path))]
    with replacing(table) as temporary:
        mean_over_seeds(pd.DataFrame(rows)).to_csv(temporary, index=False)


def rows_of(name: str, metrics: Metrics) -> list[dict[str, Any]]:
    """Return a row for each split and way to decode."""
    return [
        {"run": name, "decoding": way, "split": split, "seed": metrics.provenance.seed} | measures(shares)
        for split, found in metrics.splits.items()
        for way, shares in found.by_decoding.items()
    ]


def measures(shares: Shares) -> dict[str, float | None]:
    return {"accuracy": shares.accuracy, "context_accuracy": shares.context_accuracy}


def mean_over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    key = ["run", "decoding", "split"]
    twice = rows[rows.duplicated([*key, "seed"])]
    if len(twice):
        raise UserError(f"run {twice['run'].iloc[0]} has seed {twice['seed'].iloc[0]} twice; leave one of them out")
    groups = rows.astype(dict.fromkeys(MEASURES, float)).groupby(key, sort=False)
    result = groups["seed"].count().rename("seeds").to_frame()
    for measure in MEASURES:
        values = groups[measure]
        result[measure], result[f"{measure}_sd"] = values.mean().round(4), values.std().round(4)
    return result.reset_index()


class ScoredRun(NamedTuple):
    """The files of a run that its part of the ablation is made of."""

    metrics: Path
    settings: Path


def ablate(marginalised: ScoredRun, unmarginalised: ScoredRun, table: Path) -> None:
    """Write `table`, with four rows for each split: marginalisation in training and in inference, on and off."""
    check_differ_in_marginalisation(marginalised.settings, unmarginalised.settings)
    rows = [
        {"marginalise_training": in_training, "marginalise_inference": in_inference, "split": split}
        | measures(decoded(run.metrics, split, found.by_decoding, "marginal" if in_inference else "unary"))
        for in_training, run in ((False, unmarginalised), (True, marginalised))
        for in_inference in (False, True)
        for split, found in sorted(read_metrics(run.metrics).splits.items())
    ]
    with replacing(table) as temporary:
        pd.DataFrame(rows).to_csv(temporary, index=False)


def decoded(path: Path, split: str, by_decoding: dict[str, Shares], way: str) -> Shares:
    if way not in by_decoding:
        raise BrokenFile(path, f"split {split} has no by_decoding.{way}")
    return by_decoding[way]


def check_differ_in_marginalisation(marginalised: Path, unmarginalised: Path) -> None:
    """Refuse two runs whose settings differ in more than `training.marginalise`."""
    with_, without = RunSettings.read(marginalised), RunSettings.read(unmarginalised)
    expected = with_.training.model_copy(update={"marginalise": False})
    if not with_.training.marginalise or without != with_.model_copy(update={"training": expected}):
        raise UserError(
            f"{unmarginalised}: expected the settings of {marginalised} except for training.marginalise: false; give"
            " the run unmarginalised"
        )


def summary(runs: list[Path]) -> list[str]:
    """Return the lines of a table, a row for each run and split, then files of the runs to look at next.

    Figures whose inputs changed since are marked as stale, and a line says why.
    """
    stale = {run: reasons for run in runs if (reasons := staleness(run / METRICS))}
    rows = [SUMMARY, *(row for run in runs for row in summary_rows(run, " (stale)" if run in stale else ""))]
    cure = "run the workflow again for new figures"
    remarks = [f"stale: {run / METRICS}: {reasons[0]}; {cure}" for run, reasons in stale.items()]
    steps = [f"  {run / name}  {what}" for run in runs for name, what in NEXT_STEPS.items() if (run / name).exists()]
    return [*aligned(rows), *remarks, "", *steps]


def staleness(metrics: Path) -> list[str]:
    origin = read_origin(metrics)
    return list(changed_inputs(metrics, origin)) if origin and metrics.is_file() else []


def summary_rows(run: Path, mark: str) -> Iterator[tuple[str, ...]]:
    if run.is_file():
        raise UserError(f"{run}: is a file, expected the folder of a run; name one, such as results/shapes_det")
    metrics = read_metrics(run / METRICS)
    for split, found in metrics.splits.items():
        values = (found.accuracy, found.context_accuracy, found.oracle_recall, found.mean_regions)
        yield metrics.name + mark, split, *("" if value is None else f"{value:.1f}" for value in values), f"{found.n:,}"
