"""Runs side by side: over seeds and against each other, the paper's ablation, and a summary for people.

`compare.csv`: run, decoding (unary, marginal or map), split, seeds (how many), and accuracy and context_accuracy in
percent, each as its mean over the seeds and, in `{measure}_sd`, their standard deviation (of a sample; empty for one
seed). The other columns are a paired test of the run against another one with the same decoding, which `against` names,
the first one unless the settings say otherwise. The test pairs sentences or mentions, each averaged over the seeds:
`{measure}_difference` in points, `{measure}_low` and `{measure}_high`, its 95% interval, and `{measure}_p`, two-sided
(`jvgn.evaluation.metrics`). They are empty for the first run.

`ablation.csv`: marginalise_training, marginalise_inference, split, accuracy, context_accuracy (percent). A run decoded
without message passing (`unary`) is one without marginalisation in inference.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from jvgn.evaluation.metrics import Difference, ImageBootstrap, Metrics, Shares, read_metrics
from jvgn.evaluation.predictions import read_predictions, ways_of
from jvgn.evaluation.score import Answers
from jvgn.layout import METRICS
from jvgn.settings.run import RunSettings
from jvgn.storage.files import replacing
from jvgn.storage.records import read_origin
from jvgn.storage.shown_text import aligned
from jvgn.storage.verify import changed_inputs
from parsers.errors import BrokenFile, UserError

MEASURES = ("accuracy", "context_accuracy")
DIFFERENCE = {"value": "difference", "low": "low", "high": "high", "p": "p"}
"""The columns of a paired test, by the fields of a `Difference`."""
SUMMARY = (
    "setting",
    "split",
    "accuracy",
    "context accuracy",
    "R@1",
    "oracle recall",
    "regions an image",
    "expressions",
)
NEXT_STEPS = {
    "gallery/index.html": "open it in a browser: groundings, before and after message passing",
    "examples.png": "some of them as a picture",
    "report/results.html": "all its figures; `make report` makes one page of everything",
    "ablation.csv": "what marginalisation is worth",
    "predictions.parquet": "every object of every expression",
}


class ComparedRun(NamedTuple):
    """A run with one seed: its name without the seed, and the files that are compared."""

    name: str
    metrics: Path
    predictions: Path
    nodes: Path
    edges: Path


def compare(dataset: Path, runs: list[ComparedRun], table: Path, against: Mapping[str, str] | None = None) -> None:
    """Write `table`: runs over their seeds, each tested against the first one or the one that `against` names."""
    rows = [row for run in runs for row in rows_of(run.name, read_metrics(run.metrics))]
    means = mean_over_seeds(pd.DataFrame(rows))
    outcomes = pd.concat([outcomes_of(dataset, run) for run in runs])
    with replacing(table) as temporary:
        others = {run.name: runs[0].name for run in runs if run.name != runs[0].name} | dict(against or {})
        with_differences(means, outcomes, others).to_csv(temporary, index=False)


def outcomes_of(dataset: Path, run: ComparedRun) -> pd.DataFrame:
    """Return a row for each decoding, measure and trial: an expression, or a gold mention of its context."""
    answers = Answers(dataset, run.nodes, run.edges)
    predictions = read_predictions(run.predictions, answers.evaluated).to_pandas()
    parts = []
    for way in ways_of(predictions):
        decoded = predictions.assign(correct=predictions[f"{way}_correct"])
        referents = answers.table(decoded).set_index("expression_id")
        trials = {"accuracy": referents, "context_accuracy": answers.context(decoded, referents.reset_index())}
        for measure, rows in trials.items():
            own = rows[["split", "image_id", "correct"]].rename_axis("trial").reset_index()
            parts.append(own.assign(run=run.name, decoding=way, measure=measure))
    return pd.concat(parts)


def with_differences(means: pd.DataFrame, outcomes: pd.DataFrame, against: Mapping[str, str]) -> pd.DataFrame:
    """Return the means with the columns of the paired tests of each run against another one."""
    key = ["decoding", "split", "measure", "image_id", "trial"]
    by_run = outcomes.astype({"correct": float}).groupby([*key, "run"])["correct"].mean().unstack("run")
    columns: dict[str, list[float | str | None]] = {"against": []}
    columns |= {f"{measure}_{name}": [] for measure in MEASURES for name in DIFFERENCE.values()}
    for row in means.itertuples():
        other = against.get(row.run)
        columns["against"].append(other)
        for measure in MEASURES:
            found = other and paired(by_run, (row.decoding, row.split, measure), row.run, other)
            for field, name in DIFFERENCE.items():
                columns[f"{measure}_{name}"].append(getattr(found, field, None))
    return means.assign(**columns)


def paired(by_run: pd.DataFrame, group: tuple[str, str, str], run: str, other: str) -> Difference | None:
    """Return how much better a run is than another, None if nothing is known of this measure."""
    if group not in by_run.index.droplevel(["image_id", "trial"]):
        return None
    trials = by_run.loc[group]
    if trials[[run, other]].isna().all().any():  # one of them does not have it
        return None
    bootstrap = ImageBootstrap(trials.index.get_level_values("image_id").to_numpy())
    return bootstrap.difference(trials[run].to_numpy(), trials[other].to_numpy())


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
        r_at_1 = (found.recall.r_at_1, found.recall.r_at_1_interval) if found.recall else (None, None)
        shares = (
            (found.accuracy, found.accuracy_interval),
            (found.context_accuracy, found.context_accuracy_interval),
            r_at_1,
            (found.oracle_recall, None),
        )
        figures = [share_with_interval(value, interval) for value, interval in shares]
        yield metrics.name + mark, split, *figures, f"{found.mean_regions:.1f}", f"{found.n:,}"


def share_with_interval(value: float | None, interval: list[float] | None) -> str:
    if value is None:
        return ""
    return f"{value:.1f}" + (f" ({interval[0]:.1f}–{interval[1]:.1f})" if interval else "")
