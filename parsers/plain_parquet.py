"""Reads Parquet from strangers: valid to the last byte, and no more of it than an honest file holds.

A column can name one long text a million times, and so be a million times as large in memory as in its file. It is
read a few rows at a time, and no further than makes sense.
"""

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

RATIO, AT_LEAST = 50, 1 << 28
"""Bytes in memory for each byte of the file, from a quarter of a gigabyte on: tables of ours have about three."""
AT_A_TIME, FEWEST_ROWS, MOST_ROWS = 1 << 25, 64, 1 << 16
"""As many rows are read at a time as take so many bytes, were each of them as large as the group that it is in."""
NUMBERS = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE")
"""Types of which a row has a few bytes, whatever the file says."""
DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError)
"""What reading a damaged file can raise."""


def read_groups(
    file: pq.ParquetFile, path: Path, columns: list[str] | None = None, groups: Sequence[int] | None = None
) -> pa.Table:
    """Some columns of some groups of rows, or all; one of `DAMAGE`, where they are not what the file says."""
    groups = range(file.num_row_groups) if groups is None else groups
    told = [file.metadata.row_group(group) for group in groups]
    budget = max(AT_LEAST, RATIO * path.stat().st_size)
    largest = max((group.total_byte_size for group in told), default=0) if has_texts(file, columns) else 0
    rows = max(FEWEST_ROWS, min(MOST_ROWS, AT_A_TIME // max(largest, 1)))
    batches = []
    for batch in file.iter_batches(rows, list(groups), columns):
        budget -= batch.nbytes
        if budget < 0:
            raise pa.ArrowInvalid("it holds far more than an honest table of its size")
        batches.append(batch)
    schema = file.schema_arrow if columns is None else pa.schema([file.schema_arrow.field(name) for name in columns])
    table = pa.Table.from_batches(batches, schema.remove_metadata())
    table.validate(full=True)
    if len(table) != sum(group.num_rows for group in told):
        raise pa.ArrowInvalid(f"it has {len(table)} rows, and says otherwise")
    return table.combine_chunks()  # which trusts what it is given


def has_texts(file: pq.ParquetFile, columns: list[str] | None) -> bool:
    """Or lists, a row of which can be all that its group has. Of the groups themselves, nothing is asked here: at what
    a hostile file says of its columns, the library ends the process."""
    told = [file.schema.column(place) for place in range(len(file.schema))]
    asked = [one for one in told if columns is None or one.path.partition(".")[0] in columns]
    return any(one.physical_type not in NUMBERS or one.max_repetition_level for one in asked)
