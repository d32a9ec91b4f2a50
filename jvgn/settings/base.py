"""Base class of all settings: frozen, without unknown keys, with one clear error for an invalid file."""

import json
import reprlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from jvgn.storage.files import RUN_AGAIN, reading, write_text
from parsers.errors import UserError

Model = TypeVar("Model", bound=BaseModel)
Key = tuple[str, ...]
"""The path of a value from the top of the settings."""

NAMED = 10
"""The number of invalid keys that a message names."""
UNION_TAG = "one of: "
"""Prefix of the tags of a union's members. They are not keys, so no message names them."""


class Frozen(BaseModel):
    """Settings that cannot change and admit no unknown key."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Return the validated settings of a YAML file."""
        return validated(cls, load_yaml(path), str(path))

    def write(self, path: Path | str) -> None:
        """Write every value, defaults included."""
        write_text(path, yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False, allow_unicode=True))


@dataclass(frozen=True)
class Part:
    """A part of the settings: its name for people, and the keys that it was merged from."""

    name: str
    keys: tuple[Key, ...]


@dataclass(frozen=True)
class Problem:
    """What is wrong, and the keys that may be its cause."""

    text: str
    keys: tuple[Key, ...]


class InvalidSettings(UserError):
    """Invalid keys. `problems` lets the reader of several files say which file has each key."""

    def __init__(self, where: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"{where}: " + "; ".join(problem.text for problem in problems))
        self.problems = problems


def validated(model: type[Model], value: object, where: str, part: Part = Part("", ((),))) -> Model:
    """Return `value` as a `model`; raise an error that names each invalid key. The value may be a part of a file."""
    try:
        text = json.dumps(value, default=str)
    except (TypeError, ValueError) as error:  # YAML allows dates as keys, and cycles
        cure = "use words as keys, and no value that contains itself"
        raise UserError(f"{where}: not plain settings ({error}); {cure}") from error
    try:
        # Strict, so that `train: true` is not a number; through JSON, so that a list may be a tuple.
        return model.model_validate_json(text, strict=True)
    except ValidationError as error:
        found, known = error.errors(), set(keys(model.model_json_schema()))
        problems = [
            Problem(
                f"{part.name}: {text}" if part.name else text,
                tuple((*key, *map(str, problem["loc"])) for key in part.keys),
            )
            for problem in found[:NAMED]
            if (text := describe(problem, known))
        ]
        if len(found) > NAMED:
            problems.append(Problem(f"and {len(found) - NAMED:,} more", problems[-1].keys))
        raise InvalidSettings(where, problems) from error


def read_json(path: Path | str, model: type[Model], kind: str, cure: str = RUN_AGAIN) -> Model:
    """Return the content of a JSON file as a `model`."""
    with reading(path, kind, cure):
        try:
            return model.model_validate_json(Path(path).read_bytes())
        except ValidationError as error:
            raise ValueError(describe(error.errors()[0])) from error


def keys(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys of all models in a JSON schema."""
    for part in (schema, *schema.get("$defs", {}).values()):
        yield from part.get("properties", {})


def describe(problem: Mapping[str, Any], known: Collection[str] = ()) -> str:
    """Describe a validation problem briefly; for an unknown key, suggest a similar known one."""
    key = ".".join(part for part in map(str, problem["loc"]) if not part.startswith(UNION_TAG)) or "the whole file"
    if problem["type"] == "extra_forbidden":
        return f"unknown key {key}; {suggestion(str(problem['loc'][-1]), known)}"
    if problem["type"] == "union_tag_not_found":
        return f"{key}: needs the key {problem['ctx']['discriminator']}"
    if problem["type"] == "union_tag_invalid":
        return f"{key}: expected one of {problem['ctx']['expected_tags']}, found {problem['ctx']['tag']!r}"
    if problem["type"] == "missing":
        return f"{key}: {problem['msg']}"
    if problem["type"] == "value_error":
        message = problem["msg"].removeprefix("Value error, ")
        return f"{key}: {message}" if problem["loc"] else message
    hint = "; in YAML, write 5.0e-3, not 5e-3" if problem["type"] == "float_type" else ""
    return f"{key}: {problem['msg']}, found {reprlib.repr(problem['input'])}{hint}"


def suggestion(key: str, known: Collection[str]) -> str:
    if key in known:
        return "it belongs under another key"
    near = get_close_matches(key, sorted(known), n=1)
    return f"did you mean {near[0]}?" if near else "remove it"


def load_yaml(path: Path | str) -> Any:
    with reading(path, "YAML file", "fix the file"):
        text = Path(path).read_text(encoding="utf8")
        try:
            return yaml.safe_load(text)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 0
            raise ValueError(f"line {line}: {error.problem}") from error
