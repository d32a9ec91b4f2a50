"""Pages of the report: a run's metrics, a table of the paper, a picture. Every text is escaped."""

import io
from collections.abc import Sequence
from html import escape
from pathlib import Path

import pandas as pd

from jvgn.evaluation.metrics import Metrics, RegionRecall, read_metrics
from jvgn.storage.files import reading, write_text
from jvgn.storage.pictures import read_picture
from jvgn.views.self_contained_page import jpeg_url

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; max-width: 66rem; margin: 1.5rem auto; padding: 0 1rem }}
h1 {{ font-size: 1.4rem }} h2 {{ font-size: 1.1rem; margin-top: 1.6rem }}
div {{ overflow-x: auto; margin: 1rem 0 }} img {{ max-width: 100% }} p {{ max-width: 44rem }}
table {{ border-collapse: collapse }}
th, td {{ padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #d9dee3; white-space: nowrap }}
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
SPLITS = """Referents found: the share of sentences whose main object was found. In brackets: 95% intervals, by the
bootstrap over images. Context found: the share of the other objects mentioned, where the data say which they are; the
paper's training does not use this. Reachable: the share of sentences whose main object some region covers; no method
can find more on these regions. Calibration error: how far the probabilities of the answers are from their accuracy."""
DECODINGS = """Three ways to choose regions with the same model: each object alone (before messages), each by its
probability after message passing, and all at once by the most probable joint grounding."""
MENTIONS = """R@k: the share of annotated mentions, the main objects too, with a correct region among the k most
probable ones after message passing. Upper bound: the share that some region covers. A mention whose word is the head of
no object of the scene graph counts as wrong."""
WAYS = {"unary": "before messages", "marginal": "after message passing", "map": "best joint grounding"}
REGIONS = {"gt": "annotated regions", "det": "detected regions"}
PROOFS = {
    "proved": "no: proved from the list of its training images",
    "unproven": "not known: its training images are not listed",
    "leaking": "yes",
}


def write_page(title: str, body: Sequence[str], output: Path) -> None:
    """Write a page; the parts of its body are HTML already, the title is not."""
    write_text(output, PAGE.format(title=escape(title), body="\n".join(body)))


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "numbers") -> str:
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in header)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    return f'<div><table class="{kind}">' + "".join(f"<tr>{line}</tr>\n" for line in lines) + "</table></div>"


def write_picture_page(title: str, picture: Path, output: Path) -> None:
    """Write a page that shows a picture as wide as the window.

    It becomes a JPEG: Chromium shows no page of more than 2 MB inside another page, as in a report.
    """
    written = io.BytesIO()
    read_picture(picture).save(written, "JPEG", quality=85)
    write_page(title, [f'<img alt="{escape(title)}" src="{jpeg_url(written.getvalue())}">'], output)


def write_paper_table(csv: Path, title: str, output: Path) -> None:
    """Write a page with the rows of a CSV file."""
    with reading(csv, "CSV table", f"make it again: snakemake --cores all {csv}"):
        rows = pd.read_csv(csv, dtype=str, keep_default_na=False)
    write_page(title, [html_table(list(rows), rows.to_numpy().tolist())], output)


def write_results(metrics_path: Path, output: Path) -> None:
    """Write a run's metrics as a page of tables: `report/results.html`."""
    metrics = read_metrics(metrics_path)
    run = "" if metrics.run == "default" else f", run {metrics.run}"
    title = f"{metrics.dataset} on {REGIONS.get(metrics.setting, metrics.setting)}{run}"
    write_page(
        title,
        [*split_part(metrics), *decoding_part(metrics), *mention_part(metrics), *provenance_part(metrics)],
        output,
    )


def split_part(metrics: Metrics) -> list[str]:
    header = ["split", "sentences", "referents found", "context found", "reachable", "regions an image"]
    rows = [
        [
            name,
            f"{split.n:,}",
            with_interval(split.accuracy, split.accuracy_interval),
            with_interval(split.context_accuracy, split.context_accuracy_interval),
            percentage(split.oracle_recall),
            f"{split.mean_regions:.1f}",
            percentage(split.calibration_error),
        ]
        for name, split in metrics.splits.items()
    ]
    return ["<h2>By split</h2>", html_table([*header, "calibration error"], rows), f"<p>{SPLITS}</p>"]


def with_interval(value: float | None, interval: list[float] | None) -> str:
    return percentage(value) + (f" ({interval[0]:.1f} to {interval[1]:.1f})" if interval else "")


def percentage(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}%"


def decoding_part(metrics: Metrics) -> list[str]:
    rows = [
        [
            name,
            WAYS.get(way, way),
            with_interval(shares.accuracy, shares.accuracy_interval),
            with_interval(shares.context_accuracy, shares.context_accuracy_interval),
        ]
        for name, split in metrics.splits.items()
        for way, shares in split.by_decoding.items()
    ]
    header = ["split", "decoding", "referents found", "context found"]
    return ["<h2>By decoding</h2>", html_table(header, rows), f"<p>{DECODINGS}</p>"]


def mention_part(metrics: Metrics) -> list[str]:
    """Return the tables about gold mentions, nothing if the dataset has none."""
    splits = {name: split for name, split in metrics.splits.items() if split.recall}
    if not splits:
        return []
    recalls = [
        [name, kind, *recall_cells(recall)]
        for name, split in splits.items()
        for kind, recall in ({"all": split.recall} | split.recall_by_type).items()
        if recall
    ]
    groups = [
        [name, by, group, f"{share.n:,}", with_interval(share.accuracy, share.interval)]
        for name, split in splits.items()
        for by, shares in (("type", split.context_by_type), ("relation", split.context_by_relation))
        for group, share in shares.items()
    ]
    counts = [
        [name, str(split.unmatched_mentions), str(split.contradicting_mentions)] for name, split in splits.items()
    ]
    return [
        "<h2>All mentions</h2>",
        html_table(["split", "type", "mentions", "R@1", "R@5", "R@10", "upper bound"], recalls),
        f"<p>{MENTIONS}</p>",
        html_table(["split", "mentions without a node", "contradicting their sentence"], counts),
        "<h2>Context by type and relation</h2>",
        html_table(["split", "by", "group", "mentions", "context found"], groups),
    ]


def recall_cells(recall: RegionRecall) -> list[str]:
    return [
        f"{recall.n:,}",
        with_interval(recall.r_at_1, recall.r_at_1_interval),
        with_interval(recall.r_at_5, recall.r_at_5_interval),
        with_interval(recall.r_at_10, recall.r_at_10_interval),
        percentage(recall.upper_bound),
    ]


def provenance_part(metrics: Metrics) -> list[str]:
    made_by = metrics.provenance
    known = [
        ["seed", str(made_by.seed)],
        [
            "did the detector see an evaluation image?",
            PROOFS.get(made_by.detector_proof, made_by.detector_proof),
        ],
        ["versions", ", ".join(f"{name} {version}" for name, version in made_by.versions.items())],
    ]
    hashes = [[name, value] for name, value in made_by.sha256.items()]
    return [
        "<h2>What the numbers depend on</h2>",
        html_table(["", ""], known, kind="words"),
        "<h2>SHA-256 of every file they were made from</h2>",
        html_table(["file", "SHA-256"], hashes, kind="words"),
    ]
