"""Parquet tables with a checked schema. Each carries its format version and what made it in its metadata (`jvgn.*`)."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from jvgn.storage.files import RUN_AGAIN, reading, replacing
from parsers.errors import BrokenFile

FORMAT = "1"
ROW_GROUP = 1 << 17
"""Rows that are written, and can be read, at a time."""


def write_table(
    path: Path | str, columns: pa.Table | Mapping[str, Sequence[object]], schema: pa.Schema, **made_by: str
) -> None:
    """Write the columns in the schema's order and types, with `made_by` in the metadata."""
    table = columns.cast(schema) if isinstance(columns, pa.Table) else pa.table(dict(columns), schema=schema)
    with writing(path, schema, **made_by) as write:
        write(table)


@contextmanager
def writing(path: Path | str, schema: pa.Schema, **made_by: str) -> Iterator[Callable[[pa.Table], None]]:
    """Yield a function that appends rows; the same rows give the same bytes, however they are handed over."""
    metadata = {"jvgn.format": FORMAT} | {f"jvgn.{key}": value for key, value in made_by.items()}
    waiting = schema.empty_table()
    with replacing(path) as temporary, pq.ParquetWriter(temporary, schema.with_metadata(metadata)) as file:

        def write(rows: pa.Table) -> None:
            nonlocal waiting
            waiting = pa.concat_tables([waiting, rows.select(schema.names).replace_schema_metadata()])
            while len(waiting) >= ROW_GROUP:
                # Combined, because the boundaries of chunks would show in the pages of the file.
                file.write_table(waiting.slice(0, ROW_GROUP).combine_chunks().replace_schema_metadata(metadata))
                waiting = waiting.slice(ROW_GROUP)

        yield write
        if len(waiting):
            file.write_table(waiting.combine_chunks().replace_schema_metadata(metadata))


def read_table(
    path: Path | str, schema: pa.Schema, may_be_empty: Collection[str] = (), may_lack: Collection[str] = ()
) -> pa.Table:
    """Return the schema's columns, after a check of the format version and of the types.

    Cells are empty only in columns of floats, as NaN, and in those that `may_be_empty`. Columns that the file
    `may_lack` are then empty.
    """
    with opened(path, schema, may_lack) as file:
        present = [name for name in schema.names if name in file.schema_arrow.names]
        table = checked(Path(path), file.read(present), may_be_empty)
    for index, field in enumerate(schema):
        if field.name not in present:
            table = table.add_column(index, field, pa.nulls(len(table), field.type))
    return table


def read_rows(path: Path | str, schema: pa.Schema, start: int, stop: int) -> pa.Table:
    """Return the rows from `start` to before `stop`, without reading the others into memory."""
    found, first = [schema.empty_table()], 0
    with opened(path, schema) as file:
        for index in range(file.num_row_groups):
            after = first + file.metadata.row_group(index).num_rows
            if first < stop and after > start:
                group = checked(Path(path), file.read_row_group(index, schema.names))
                found.append(group.slice(max(start - first, 0), min(stop, after) - max(start, first)))
            first = after
        return pa.concat_tables(found)


def row_groups(path: Path | str, schema: pa.Schema, may_be_empty: Collection[str] = ()) -> Iterator[pa.Table]:
    """Yield the table one row group at a time."""
    with opened(path, schema) as file:
        for index in range(file.num_row_groups):
            yield checked(Path(path), file.read_row_group(index, schema.names), may_be_empty)


def count_rows(path: Path | str, schema: pa.Schema) -> int:
    with opened(path, schema) as file:
        return file.metadata.num_rows


@contextmanager
def opened(path: Path | str, schema: pa.Schema, may_lack: Collection[str] = ()) -> Iterator[pq.ParquetFile]:
    """Yield the file, after a check of its format version and columns."""
    path = Path(path)
    if not path.exists():
        raise BrokenFile(path, "no such file", "make it with the workflow")
    with reading(path, "Parquet file"), pq.ParquetFile(path) as file:
        missing = {name for name in may_lack if name not in file.schema_arrow.names}
        check_schema(path, file.schema_arrow, pa.schema([field for field in schema if field.name not in missing]))
        yield file


def check_schema(path: Path, found: pa.Schema, expected: pa.Schema) -> None:
    version = made_by(found).get("format")
    if version != FORMAT:
        raise BrokenFile(path, f"expected format version {FORMAT}, found {version or 'none'}")
    for field in expected:
        if found.names.count(field.name) != 1 or found.field(field.name).type != field.type:
            raise BrokenFile(path, f"expected a column {field.name} of type {field.type}")


def checked(path: Path, table: pa.Table, may_be_empty: Collection[str] = (), cure: str = RUN_AGAIN) -> pa.Table:
    """Return the table in one chunk, after a check of its cells."""
    table.validate(full=True)
    table = table.replace_schema_metadata().combine_chunks()
    for name, column in zip(table.column_names, table.columns, strict=True):
        cells = [column, pc.list_flatten(column)] if pa.types.is_list(column.type) else [column]
        if not pa.types.is_floating(column.type) and name not in may_be_empty and any(one.null_count for one in cells):
            raise BrokenFile(path, f"column {name} has empty cells", cure)
    return table


def origin(path: Path | str, schema: pa.Schema) -> dict[str, str]:
    """Return what was given as `made_by` when the table was written."""
    with opened(path, schema) as file:
        return {key: value for key, value in made_by(file.schema_arrow).items() if key != "format"}


def made_by(schema: pa.Schema) -> dict[str, str]:
    metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
    return {key.removeprefix("jvgn."): value for key, value in metadata.items() if key.startswith("jvgn.")}
