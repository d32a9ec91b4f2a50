"""YAML files, and checks of numbers in JSON files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from jvgn.storage.files import reading


def load_yaml(path: Path | str) -> Any:
    with reading(path, "YAML file", "fix the file"):
        text = Path(path).read_text(encoding="utf8")
        try:
            return yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 0
            raise ValueError(f"line {line}: {error.problem}") from error


def check_counts(values: Any, names: Iterable[str]) -> None:
    """Raise an exception unless each named value is a number of at least 0. Call it within `reading`."""
    for name in names:
        if type(values[name]) not in (int, float):
            raise TypeError(f"{name} is not a number")
        if not 0 <= float(values[name]) < float("inf"):
            raise ValueError(f"{name} is out of range")
