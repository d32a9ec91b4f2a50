"""Parquet tables with a checked schema. Each carries its format version and what made it in its metadata (`jvgn.*`)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jvgn.storage.files import replacing
from jvgn.storage.plain_parquet import DAMAGE, read_groups
from parsers.errors import BrokenFile

FORMAT = "1"
ROW_GROUP = 1 << 17
"""Rows of a table that are written, and can be read, at a time."""


def write_table(
    path: Path | str, columns: pa.Table | Mapping[str, Sequence[object]], schema: pa.Schema, **made_by: str
) -> None:
    """`path` holds the columns in the schema's order and types; `made_by` goes into its metadata."""
    table = columns.cast(schema) if isinstance(columns, pa.Table) else pa.table(dict(columns), schema=schema)
    with writing(path, schema, **made_by) as write:
        write(table)


@contextmanager
def writing(path: Path | str, schema: pa.Schema, **made_by: str) -> Iterator[Callable[[pa.Table], None]]:
    """Yields a function that appends rows; the same rows make the same bytes, however they are handed over."""
    metadata = {"jvgn.format": FORMAT} | {f"jvgn.{key}": value for key, value in made_by.items()}
    waiting = schema.empty_table()
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema.with_metadata(metadata)) as file:

        def write(rows: pa.Table) -> None:
            nonlocal waiting
            waiting = pa.concat_tables([waiting, rows.select(schema.names).replace_schema_metadata()])
            while len(waiting) >= ROW_GROUP:
                # In one piece: where a table's pieces end shows in the pages of the file.
                file.write_table(waiting.slice(0, ROW_GROUP).combine_chunks().replace_schema_metadata(metadata))
                waiting = waiting.slice(ROW_GROUP)

        yield write
        if len(waiting):
            file.write_table(waiting.combine_chunks().replace_schema_metadata(metadata))


def read_table(path: Path | str, schema: pa.Schema, may_be_empty: Collection[str] = ()) -> pa.Table:
    """The table at `path`, after a check that it is whole, of our format version and has the schema's columns.

    No cell is empty but in columns of floats, where that is NaN, and in those that `may_be_empty`.
    """
    with opened(path, schema) as file:
        return checked(Path(path), read_groups(file, Path(path), schema.names), may_be_empty)


def read_rows(path: Path | str, schema: pa.Schema, start: int, stop: int) -> pa.Table:
    """The rows from `start` to before `stop`, without the others in memory."""
    found, first = [schema.empty_table()], 0
    with opened(path, schema) as file:
        for index in range(file.num_row_groups):
            after = first + file.metadata.row_group(index).num_rows
            if first < stop and after > start:
                group = checked(Path(path), read_groups(file, Path(path), schema.names, [index]))
                found.append(group.slice(max(start - first, 0), min(stop, after) - max(start, first)))
            first = after
        return pa.concat_tables(found)


def row_groups(path: Path | str, schema: pa.Schema) -> Iterator[pa.Table]:
    """The whole table, about as many rows at a time as we write at a time: a stranger's groups may be tiny."""
    with opened(path, schema) as file:
        together: list[int] = []
        rows = 0
        for index in range(file.num_row_groups):
            together.append(index)
            rows += file.metadata.row_group(index).num_rows
            if rows >= ROW_GROUP or index == file.num_row_groups - 1:
                yield checked(Path(path), read_groups(file, Path(path), schema.names, together))
                together, rows = [], 0


def count_rows(path: Path | str, schema: pa.Schema) -> int:
    with opened(path, schema) as file:
        return file.metadata.num_rows


@contextmanager
def opened(path: Path | str, schema: pa.Schema) -> Iterator[pq.ParquetFile]:
    """Yields the file, which has our format version and the schema's columns; if it breaks, it is named."""
    path = Path(path)
    if not path.exists():
        raise BrokenFile(path, "there is no such file", "make it with the workflow")
    try:
        with pq.ParquetFile(path) as file:
            check_schema(path, file.schema_arrow, schema)
            yield file
    except DAMAGE as error:
        raise BrokenFile(path, f"not a readable Parquet file ({str(error).splitlines()[0]})") from error


def check_schema(path: Path, found: pa.Schema, expected: pa.Schema) -> None:
    version = made_by(found).get("format")
    if version != FORMAT:
        raise BrokenFile(path, f"expected format version {FORMAT}, found {version or 'none'}")
    for field in expected:
        if found.names.count(field.name) != 1 or found.field(field.name).type != field.type:
            raise BrokenFile(path, f"expected a column {field.name} of type {field.type}")


def checked(path: Path, table: pa.Table, may_be_empty: Collection[str] = ()) -> pa.Table:
    for name, column in zip(table.column_names, table.columns, strict=True):
        cells = [column, pc.list_flatten(column)] if pa.types.is_list(column.type) else [column]
        if not pa.types.is_floating(column.type) and name not in may_be_empty and any(one.null_count for one in cells):
            raise BrokenFile(path, f"a cell of its column {name} is empty")
    return table


def origin(path: Path | str, schema: pa.Schema) -> dict[str, str]:
    """What was given as `made_by` when the table at `path` was written."""
    with opened(path, schema) as file:
        return {key: value for key, value in made_by(file.schema_arrow).items() if key != "format"}


def made_by(schema: pa.Schema) -> dict[str, str]:
    metadata = schema.metadata or {}
    told = {key.decode(errors="replace"): value.decode(errors="replace") for key, value in metadata.items()}
    return {key.removeprefix("jvgn."): value for key, value in told.items() if key.startswith("jvgn.")}
