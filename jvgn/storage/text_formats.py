"""YAML and JSON."""

import json
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


def parsed_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; any problem is a ValueError."""
    try:
        return json.loads(text.decode("utf-8-sig") if isinstance(text, bytes) else text)
    except RecursionError as error:
        raise ValueError("brackets are nested too deeply") from error


def check_counts(values: Any, names: Iterable[str]) -> None:
    """Raise a LookupError, TypeError or ValueError unless each named value is a number of at least 0."""
    for name in names:
        if type(values[name]) not in (int, float):
            raise TypeError(f"{name} is not a number")
        if not 0 <= values[name] < float("inf"):
            raise ValueError(f"{name} is out of range")
