"""What a run is worth, as a page of tables: `report/results.html`, drawn from its metrics.json alone."""

from html import escape
from pathlib import Path
from typing import Any

from jvgn.intervals import wilson_interval
from jvgn.metrics import read_metrics
from parsers.files import BrokenFile, replacing

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 60rem; margin: 1.5rem auto; padding: 0 1rem }}
h1 {{ font-size: 1.4rem }} h2 {{ font-size: 1.1rem; margin-top: 1.6rem }}
div {{ overflow-x: auto }} p {{ max-width: 44rem }}
table {{ border-collapse: collapse }}
th, td {{ padding: .25rem .8rem; text-align: right; border-bottom: 1px solid #d9dee3; white-space: nowrap }}
th {{ font-weight: 600; vertical-align: bottom }}
th:first-child, td:first-child, table.words td, table.words th {{ text-align: left }}
small {{ color: #5c6570 }} code {{ font-size: .85em }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""
SPLITS = """Referents found: the share of sentences whose main object was found, with its 95% interval (Wilson's; the
sentences count as independent). Context found: the share of all other objects mentioned, which had no labels in
training. Reachable: the share of sentences whose main object some region covers; no method could find more on these
regions. Calibration error: by how much the probabilities of the answers and their correctness differ."""
DECODINGS = """Three ways to choose regions with the same model: each object by its own words alone (before message
passing), each by its probability after message passing, and all at once by the most probable joint grounding."""
NAMES = {"unary": "own words alone", "marginal": "after message passing", "map": "best joint grounding"}


def write_results(metrics_path: Path, output: Path) -> None:
    """`output` tells the run's metrics to people."""
    metrics = read_metrics(metrics_path)
    run = "" if metrics["run"] == "default" else f", run {metrics['run']}"
    regions = {"gt": "annotated regions", "det": "detected regions"}.get(metrics["setting"], metrics["setting"])
    title = f"{metrics['dataset']} on {regions}{run}"
    try:
        body = [*split_part(metrics["splits"]), *decoding_part(metrics["splits"]), *provenance_part(metrics)]
    except (KeyError, TypeError) as error:
        raise BrokenFile(metrics_path, f"lacks a part of a run's metrics ({error!r})") from error
    with replacing(output) as temporary:
        temporary.write_text(PAGE.format(title=escape(title), body="\n".join(body)), encoding="utf8")


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


def table(header: list[str], rows: list[list[str]], kind: str = "numbers") -> str:
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in header)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    return f'<div><table class="{kind}">' + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table></div>"
