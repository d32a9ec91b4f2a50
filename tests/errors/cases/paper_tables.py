"""Metrics that a table of the paper has no row for, or has twice."""

from collections.abc import Callable
from typing import Any

from jvgn.evaluation.metrics import Metrics, Provenance, write_metrics
from tests.errors.case import Bench, Case


def tabulated(*datasets: str) -> Callable[[Bench], list[Any]]:
    """Table 1 from the metrics of runs on these datasets."""

    def arrange(bench: Bench) -> list[Any]:
        files = [bench.folder / str(number) / "metrics.json" for number in range(len(datasets))]
        for path, dataset in zip(files, datasets, strict=True):
            made_by = Provenance(seed=0, detector_proof="proved")
            write_metrics(path, Metrics(dataset=dataset, setting="det", run="default", splits={}, provenance=made_by))
        return ["tabulate", "table1", *files, "--csv", bench.folder / "t.csv", "--markdown", bench.folder / "t.md"]

    return arrange


CASES = [
    Case("…: metrics of the same run as …; name one of them", tabulated("refcoco", "refcoco")),
    Case("…: … has no row for this run; leave it out", tabulated("refcoco", "shapes")),
]
