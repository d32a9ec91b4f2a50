"""The paper's tables with ours beside, as rows: one for each method, and `origin` tells whose figures they are.

`origin` is `published` (printed in the paper, kept in `published/{table}.csv` with its source) or `measured` (read
from the metrics of our runs, which `source` names). A figure that was not printed or not measured is an empty cell.
All are percent.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from jvgn.layout import SETTINGS
from jvgn.paper.runs import ABLATED, RUNS_OF_TABLES, SPLITS, SUPPORTING, VGG_RUN, Measured, Run
from parsers.errors import UserError

OURS = "JVGN (this project)"
PUBLISHED = Path(__file__).parent / "published"


def published(table: str) -> pd.DataFrame:
    """The figures that the paper prints, with as many digits as it does."""
    return pd.read_csv(PUBLISHED / f"{table}.csv", dtype=str, keep_default_na=False)


def paper_table(table: str, metrics: Iterable[Path]) -> pd.DataFrame:
    """Published rows and ours, all as text, from the metrics of whatever runs there are."""
    measured = Measured(metrics)
    foreign = [run for run in measured.files if run not in RUNS_OF_TABLES[table]]
    if foreign:
        raise UserError(f"{measured.files[foreign[0]]}: {table} has no row for this run; leave it out")
    printed = published(table)
    rows = LAYOUTS[table](printed, measured)
    return pd.DataFrame(rows, columns=list(printed.columns)).fillna("")


def figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def accuracies(run: str) -> Callable[[pd.DataFrame, Measured], list[dict[str, Any]]]:
    """The layout of Table 1 and of the appendix's: what our rows are made of is a run of this name."""

    def rows(printed: pd.DataFrame, measured: Measured) -> list[dict[str, Any]]:
        found = []
        for setting in SETTINGS:
            found += printed[printed["setting"] == setting].to_dict("records")
            runs = [Run(dataset, setting, run) for dataset in SPLITS]
            # No method finds what its regions do not cover: their recall belongs beside every accuracy on them.
            for method, measure in ((OURS, "accuracy"), ("best possible on our regions", "oracle_recall")):
                cells = {
                    f"{run.dataset} {split}": figure(measured.split(run, split).get(measure))
                    for run in runs
                    for split in SPLITS[run.dataset]
                }
                row = {"method": method, "setting": setting, "origin": "measured", "source": measured.source(runs)}
                found.append(row | cells)
        return found

    return rows


def ablation(printed: pd.DataFrame, measured: Measured) -> list[dict[str, Any]]:
    """A model decoded without message passing (`unary`) is one without marginalisation in inference."""
    found = printed.to_dict("records")
    for trained, run in ((False, "unmarginalised"), (True, "default")):
        for inferred, way in ((False, "unary"), (True, "marginal")):
            runs = [Run(ABLATED, setting, run) for setting in SETTINGS]
            cells = {
                f"{ABLATED} {run.setting} {split}": figure(decoded(measured.split(run, split), way).get("accuracy"))
                for run in runs
                for split in SPLITS[ABLATED]
            }
            row = {"marginalise_training": str(trained), "marginalise_inference": str(inferred), "origin": "measured"}
            found.append(row | cells | {"source": measured.source(runs)})
    return found


def supporting(printed: pd.DataFrame, measured: Measured) -> list[dict[str, Any]]:
    found = printed.to_dict("records")
    for (dataset, setting), splits in SUPPORTING.items():
        run = Run(dataset, setting)
        for split in splits:
            own = measured.split(run, split)
            for method, values in ((OURS, own), (f"{OURS}, without message passing", decoded(own, "unary"))):
                shares = values.get("supporting", {})
                found.append(
                    {
                        "method": method,
                        "dataset": dataset,
                        "setting": setting,
                        "split": split,
                        "origin": "measured",
                        "referent": figure(values.get("accuracy")),
                        "with_supporting": str(shares.get("n", "")),
                        "supporting_all": figure(shares.get("all")),
                        "supporting_at_least_one": figure(shares.get("at_least_one")),
                        "source": measured.source([run]),
                    }
                )
    return found


def decoded(metrics: dict[str, Any], way: str) -> dict[str, Any]:
    found: dict[str, Any] = metrics.get("by_decoding", {}).get(way, {})
    return found


LAYOUTS: dict[str, Callable[[pd.DataFrame, Measured], list[dict[str, Any]]]] = {
    "table1": accuracies("default"),
    "table2": ablation,
    "table_vgg": accuracies(VGG_RUN),
    "supporting": supporting,
}
