"""Parquet: tables written anew with odd values, columns, types and encodings, or damaged between start and end."""

import io
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.long.fuzz.damage import damaged_behind
from tests.long.fuzz.odd_values import TEXTS
from tests.long.fuzz.reader import Format

INTEGERS = [0, 1, -1, 2, 3, 5, 99, 32767, -32768, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63)]
FLOATS = [0.0, -1.0, 1e30, -1e38, float("nan"), float("inf"), float("-inf"), 0.5]
BAD_UTF8 = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"a\x00b", b"\xf8\x88\x80\x80\x80"]
OTHER_TYPES = [
    pa.string(),
    pa.int64(),
    pa.int16(),
    pa.float32(),
    pa.bool_(),
    pa.binary(),
    pa.list_(pa.string()),
    pa.null(),
]


def change_parquet(content: bytes, random: Random) -> bytes:
    if random.random() < 0.15:
        footer = int.from_bytes(content[-8:-4], "little")
        last = len(content) - 8 - (footer if random.random() < 0.7 else 0)
        return damaged_behind(content, random, 4, last)
    table = pq.read_table(io.BytesIO(content))
    for _ in range(random.choice((1, 1, 1, 2))):
        table = random.choice(CHANGES)(table, random)
    return written(table, random)


def written(table: pa.Table, random: Random) -> bytes:
    file = io.BytesIO()
    pq.write_table(
        table,
        file,
        compression=random.choice(("none", "snappy", "gzip", "zstd")),
        use_dictionary=random.random() < 0.5,
        row_group_size=random.choice((1, 2, 1000)),
        version=random.choice(("1.0", "2.6")),
        data_page_version=random.choice(("1.0", "2.0")),
        store_schema=random.random() < 0.8,
    )
    return file.getvalue()


def change_cells(table: pa.Table, random: Random) -> pa.Table:
    place = random.randrange(table.num_columns)
    field = table.schema.field(place)
    try:
        values = table.column(place).to_pylist()
    except UnicodeDecodeError:  # it is odd already
        return table
    for _ in range(random.choice((1, 1, 3))):
        if values:
            values[random.randrange(len(values))] = odd_cell(field.type, random)
    return table.set_column(place, field, array_of(values, field.type))


def odd_cell(kind: pa.DataType, random: Random) -> Any:
    if random.random() < 0.15:
        return None
    if pa.types.is_list(kind):
        return [odd_cell(kind.value_type, random) for _ in range(random.choice((0, 1, 1, 3, 400)))]
    if pa.types.is_integer(kind):
        bits = kind.bit_width - 1
        return max(-(2**bits), min(2**bits - 1, random.choice(INTEGERS)))
    if pa.types.is_floating(kind):
        return random.choice(FLOATS)
    if pa.types.is_boolean(kind):
        return random.random() < 0.5
    if not (pa.types.is_string(kind) or pa.types.is_binary(kind)):
        return None
    return random.choice(BAD_UTF8) if random.random() < 0.2 else random.choice(TEXTS[:-2]).encode("utf8", "ignore")


def array_of(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Of texts, whatever their bytes: as binary first, which nobody checks."""
    if pa.types.is_string(kind):
        return pa.array([as_bytes(value) for value in values], pa.binary()).view(pa.string())
    if pa.types.is_list(kind) and pa.types.is_string(kind.value_type):
        cells = [None if value is None else [as_bytes(one) for one in value] for value in values]
        lists = pa.array(cells, pa.list_(pa.binary()))
        return (
            pa.ListArray.from_arrays(lists.offsets, lists.values.view(pa.string()))
            if None not in values
            else lists.cast(kind, safe=False)
        )
    return pa.array(values, kind)


def as_bytes(value: Any) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def change_rows(table: pa.Table, random: Random) -> pa.Table:
    order = list(range(len(table)))
    kind = random.choice(("lose", "double", "shuffle", "none", "many"))
    if kind == "lose" and order:
        order.pop(random.randrange(len(order)))
    elif kind == "double" and order:
        order.append(random.choice(order))
    elif kind == "shuffle":
        random.shuffle(order)
    elif kind == "none":
        order = []
    elif order:
        order = [random.choice(order)] * 2000
    return table.take(pa.array(order, pa.int64()))


def change_columns(table: pa.Table, random: Random) -> pa.Table:
    place = random.randrange(table.num_columns)
    kind = random.choice(("lose", "rename", "type", "double", "order"))
    if kind == "lose" and table.num_columns > 1:
        return table.remove_column(place)
    if kind == "rename":
        return table.rename_columns(
            [random.choice(TEXTS[:8]) + "x" if k == place else name for k, name in enumerate(table.column_names)]
        )
    if kind == "double":
        return table.append_column(table.schema.field(place), table.column(place))
    if kind == "order":
        return table.select(random.sample(table.column_names, table.num_columns)) if unique(table) else table
    other = random.choice(OTHER_TYPES)
    return table.set_column(place, pa.field(table.column_names[place], other), pa.nulls(len(table), other))


def unique(table: pa.Table) -> bool:
    return len(set(table.column_names)) == table.num_columns


def change_metadata(table: pa.Table, random: Random) -> pa.Table:
    metadata = dict(table.schema.metadata or {})
    key = random.choice([*metadata, b"jvgn.format", b"jvgn.\xff", b"pandas"])
    metadata[key] = random.choice([b"", b"1", b"2", b"\xff\xfe", b"{}", b"[" * 2000, b"x" * 5000])
    return table.replace_schema_metadata(metadata)


CHANGES = (change_cells, change_cells, change_cells, change_cells, change_rows, change_columns, change_metadata)


def has_footer(content: bytes) -> bool:
    """Magic bytes at both ends, and between them a footer that can be read."""
    try:
        pq.read_metadata(io.BytesIO(content))
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return False
    return True


PARQUET = Format(change_parquet, has_footer)
