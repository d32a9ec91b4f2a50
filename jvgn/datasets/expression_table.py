"""A user's table of expressions: CSV (a header line, commas, UTF-8), JSON Lines or Parquet.

docs/custom.md describes the columns. Each row is checked cell by cell; an error names its line and column.
"""

import csv
import json
import logging
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pyarrow.parquet as pq
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    FiniteFloat,
    NonNegativeInt,
    StringConstraints,
    ValidationError,
)

from jvgn.datasets.coco import Id
from jvgn.settings.base import describe
from jvgn.storage.files import reading
from parsers.errors import BrokenFile, UserError
from parsers.scene_graph import MOST_TOKENS

log = logging.getLogger(__name__)

FIX = "fix the file"
BOX = ("x1", "y1", "x2", "y2")


@dataclass(frozen=True)
class Record:
    """A row, and its place in the file."""

    path: Path
    place: str
    values: dict[str, Any]
    """The cells that are not empty."""

    def flaw(self, column: str, problem: str, cure: str = "fix the row") -> UserError:
        return UserError(f"{self.path}: {self.place}, column {column}: {problem}; {cure}")


@dataclass(frozen=True)
class Records:
    """The rows of a table, before they are checked."""

    path: Path
    columns: list[str]
    rows: list[Record]


def read_records(path: Path) -> Records:
    """Return all rows of a table in order; the suffix of its name is its format."""
    if path.suffix not in READERS:
        raise UserError(f"{path}: expected the name of a table to end in {', '.join(READERS)}; rename or convert it")
    with reading(path, f"{path.suffix} file in UTF-8", FIX):
        columns, rows = READERS[path.suffix](path)
    for column, times in Counter(columns).items():
        if times > 1:
            raise BrokenFile(path, f"has {times} columns {column or 'without a name'}", FIX)
    if not rows:
        raise BrokenFile(path, "has no rows", FIX)
    return Records(path, columns, [Record(path, place, filled(values)) for place, values in rows])


Rows = list[tuple[str, dict[str, Any]]]


def read_csv(path: Path) -> tuple[list[str], Rows]:
    with path.open(encoding="utf-8-sig", newline="") as file:  # spreadsheets write a byte order mark
        lines = csv.reader(file, strict=True)
        try:
            columns = [name.strip() for name in next(lines, [])]
            rows = [(f"line {lines.line_num}", cells) for cells in lines if cells]
        except csv.Error as error:
            raise BrokenFile(path, f"line {lines.line_num} is not readable as CSV ({error})", FIX) from error
    return columns, [(place, named(path, place, columns, cells)) for place, cells in rows]


def named(path: Path, place: str, columns: list[str], cells: list[str]) -> dict[str, Any]:
    if len(cells) != len(columns):
        problem = f"{place} has {len(cells)} cells, expected {len(columns)}: {', '.join(columns)}"
        raise BrokenFile(path, problem, "put cells that contain a comma into double quotes")
    return {column: cell.strip() for column, cell in zip(columns, cells, strict=True)}


def read_json_lines(path: Path) -> tuple[list[str], Rows]:
    with path.open(encoding="utf-8-sig") as file:
        rows = list(json_rows(path, file))
    return list(dict.fromkeys(key for _, values in rows for key in values)), rows


def json_rows(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except ValueError as error:
            raise BrokenFile(path, f"line {number} is not readable as JSON ({error})", FIX) from error
        if not isinstance(values, dict):
            raise BrokenFile(path, f"line {number}: expected an object, {{…}}, found {type(values).__name__}", FIX)
        yield f"line {number}", values


def read_parquet(path: Path) -> tuple[list[str], Rows]:
    table = pq.read_table(path)
    values = table.to_pylist()
    return table.column_names, [(f"row {number}", row) for number, row in enumerate(values, start=1)]


READERS = {".csv": read_csv, ".jsonl": read_json_lines, ".parquet": read_parquet}


def filled(values: dict[str, Any]) -> dict[str, Any]:
    return {column: value for column, value in values.items() if not is_empty(value)}


def is_empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def list_in_cell(value: Any) -> Any:
    """Parse a list from a table whose cells can only be text."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError as error:
        raise ValueError(f"not readable as JSON ({error})") from error


def not_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"expected a number, found {value}")
    return value


Number = Annotated[Id, BeforeValidator(not_boolean)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Word = Annotated[str, StringConstraints(pattern=r"^\S+$")]


class Mention(BaseModel):
    """A mentioned object with its gold annotation."""

    model_config = ConfigDict(extra="forbid")
    head_token: NonNegativeInt
    object_id: Number


class Row(BaseModel):
    """A row of the user's table, before it is checked against the annotations."""

    text: Text
    split: str
    expression_id: Number | None = None
    image_id: Number | None = None
    file_name: str | None = None
    object_id: Number | None = None
    x1: FiniteFloat | None = None
    y1: FiniteFloat | None = None
    x2: FiniteFloat | None = None
    y2: FiniteFloat | None = None
    tokens: Annotated[list[Word], BeforeValidator(list_in_cell), Field(min_length=1, max_length=MOST_TOKENS)] | None = (
        None
    )
    mentions: Annotated[list[Mention], BeforeValidator(list_in_cell)] = []


def parsed_rows(records: Records) -> list[tuple[Record, Row]]:
    """Return each row with its parsed cells."""
    check_columns(records)
    return [(record, parsed(record)) for record in records.rows]


def check_columns(records: Records) -> None:
    columns = set(records.columns)
    has = f"add it to {', '.join(records.columns)}"
    for column in ("text", "split"):
        if column not in columns:
            raise UserError(f"{records.path}: has no column {column}; {has}")
    if not columns & {"image_id", "file_name"}:
        raise UserError(f"{records.path}: has no column image_id or file_name; {has}")
    if "object_id" not in columns and not columns >= set(BOX):
        raise UserError(f"{records.path}: has no column object_id, and not all of {', '.join(BOX)}; {has}")
    if unknown := [column for column in records.columns if column not in Row.model_fields]:
        log.info("ignored columns of %s: %s", records.path, ", ".join(unknown))


def parsed(record: Record) -> Row:
    try:
        return Row.model_validate(record.values)
    except ValidationError as error:
        problem = error.errors()[0]
        if problem["type"] == "missing" and len(problem["loc"]) == 1:
            raise record.flaw(str(problem["loc"][0]), "is empty") from error
        raise UserError(f"{record.path}: {record.place}, column {describe(problem)}; fix the row") from error
