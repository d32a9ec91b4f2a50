"""Mistakes in `config.yaml` and other settings: what is no YAML, unknown keys, values that cannot be."""

import json
from typing import Any

from tests.errors.case import Bench, Case
from tests.errors.configurations import CUSTOM, configured, written

UNREADABLE = "…: cannot be read as YAML (…); check the file"
NOT_PLAIN = "…: not plain settings (…); write keys as words, and no value inside itself"
NO_JSON = "settings of the …: not readable as JSON (…)"
UNKNOWN_KEY = "…: unknown key …"
REQUIRED = "…: …: Field required"
UNFIT = "…: …: Input should be …, found …"
PATTERN = "…: …: String should match pattern …, found …"
NO_ITEM = "…: …: Tuple should have at least 1 item after validation, not 0, found …"
NOT_IN_RESOURCES = "…: …: Value error, expected a path such as resources/downloads/file.zip, found …"
SOURCE = {"file": "resources/a.zip", "mirrors": ["file:a.zip"], "provides": {}}


def frozen(kind: str, values: Any) -> Case | Any:
    """Settings as the workflow hands them to a stage."""
    return lambda bench: ["freeze", kind, json.dumps(values), bench.folder / "settings.yaml"]


def settings_of_a_stage(bench: Bench) -> list:
    settings = bench.write("settings.yaml", "{more: 1}")
    return ["world", "--settings", settings, "--folder", bench.folder / "world"]


def detector(**values: Any) -> dict[str, Any]:
    return {"detectors": {"other": values}}


FILES = [
    Case(
        "…: there is no such file; give its path, or start in the folder that has it",
        lambda bench: ["plan", "shapes_gt"],
    ),
    Case(UNREADABLE, written("shapes: {train: 3")),
    Case(UNREADABLE, written("shapes: {train: 3", "--", "demo"), program="snakemake"),
    Case(UNREADABLE, written("shapes: \xe4".encode("latin1"))),
    Case(UNREADABLE, written("shapes: 2026-06-31")),
    Case(UNREADABLE, written("[" * 1000)),
    Case(NOT_PLAIN, written("2026-06-30: today")),
    Case(UNREADABLE, written("runs: &runs [*runs]")),
    Case(NO_JSON, lambda bench: ["freeze", "run", "{detector: tiny}", bench.folder / "settings.yaml"]),
    Case(NO_JSON, lambda bench: ["freeze", "run", "[" * 100_000, bench.folder / "settings.yaml"]),
    Case(NO_JSON, lambda bench: ["download", "--source", "{file: a}", "--downloads", "{}"]),
]
KEYS = [
    Case(UNKNOWN_KEY, configured({"shape": {}})),
    Case(UNKNOWN_KEY, configured({"datasets": {"shapes": {"run": {"traning": {}}}}})),
    Case(UNKNOWN_KEY, settings_of_a_stage),
    Case(REQUIRED, configured({"datasets": {"mine": {"folder": "mine"}}})),
    Case(REQUIRED, frozen("run", {"vocabulary": "small"})),
    Case("…: …: needs the key 'backend'", configured({"parsers": {"mine": {"parses": "mine.conllu"}}})),
    Case("…: …: expected one of …, found …", configured({"parsers": {"mine": {"backend": "spacy"}}})),
    Case(
        "…: …: source: expected torchvision, detectron2 or precomputed, found …",
        configured(detector(source="mmdetection")),
    ),
]
VALUES = [
    Case(UNFIT, configured({"shapes": {"train": True}})),
    Case(UNFIT, configured({"shapes": {"val": 0}})),
    Case(UNFIT, configured({"preset": "papers"})),
    Case(UNFIT, configured({"datasets": {"shapes": {"run": {"training": {"dropout": 1.0}}}}})),
    Case(UNFIT, written("[]")),
    Case(UNFIT, written("")),
    Case(UNFIT, frozen("evaluation", {"iou_threshold": "half"})),
    Case(
        "…: …: Input should be a valid number, found …; in YAML, write 5.0e-3, not 5e-3",
        written("datasets: {}\ndetectors: {tiny: {learning_rate: 5e-3}}\nvocabularies: {}"),
    ),
    Case(PATTERN, configured({"vocabularies": {"my words": {}}})),
    Case(PATTERN, configured({"datasets": {"mine": CUSTOM | {"expressions": "expressions.xlsx"}}})),
    Case(PATTERN, configured({"sources": {"mine": SOURCE | {"mirrors": ["ftp://a.org/a.zip"]}}})),
    Case(PATTERN, configured({"sources": {"mine": SOURCE | {"sha256": "none"}}})),
    Case(NO_ITEM, configured({"compare": {"seeds": []}})),
    Case(NOT_IN_RESOURCES, configured({"sources": {"mine": SOURCE | {"file": "a.zip"}}})),
    Case(NOT_IN_RESOURCES, configured({"sources": {"mine": SOURCE | {"provides": {"resources/../a": None}}}})),
    Case(
        "…: …: Value error, long_side (…) is shorter than short_side (…)",
        configured(detector(short_side=600, long_side=500)),
    ),
    Case(UNFIT, configured(detector(long_side=4001))),
    Case(UNFIT, configured(detector(test_proposals=10_001))),
    Case(
        "…: …: Value error, anchor_sizes x anchor_ratios are …, expected at most …",
        configured(detector(anchor_sizes=list(range(16, 29)), anchor_ratios=[0.5, 1.0, 1.5, 2.0, 3.0])),
    ),
    Case(
        "…: …: Value error, training_images speaks of given weights; name them in `weights`",
        configured(detector(training_images="ids.txt")),
    ),
    Case(
        "…: …: Value error, name the files of `detections`, of `objects`, or both",
        configured(detector(source="precomputed", format="tsv")),
    ),
    Case(
        "…: …: Value error, … is missing: a model learns from train, and val says which epoch was best",
        configured({"datasets": {"mine": CUSTOM | {"splits": ["train", "test"]}}}),
    ),
]
CASES = FILES + KEYS + VALUES
