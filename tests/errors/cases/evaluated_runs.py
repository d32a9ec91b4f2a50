"""Metrics that cannot be read or compared, and predictions that are not those of the dataset."""

from tests.errors.case import Case
from tests.errors.catalogue import BROKEN_FILE_CURE as AGAIN
from tests.errors.mistakes import (
    NOISE,
    Arrange,
    Mistake,
    after,
    copied,
    deleted,
    folder_at,
    rows,
    said,
    without_hashes,
    written,
)
from tests.errors.project import EXAMPLES, IMAGES, PREDICTIONS, RUN, SCORE, VECTORS

METRICS = f"{RUN}/metrics.json"
NONE_TO_DRAW = "…: no expression to draw; check that the dataset has an evaluation split"


def summed_up(*mistakes: Mistake) -> Arrange:
    return after(f"summary {RUN}", *mistakes)


READING = [
    Case("…: there is no such file; make it: snakemake --cores all …", summed_up(deleted(METRICS))),
    Case(f"…: cannot be read (…); {AGAIN}", summed_up(folder_at(METRICS))),
    Case(f"…: not readable as JSON (…); {AGAIN}", summed_up(written(METRICS, NOISE))),
    Case(f"…: expected metrics of format version …, found …; {AGAIN}", summed_up(written(METRICS, "{}"))),
    Case(f"…: expected metrics of format version …, found …; {AGAIN}", summed_up(written(METRICS, "[]"))),
    Case(f"…: expected metrics, found none of: …; {AGAIN}", summed_up(written(METRICS, '{"format": "2"}'))),
    Case("…: a file; name the folder of a run, such as results/shapes_det", after(f"summary {METRICS}")),
    Case(
        f"…: lacks a part of a run's metrics (…); {AGAIN}",
        after(f"figures results --metrics {METRICS} --output page.html", said(METRICS, splits={"other": {}})),
    ),
    Case(
        "run … has seed … twice; leave one of them out",
        after(
            f"compare --run full {METRICS} --run full copy.json --output compare.csv",
            copied(METRICS, "copy.json"),
        ),
    ),
]
SCORING = [
    Case(
        f"…: holds no referent of expression …, whose image has regions; {AGAIN}",
        after(SCORE, rows(PREDICTIONS, lambda table: table[table["expression_id"] != table["expression_id"].max()])),
    ),
    Case("…: there is no such file; make it with the workflow", after(SCORE, deleted(VECTORS))),
    Case(f"…: cannot be read (…); {AGAIN}", after(SCORE, folder_at(VECTORS))),
]
DRAWING = [
    Case(NONE_TO_DRAW, after(EXAMPLES, rows(PREDICTIONS, lambda table: table[:0]))),
    Case(NONE_TO_DRAW, after(EXAMPLES, rows(PREDICTIONS, lambda table: table[table["is_referent"]]))),
    Case("…: there is no such image; check its path", after(EXAMPLES, deleted(IMAGES))),
    Case(
        "…: not a readable image (…); give a whole JPEG or PNG file",
        after(EXAMPLES, without_hashes, *(written(f"{IMAGES}/shapes_00000{i}.jpg", NOISE) for i in range(1, 6))),
    ),
    Case("…: pictures are drawn as …; choose one of these endings", after(f"{EXAMPLES} --output examples.pdf")),
]
CASES = READING + SCORING + DRAWING
