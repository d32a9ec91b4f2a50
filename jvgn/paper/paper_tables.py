"""The paper's tables with our figures beside the printed ones: `{table}.csv`, and `{table}.md` for people.

A row is one method. `origin` says where its figures come from: `published` (printed in the paper or, for flickr30k, by
others; kept in `published/{table}.csv` with its source) or `measured` (from the metrics of our runs, which `source`
names). A figure that was not printed or not measured is an empty cell. All are percent. The Markdown lists the sources
below the table.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from jvgn.evaluation.metrics import Metrics, Shares, Split, read_metrics
from jvgn.layout import DEFAULT_RUN
from jvgn.paper.runs import (
    ABLATED,
    FLICKR30K,
    FLICKR30K_SPLIT,
    RIVALS,
    RUNS_OF_TABLES,
    SETTINGS,
    SPLITS,
    SUPPORTING,
    VGG_RUN,
    Run,
)
from jvgn.storage.files import replacing, write_text
from parsers.errors import UserError

OURS = "JVGN (this project)"
PUBLISHED = Path(__file__).parent / "published"
TITLES = {
    "table1": "Table 1: accuracy (percent)",
    "table2": "Table 2: marginalisation in training and in inference (accuracy, percent)",
    "table_vgg": "Appendix: accuracy with VGG-16 (percent)",
    "supporting": "Referent and supporting objects (percent)",
    "flickr30k": "Flickr30k Entities: all phrases with a box (percent; R@1 also by type)",
}


class Measured:
    """The metrics of the runs that were made, by run."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.metrics: dict[Run, Metrics] = {}
        self.files: dict[Run, Path] = {}
        for path in files:
            found = read_metrics(path)
            run = Run(found.dataset, found.setting, found.run)
            if run in self.files:
                raise UserError(f"{path}: metrics of the same run as {self.files[run]}; name one of them")
            self.metrics[run], self.files[run] = found, path

    def split(self, run: Run, split: str) -> Split | None:
        """Return the metrics of a split, None if the run was not made."""
        return self.metrics[run].splits.get(split) if run in self.metrics else None

    def decoded(self, run: Run, split: str, way: str) -> Shares | None:
        found = self.split(run, split)
        return found.by_decoding.get(way) if found else None

    def source(self, runs: Iterable[Run]) -> str:
        """Return the files behind figures of these runs, with the seed and the proof of the detector."""
        made = [(self.files[run], self.metrics[run].provenance) for run in runs if run in self.files]
        return "; ".join(f"{file} (seed {by.seed}, detector {by.detector_proof})" for file, by in made)


def published(table: str) -> pd.DataFrame:
    """Return the figures that the paper prints, as text with the paper's digits."""
    return pd.read_csv(PUBLISHED / f"{table}.csv", dtype=str, keep_default_na=False)


def paper_table(table: str, metrics: Iterable[Path]) -> pd.DataFrame:
    """Return the published rows and ours, all as text, from the metrics of the runs that were made."""
    measured = Measured(metrics)
    others = [run for run in measured.files if run not in RUNS_OF_TABLES[table]]
    if others:
        raise UserError(f"{measured.files[others[0]]}: {table} has no row for this run; leave it out")
    printed = published(table)
    rows = LAYOUTS[table](printed, measured)
    return pd.DataFrame(rows, columns=list(printed.columns)).fillna("")


def figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def accuracies(run_name: str) -> Callable[[pd.DataFrame, Measured], list[dict[str, Any]]]:
    """Return the layout of Table 1 and of the appendix's table, with our rows from the runs of this name."""

    def rows(printed: pd.DataFrame, measured: Measured) -> list[dict[str, Any]]:
        found = []
        for setting in SETTINGS:
            found += printed[printed["setting"] == setting].to_dict("records")
            rivals = RIVALS if run_name == DEFAULT_RUN else {}
            methods = [(f"{name} (this project)", rival, "accuracy") for rival, name in rivals.items()]
            # No method finds an object that no region covers: the recall of the regions belongs beside an accuracy.
            ours = [(OURS, run_name, "accuracy"), ("best possible on our regions", run_name, "oracle_recall")]
            for method, name, measure in methods + ours:
                runs = [Run(dataset, setting, name) for dataset in SPLITS]
                if name in rivals and not measured.files.keys() & runs:
                    continue
                cells = {
                    f"{run.dataset} {split}": figure(getattr(measured.split(run, split), measure, None))
                    for run in runs
                    for split in SPLITS[run.dataset]
                }
                row = {"method": method, "setting": setting, "origin": "measured", "source": measured.source(runs)}
                found.append(row | cells)
        return found

    return rows


def ablation(printed: pd.DataFrame, measured: Measured) -> list[dict[str, Any]]:
    """Return the rows of Table 2. A model decoded by `unary` is one without marginalisation in inference."""
    found = printed.to_dict("records")
    for trained, run_name in ((False, "unmarginalised"), (True, "default")):
        for inferred, way in ((False, "unary"), (True, "marginal")):
            runs = [Run(ABLATED, setting, run_name) for setting in SETTINGS]
            cells = {
                f"{ABLATED} {run.setting} {split}": figure(shares.accuracy if shares else None)
                for run in runs
                for split in SPLITS[ABLATED]
                for shares in [measured.decoded(run, split, way)]
            }
            row = {"marginalise_training": str(trained), "marginalise_inference": str(inferred), "origin": "measured"}
            found.append(row | cells | {"source": measured.source(runs)})
    return found


def supporting(printed: pd.DataFrame, measured: Measured) -> list[dict[str, Any]]:
    found = printed.to_dict("records")
    for (dataset, setting), splits in SUPPORTING.items():
        run = Run(dataset, setting)
        for split in splits:
            methods = {
                OURS: measured.split(run, split),
                f"{OURS}, without message passing": measured.decoded(run, split, "unary"),
            }
            name = {"dataset": dataset, "setting": setting, "split": split, "source": measured.source([run])}
            found += [{"method": method} | name | supporting_cells(values) for method, values in methods.items()]
            for rival, title in RIVALS.items():
                run_of_rival = Run(dataset, setting, rival)
                if run_of_rival in measured.files:
                    name |= {"method": f"{title} (this project)", "source": measured.source([run_of_rival])}
                    found.append(name | supporting_cells(measured.split(run_of_rival, split)))
    return found


def supporting_cells(values: Split | Shares | None) -> dict[str, str]:
    shares = values.supporting if values else None
    return {
        "origin": "measured",
        "referent": figure(values.accuracy if values else None),
        "with_supporting": str(shares.n) if shares else "",
        "supporting_all": figure(shares.all if shares else None),
        "supporting_at_least_one": figure(shares.at_least_one if shares else None),
    }


def all_phrases(printed: pd.DataFrame, measured: Measured) -> list[dict[str, Any]]:
    """Return the systems on Flickr30k Entities, then ours. `interval` is that of R@1; types have their R@1."""
    found = printed.to_dict("records")
    types = list(printed.columns[list(printed.columns).index("n") + 1 : -1])
    for run in [Run(FLICKR30K, setting) for setting in SETTINGS]:
        split = measured.split(run, FLICKR30K_SPLIT)
        recall, by_type = (split.recall, split.recall_by_type) if split else (None, {})
        cells = {name: figure(getattr(recall, name, None)) for name in ("r_at_1", "r_at_5", "r_at_10", "upper_bound")}
        cells |= {kind: figure(getattr(by_type.get(kind), "r_at_1", None)) for kind in types}
        if recall:
            low, high = recall.r_at_1_interval
            cells |= {"n": str(recall.n), "interval": f"{low:.2f} to {high:.2f}"}
        row = {"system": OURS, "setting": run.setting, "split": FLICKR30K_SPLIT, "origin": "measured"}
        found.append(row | cells | {"source": measured.source([run])})
    return found


LAYOUTS: dict[str, Callable[[pd.DataFrame, Measured], list[dict[str, Any]]]] = {
    "table1": accuracies("default"),
    "table2": ablation,
    "table_vgg": accuracies(VGG_RUN),
    "supporting": supporting,
    "flickr30k": all_phrases,
}


def write_tables(table: str, metrics: list[Path], csv: Path, markdown: Path) -> None:
    """Write a table as CSV and as Markdown."""
    rows = paper_table(table, metrics)
    with replacing(csv) as temporary:
        rows.to_csv(temporary, index=False)
    write_text(markdown, as_markdown(table, rows))


def as_markdown(table: str, rows: pd.DataFrame) -> str:
    """Return the table below its title, then the sources of its figures."""
    shown = rows.drop(columns="source")
    names, cells = list(shown.columns), shown.to_numpy().tolist()
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    lines = [markdown_row(row, widths) for row in (names, ["-" * width for width in widths], *cells)]
    measured = rows.loc[(rows["origin"] == "measured") & (rows["source"] != ""), "source"]
    files = dict.fromkeys(file for source in measured for file in source.split("; "))
    notes = [
        "`published`: as its source prints it; the CSV file names each source. `measured`: by our runs. An empty cell "
        "was not printed, or not run.",
        "Measured: " + ("; ".join(files) if files else "nothing yet") + ".",
    ]
    return "\n".join([f"### {TITLES[table]}", "", *lines, "", "\n\n".join(notes), ""])


def markdown_row(cells: list[str], widths: list[int]) -> str:
    padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(padded)} |"
