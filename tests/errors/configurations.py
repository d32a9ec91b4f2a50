"""A configuration without a flaw, for cases to put one into."""

from collections.abc import Callable
from typing import Any

import yaml

from jvgn.settings.presets import overlaid
from tests.errors.case import Bench

DATASET = {
    "folder": "resources/shapes",
    "split_by": "jvgn",
    "images": "resources/shapes/images",
    "run": {"detector": "tiny", "vocabulary": "small"},
}
CUSTOM = {
    "annotations": "annotations.json",
    "expressions": "expressions.csv",
    "images": "pictures",
    "run": {"detector": "tiny", "vocabulary": "small"},
}
FLAWLESS: dict[str, Any] = {
    "datasets": {"shapes": DATASET},
    "detectors": {"tiny": {"backbone": "tiny"}},
    "vocabularies": {"small": {"vector_size": 8}},
}
NOTHING_ASKED = ("fetch", "nothing")
"""It reads the configuration, and with one that is fine would only say that there is no such source."""


def write_configuration(bench: Bench, flaw: dict[str, Any]) -> None:
    """`config.yaml` is where the command starts."""
    bench.write("config.yaml", yaml.safe_dump(overlaid(FLAWLESS, flaw)))


def configured(flaw: dict[str, Any], *command: Any) -> Callable[[Bench], list[Any]]:
    """Runs a command with a flaw in the configuration."""

    def arrange(bench: Bench) -> list[Any]:
        write_configuration(bench, flaw)
        return list(command or NOTHING_ASKED)

    return arrange


def written(text: str | bytes, *command: Any) -> Callable[[Bench], list[Any]]:
    """The same, where the text itself is the flaw."""

    def arrange(bench: Bench) -> list[Any]:
        bench.write("config.yaml", text)
        return list(command or NOTHING_ASKED)

    return arrange
