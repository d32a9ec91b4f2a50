"""Reads Parquet from strangers: valid to the last byte, and no more of it than an honest file holds.

A column can name one long text a million times, and so be a million times as large in memory as in its file, and what
the file says of its size need not be so. Its texts are counted as it names them, before they are written out.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

RATIO, AT_LEAST = 50, 1 << 28
"""Bytes in memory for each byte of the file, from a quarter of a gigabyte on: tables of ours have about three."""
AT_A_TIME, MOST_ROWS, MOST_LISTS, UNCOUNTED = 1 << 25, 1 << 16, 1 << 13, 64
"""How many bytes of a fixed width are read at a time; how many rows at most, how many that have lists, and how many
with texts that cannot be counted first."""
DAMAGE = (pa.ArrowException, OSError, UnicodeDecodeError)
"""What reading a damaged file can raise."""


class TooLarge(pa.ArrowInvalid):
    def __str__(self) -> str:
        return "it holds far more than an honest table of its size"


def read_groups(
    file: pq.ParquetFile, path: Path, columns: list[str] | None = None, groups: Sequence[int] | None = None
) -> pa.Table:
    """Some columns of some groups of rows, or all; one of `DAMAGE`, where they are not what the file says."""
    groups = list(range(file.num_row_groups) if groups is None else groups)
    leaves = leaves_of(file, columns)
    rows, most = rows_at_a_time(leaves), max(AT_LEAST, RATIO * path.stat().st_size)
    try:
        check_texts(file, path, leaves, groups, most)
    except TooLarge:
        raise
    except DAMAGE:  # not all encodings can be counted in; and of what is damaged, reading itself says so
        rows = min(rows, UNCOUNTED)
    batches, budget = [], most
    for batch in file.iter_batches(rows, groups, columns):
        budget = spend(budget, batch.nbytes)
        batches.append(batch)
    schema = file.schema_arrow if columns is None else pa.schema([file.schema_arrow.field(name) for name in columns])
    table = pa.Table.from_batches(batches, schema.remove_metadata())
    table.validate(full=True)
    if len(table) != sum(file.metadata.row_group(group).num_rows for group in groups):
        raise pa.ArrowInvalid(f"it has {len(table)} rows, and says otherwise")
    return table.combine_chunks()  # which trusts what it is given


def leaves_of(file: pq.ParquetFile, columns: list[str] | None) -> list[pq.ColumnSchema]:
    """The innermost columns. Of the groups themselves, nothing is asked here: at what a hostile file says of its
    columns, the library ends the process."""
    leaves = [file.schema.column(place) for place in range(len(file.schema))]
    return [leaf for leaf in leaves if columns is None or leaf.path.partition(".")[0] in columns]


def rows_at_a_time(leaves: Sequence[pq.ColumnSchema]) -> int:
    """Fewer of wide ones, and of lists, a row of which can be all that its group has."""
    most = MOST_LISTS if any(leaf.max_repetition_level for leaf in leaves) else MOST_ROWS
    widest = max([1, *(leaf.length for leaf in leaves if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY")])
    return max(1, min(most, AT_A_TIME // widest))


def check_texts(
    file: pq.ParquetFile, path: Path, leaves: Sequence[pq.ColumnSchema], groups: list[int], budget: int
) -> None:
    """Written out, the texts of these columns are within the budget."""
    names = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    if not names:
        return
    if len(set(names)) < len(names):  # by its name, the library would find only one of them
        raise pa.ArrowInvalid("two of its columns have one name")
    # Extensions of the library's, such as JSON, would be written out at once.
    options = {"read_dictionary": names, "arrow_extensions_enabled": False}
    with pq.ParquetFile(path, metadata=file.metadata, **options) as naming:
        for group in groups:  # apart, because the library puts no lists together that name texts of several groups
            for batch in naming.iter_batches(rows_at_a_time(leaves), [group], names):
                named = sum(bytes_named(leaf) for column in batch.columns for leaf in leaves_within(column))
                spend(
                    budget, batch.nbytes
                )  # not taken off: every batch of a group has all texts that were named so far
                budget = spend(budget, named)


def leaves_within(array: pa.Array) -> Iterator[pa.Array]:
    for part in parts_of(array):
        yield from leaves_within(part)
    if not pa.types.is_nested(array.type):
        yield array


def parts_of(array: pa.Array) -> list[pa.Array]:
    if pa.types.is_map(array.type):
        return [array.keys, array.items]
    if pa.types.is_struct(array.type):
        return array.flatten()
    return [array.flatten()] if pa.types.is_nested(array.type) else []


def bytes_named(array: pa.Array) -> int:
    """Of texts; a decimal is no larger than it is."""
    if not pa.types.is_dictionary(array.type):
        return 0
    return pc.sum(pc.binary_length(array.dictionary).take(array.indices)).as_py() or 0


def spend(budget: int, taken: int) -> int:
    """What is left."""
    if taken > budget:
        raise TooLarge
    return budget - taken
