"""What a run is worth, as a page of tables: `report/results.html`, drawn from its metrics.json alone."""

from pathlib import Path
from typing import Any

from jvgn.evaluation.intervals import wilson_interval
from jvgn.evaluation.metrics import needing, read_metrics
from jvgn.views.report.page import table, write_page

SPLITS = """Referents found: the share of sentences whose main object was found, with its 95% interval (Wilson's; the
sentences count as independent). Context found: the share of the other objects mentioned, where the data say which they
are; training was not told. Reachable: the share of sentences whose main object some region covers; no method could find
more on these regions. Calibration error: by how much the probabilities of the answers and their correctness differ."""
DECODINGS = """Three ways to choose regions with the same model: each object by its own words alone (before message
passing), each by its probability after message passing, and all at once by the most probable joint grounding."""
NAMES = {"unary": "own words alone", "marginal": "after message passing", "map": "best joint grounding"}


def write_results(metrics_path: Path, output: Path) -> None:
    """`output` tells the run's metrics to people."""
    metrics = read_metrics(metrics_path)
    run = "" if metrics["run"] == "default" else f", run {metrics['run']}"
    regions = {"gt": "annotated regions", "det": "detected regions"}.get(metrics["setting"], metrics["setting"])
    title = f"{metrics['dataset']} on {regions}{run}"
    with needing(metrics_path):
        body = [*split_part(metrics["splits"]), *decoding_part(metrics["splits"]), *provenance_part(metrics)]
    write_page(title, body, output)


def split_part(splits: dict[str, Any]) -> list[str]:
    header = ["split", "sentences", "referents found", "context found", "reachable", "regions an image"]
    rows = [
        [
            split,
            f"{values['n']:,}",
            accuracy(values),
            shown(values.get("context_accuracy")),
            shown(values["oracle_recall"]),
            f"{values['mean_regions']:.1f}",
            shown(values.get("calibration_error")),
        ]
        for split, values in splits.items()
    ]
    return ["<h2>By split</h2>", table([*header, "calibration error"], rows), f"<p>{SPLITS}</p>"]


def accuracy(values: dict[str, Any]) -> str:
    low, high = wilson_interval(round(values["accuracy"] * values["n"] / 100), values["n"])
    return f"{shown(values['accuracy'])} ({low:.1f} to {high:.1f})"


def shown(percent: float | None) -> str:
    return "" if percent is None else f"{percent:.1f}%"


def decoding_part(splits: dict[str, Any]) -> list[str]:
    rows = [
        [split, NAMES.get(way, way), shown(shares["accuracy"]), shown(shares.get("context_accuracy"))]
        for split, values in splits.items()
        for way, shares in values["by_decoding"].items()
    ]
    header = ["split", "decoding", "referents found", "context found"]
    return ["<h2>By decoding</h2>", table(header, rows), f"<p>{DECODINGS}</p>"]


def provenance_part(metrics: dict[str, Any]) -> list[str]:
    provenance = metrics["provenance"]
    known = {
        "seed": str(provenance["seed"]),
        "did the detector see an evaluation image?": {
            "proved": "no: proved from the list of its training images",
            "unproven": "not known: its training images are not listed",
            "leaking": "yes",
        }.get(provenance["detector_proof"], provenance["detector_proof"]),
        "versions": ", ".join(f"{name} {version}" for name, version in provenance["versions"].items()),
    }
    hashes = [[name, value] for name, value in provenance["sha256"].items()]
    return [
        "<h2>What the numbers depend on</h2>",
        table(["", ""], [list(row) for row in known.items()], kind="words"),
        "<h2>SHA-256 of every file they were made from</h2>",
        table(["file", "SHA-256"], hashes, kind="words"),
    ]
