"""What stages say of themselves: metrics, proofs, provenance, measures, histories, tables for people."""

import json
from pathlib import Path
from random import Random
from typing import Any

from tests.long.fuzz.formats.cells import CSV
from tests.long.fuzz.formats.parquet import PARQUET
from tests.long.fuzz.formats.trees import JSON, change_json
from tests.long.fuzz.reader import Format, Reader
from tests.long.fuzz.world import copied_world

PROVENANCE = {
    "format": "1",
    "detector": {"source": "torchvision", "backbone": "tiny"},
    "seed": 0,
    "categories": [[1, "dog"], [2, "cat"]],
    "training_image_ids": [1, 2],
    "weights_sha256": "0" * 64,
    "pretrained_sha256": None,
    "tables": {"images": "0" * 64},
    "versions": {"torch": "2"},
}
PRECISION = {"ap": 10.5, "ap50": 20.0, "ap75": None, "categories": {"dog": 1.5, "cat": None}, "images": 3, "objects": 6}
RECALL = {
    "format": "1",
    "iou_threshold": 0.5,
    "splits": {"val": {"n": 2, "oracle_recall": 100.0, "mean_regions": 2.0, "skipped": 0}},
}
ABLATION = "marginalise_training,marginalise_inference,split,accuracy,context_accuracy\n" + "".join(
    f"{training},{inference},test,50.5,{'' if training else 20.25}\n"
    for training in (False, True)
    for inference in (False, True)
)
TABLE = "method,setting,refcoco val\nours,gt,80.5\nothers,det,\n"


class Numbers:
    """In the place of files: a figure is drawn, and not written."""

    def write(self, numbers: Any, shows: str, draw: Any) -> None:
        numbers.to_csv()
        draw(numbers)


def make_metrics(folder: Path) -> list[Path]:
    return [copied_world(folder).metrics]


def read_metrics(path: Path) -> None:
    from jvgn.evaluation.run_comparison import compare, summary
    from jvgn.paper.paper_tables import LAYOUTS, Measured, published
    from jvgn.views.report.result_pages import write_results

    summary([path.parent])
    write_results(path, path.with_name("results.html"))
    compare([("ours", path)], path.with_name("compare.csv"))
    measured = Measured([path])
    for table, layout in LAYOUTS.items():
        layout(published(table), measured)


def make_json(name: str, value: Any):
    def make(folder: Path) -> list[Path]:
        (folder / name).write_text(json.dumps(value))
        return [folder / name]

    return make


def read_provenance(path: Path) -> None:
    from jvgn.detector.leakage_proof import prove_disjoint

    prove_disjoint(path, [], path.with_name("proof.json"), allow_leaking=True)


def read_proof(path: Path) -> None:
    from jvgn.detector.leakage_proof import read_verdict

    read_verdict(path)


def read_precision(path: Path) -> None:
    from jvgn.views.report.input_figures import draw_average_precision

    draw_average_precision(path, Numbers())


def read_recall(path: Path) -> None:
    from jvgn.planning.experiment import mean_regions

    mean_regions(path)


def make_history(folder: Path) -> list[Path]:
    return [copied_world(folder).history]


def read_history(path: Path) -> None:
    from jvgn.views.report.run_figures import draw_learning

    draw_learning(path, Numbers())


def make_csv(name: str, content: str):
    def make(folder: Path) -> list[Path]:
        (folder / name).write_text(content)
        return [folder / name]

    return make


def read_ablation(path: Path) -> None:
    from jvgn.views.report.run_figures import draw_ablation

    draw_ablation(path, Numbers())


def read_paper_table(path: Path) -> None:
    from jvgn.views.report.result_pages import write_paper_table

    write_paper_table(path, "table", path.with_name("table.html"))


def make_origin(folder: Path) -> list[Path]:
    from jvgn.storage.records import record_of, write_origin

    source, made = folder / "a.txt", folder / "b.txt"
    for path in (source, made):
        path.write_text("as written")
    write_origin(made, "jvgn train", {source: "0" * 64}, {"seed": "0"}, {"jvgn/boxes.py": "0" * 64})
    return [record_of(made)]


def change_sealed(content: bytes, random: Random) -> bytes:
    """With a seal that fits."""
    from jvgn.storage.records import seal

    changed = change_json(content.partition(b"\n")[2], random)
    return seal(changed) + b"\n" + changed


def read_origins(path: Path) -> None:
    from jvgn.storage.verify import verify

    list(verify(path.parent))


SEALED = Format(change_sealed, lambda content: JSON.has_header(content.partition(b"\n")[2]))
READERS = [
    Reader("metrics", JSON, make_metrics, read_metrics, share=2),
    Reader("provenance", JSON, make_json("provenance.json", PROVENANCE), read_provenance, share=3),
    Reader("proof", JSON, make_json("proof.json", {"verdict": "proved", "saw_all_of": None}), read_proof, share=2),
    Reader("average precision", JSON, make_json("ap.json", PRECISION), read_precision, share=3),
    Reader("recall", JSON, make_json("recall.json", RECALL), read_recall, share=3),
    Reader("history", PARQUET, make_history, read_history, share=2),
    Reader("ablation", CSV, make_csv("ablation.csv", ABLATION), read_ablation, share=2),
    Reader("table of the paper", CSV, make_csv("table.csv", TABLE), read_paper_table, share=2),
    Reader("record of what made a file", SEALED, make_origin, read_origins, share=2),
]
