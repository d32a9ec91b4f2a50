"""The rows of a table of expressions that somebody brings, cell by cell; docs/custom.md describes the columns."""

import logging
from typing import Annotated, Any

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
from jvgn.datasets.records import Record, Records
from jvgn.settings.base import describe
from jvgn.storage.text_formats import parsed_json
from parsers.errors import UserError

log = logging.getLogger(__name__)

BOX = ("x1", "y1", "x2", "y2")


def list_in_cell(value: Any) -> Any:
    """A list, also from tables whose cells can only be text."""
    if not isinstance(value, str):
        return value
    try:
        return parsed_json(value)
    except ValueError as error:
        raise ValueError(f"not readable as JSON ({error})") from error


def no_truth_value(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError(f"expected a number, found {value}")
    return value


Number = Annotated[Id, BeforeValidator(no_truth_value)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
Word = Annotated[str, StringConstraints(pattern=r"^\S+$")]


class Mention(BaseModel):
    model_config = ConfigDict(extra="forbid")
    head_token: NonNegativeInt
    object_id: Number


class Row(BaseModel):
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
    tokens: Annotated[list[Word], BeforeValidator(list_in_cell), Field(min_length=1, max_length=5000)] | None = None
    mentions: Annotated[list[Mention], BeforeValidator(list_in_cell)] = []


def parsed_rows(records: Records) -> list[tuple[Record, Row]]:
    """Each row with its cells as what they stand for."""
    check_columns(records)
    return [(record, parsed(record)) for record in records.rows]


def check_columns(records: Records) -> None:
    columns = set(records.columns)
    has = f"it has: {', '.join(records.columns)}"
    for column in ("text", "split"):
        if column not in columns:
            raise UserError(f"{records.path}: needs a column {column}; {has}")
    if not columns & {"image_id", "file_name"}:
        raise UserError(f"{records.path}: needs a column image_id or file_name; {has}")
    if "object_id" not in columns and not columns >= set(BOX):
        raise UserError(f"{records.path}: needs a column object_id, or all of {', '.join(BOX)}; {has}")
    if unknown := [column for column in records.columns if column not in Row.model_fields]:
        log.info("columns of %s that are not read: %s", records.path, ", ".join(unknown))


def parsed(record: Record) -> Row:
    try:
        return Row.model_validate(record.values)
    except ValidationError as error:
        problem = error.errors()[0]
        if problem["type"] == "missing" and len(problem["loc"]) == 1:
            raise record.flaw(str(problem["loc"][0]), "is empty") from error
        raise UserError(f"{record.path}: {record.place}, column {describe(problem)}") from error
