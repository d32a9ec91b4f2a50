"""Tables that people bring, as CSV (with a first line of names, commas, UTF-8), JSON Lines or Parquet."""

import csv
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from jvgn.storage.files import reading
from jvgn.storage.text_formats import parsed_json
from parsers.errors import BrokenFile, UserError

MEND = "mend the file"


@dataclass(frozen=True)
class Record:
    """A row, and where it stands in its file."""

    path: Path
    place: str
    values: dict[str, Any]
    """Of the cells that are not empty."""

    def flaw(self, column: str, problem: str) -> UserError:
        return UserError(f"{self.path}: {self.place}, column {column}: {problem}")


@dataclass(frozen=True)
class Records:
    path: Path
    columns: list[str]
    rows: list[Record]


def read_records(path: Path) -> Records:
    """All rows of a table, in their order; the suffix says its format."""
    if path.suffix not in READERS:
        raise UserError(f"{path}: expected a table that ends in {', '.join(READERS)}")
    try:
        columns, rows = READERS[path.suffix](path)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror or error}); put the file there") from error
    except UnicodeDecodeError as error:
        raise BrokenFile(path, f"not readable as UTF-8 ({error})", "save it with that encoding") from error
    for column, times in Counter(columns).items():
        if times > 1:
            raise BrokenFile(path, f"it has {times} columns {column or 'without a name'}", MEND)
    if not rows:
        raise BrokenFile(path, "it has no rows", MEND)
    return Records(path, columns, [Record(path, place, filled(values)) for place, values in rows])


Rows = list[tuple[str, dict[str, Any]]]


def read_csv(path: Path) -> tuple[list[str], Rows]:
    with path.open(encoding="utf-8-sig", newline="") as file:  # spreadsheets put a mark before the first name
        lines = csv.reader(file, strict=True)
        try:
            columns = [name.strip() for name in next(lines, [])]
            rows = [(f"line {lines.line_num}", cells) for cells in lines if cells]
        except csv.Error as error:
            raise BrokenFile(path, f"line {lines.line_num} is not readable as CSV ({error})", MEND) from error
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
            values = parsed_json(line)
        except ValueError as error:
            raise BrokenFile(path, f"line {number} is not readable as JSON ({error})", MEND) from error
        if not isinstance(values, dict):
            raise BrokenFile(path, f"line {number}: expected an object, {{…}}, found {type(values).__name__}", MEND)
        yield f"line {number}", values


def read_parquet(path: Path) -> tuple[list[str], Rows]:
    path.open("rb").close()  # one that cannot be opened is none that is broken
    with reading(path, "Parquet file", "write it again"):
        table = pq.read_table(path)
        values = table.to_pylist()
    return table.column_names, [(f"row {number}", row) for number, row in enumerate(values, start=1)]


READERS = {".csv": read_csv, ".jsonl": read_json_lines, ".parquet": read_parquet}


def filled(values: dict[str, Any]) -> dict[str, Any]:
    return {column: value for column, value in values.items() if not is_empty(value)}


def is_empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))
