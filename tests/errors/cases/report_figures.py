"""Figures of a report, drawn from files that are missing, broken or empty."""

from pathlib import Path

from tests.errors.case import Case
from tests.errors.catalogue import BROKEN_FILE_CURE as AGAIN
from tests.errors.mistakes import NOISE, Arrange, Mistake, after, deleted, rows, written
from tests.errors.project import DATASET, DETECTOR, EXPRESSIONS, FIGURE, FOUND, GRAPHS, PREDICTIONS, REGIONS, RUN

ABSENT = "…: there is no such file; make it: snakemake --cores all …"
NO_TABLE = f"…: not a readable table (…); {AGAIN}"
NO_PRECISION = f"…: not a detector's average precision (…); {AGAIN}"
NO_COVERAGE = f"…: not a coverage.json (…); {AGAIN}"
ABLATION, HISTORY, MEASURED = f"{RUN}/ablation.csv", f"{RUN}/history.parquet", f"{DETECTOR}/average_precision.json"
COVERAGE = f"{GRAPHS}/coverage.json"
COLUMNS = "marginalise_training,marginalise_inference,split,accuracy,context_accuracy\n"


def ablation(mistake: Mistake) -> Arrange:
    return after(f"figures ablation --ablation {ABLATION} {FIGURE}", mistake)


def precision(content: str | bytes) -> Arrange:
    return after(f"figures average-precision --measured {MEASURED} {FIGURE}", written(MEASURED, content))


def coverage(content: str | bytes) -> Arrange:
    graphs = f"--nodes {GRAPHS}/nodes.parquet --edges {GRAPHS}/edges.parquet --coverage {COVERAGE}"
    return after(f"figures coverage --expressions {EXPRESSIONS} {graphs} {FIGURE}", written(COVERAGE, content))


def paper_table(*mistakes: Mistake) -> Arrange:
    return after("figures paper-table --csv table.csv --title shapes --output page.html", *mistakes)


def cut(path: str) -> Mistake:
    """The file ends in the middle of its last line."""
    return lambda: Path(path).write_text(Path(path).read_text()[:-30])


CASES = [
    Case(ABSENT, ablation(deleted(ABLATION))),
    Case(NO_TABLE, ablation(written(ABLATION, NOISE))),
    Case(f"…: expected rows of …; {AGAIN}", ablation(written(ABLATION, "split,accuracy\nval,9\n"))),
    Case(f"…: expected rows of …; {AGAIN}", ablation(written(ABLATION, COLUMNS))),
    Case(f"…: expected rows of …; {AGAIN}", ablation(cut(ABLATION))),
    Case(f"…: expected rows of …; {AGAIN}", ablation(written(ABLATION, COLUMNS + "True,True,val,9,9\n" * 2))),
    Case(NO_PRECISION, precision(NOISE)),
    Case(NO_PRECISION, precision("[]")),
    Case(f"…: lacks a part of a detector's average precision; {AGAIN}", precision("{}")),
    Case(NO_COVERAGE, coverage("[]")),
    Case(f"…: lacks …; {AGAIN}", coverage("{}")),
    Case(
        "…: holds no referent; check that the dataset has an evaluation split",
        after(f"figures calibration {FOUND} {FIGURE}", rows(PREDICTIONS, lambda table: table[:0])),
    ),
    Case(
        "…: holds no accuracy of an epoch; train the run again",
        after(
            f"figures learning --history {HISTORY} {FIGURE}",
            rows(HISTORY, lambda table: table.assign(val_accuracy=float("nan"))),
        ),
    ),
    Case(
        "…: holds no expression to draw; read the dataset again",
        after(
            f"figures recall --dataset {DATASET} --regions {REGIONS} {FIGURE}",
            rows(EXPRESSIONS, lambda table: table[:0]),
        ),
    ),
    Case(
        "…: holds no epoch; train the run again",
        after(f"figures learning --history {HISTORY} {FIGURE}", rows(HISTORY, lambda table: table[:0])),
    ),
    Case(
        f"…: not a readable picture (…); {AGAIN}",
        after("figures picture --picture drawn.png --title shapes --output page.html", written("drawn.png", NOISE)),
    ),
    Case(ABSENT, paper_table()),
    Case(NO_TABLE, paper_table(written("table.csv", NOISE))),
    Case(NO_TABLE, paper_table(written("table.csv", ""))),
    Case(
        "…: pictures are drawn as …; choose one of these endings",
        after(f"figures learning --history {HISTORY} {FIGURE} --figure figure.pdf"),
    ),
]
