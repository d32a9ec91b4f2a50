"""Parquet from strangers: tables are valid to the last byte, and no larger than honest ones."""

import resource

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jvgn.graphs.tables import NODES
from jvgn.storage.parquet import read_rows, read_table, row_groups, write_table
from jvgn.storage.plain_parquet import TooLarge, read_groups
from parsers.errors import BrokenFile

TEXTS = pa.schema([("id", pa.int64()), ("text", pa.string()), ("tokens", pa.list_(pa.string()))])
ROWS = {"id": [1, 2, 3], "text": ["a", "b", "c"], "tokens": [["a"], ["b", "b"], []]}


def rewritten(path, table, **options):
    """As another program would write it, with our metadata."""
    pq.write_table(table.replace_schema_metadata({"jvgn.format": "1"}), path, **options)
    return path


def bad_text(values):
    return pa.array(values, pa.binary()).view(pa.string())


def table_of(**columns):
    return pa.table({**{name: pa.array(ROWS[name], TEXTS.field(name).type) for name in ROWS}, **columns})


def test_a_text_that_is_named_a_million_times_is_refused_before_it_is_written_out(tmp_path):
    """50 KB that would be two gigabytes."""
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 2000, pa.int32()), pa.array(["x" * 1_000_000]))
    lists = pa.ListArray.from_arrays(pa.array([0] * 2001, pa.int32()), pa.array([], pa.string()))
    path = tmp_path / "bomb.parquet"
    schema = pa.schema([("id", pa.int64()), ("text", words.type), ("tokens", lists.type)])
    with pq.ParquetWriter(path, schema, store_schema=False, dictionary_pagesize_limit=1 << 30) as file:
        file.write_table(pa.table([pa.array(range(2000)), words, lists], schema=schema))
        file.add_key_value_metadata({"jvgn.format": "1"})
    assert path.stat().st_size < 100_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for read in (
        lambda: read_table(path, TEXTS),
        lambda: read_rows(path, TEXTS, 0, 2000),
        lambda: [*row_groups(path, TEXTS)],
    ):
        with pytest.raises(BrokenFile, match="far more than an honest table"):
            read()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 800_000  # kilobytes


def varint(number):
    """As a footer has a number."""
    groups = [number >> shift & 127 for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])


def say_one_byte(path):
    """The file says of its only group that it has one byte."""
    content = path.read_bytes()
    told = varint(2 * pq.ParquetFile(path).metadata.row_group(0).total_byte_size)
    before, _, after = content.rpartition(told)
    path.write_bytes(before + bytes([2 | 128, *[128] * (len(told) - 2), 0]) + after)
    assert pq.ParquetFile(path).metadata.row_group(0).total_byte_size == 1


def named(short, long):
    """So many short texts, then a long one so many times."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * short + [1] * long, pa.int32()), pa.array(["a", "a" * 40_000]))


def listed(texts):
    return pa.ListArray.from_arrays(pa.array([*range(len(texts)), len(texts)], pa.int32()), texts)


BOMBS = {
    "at once": lambda: named(0, 1 << 16),
    "after short ones": lambda: named(3 << 16, 1 << 16),
    "in lists": lambda: listed(named(0, 1 << 16)),
    "of one width": lambda: pa.array([b"a" * 40_000] * 8192, pa.binary(40_000)),
    "as JSON": lambda: pa.array(["a" * 40_000] * 8192, pa.json_()),
}
"""A column of a few hundred bytes that would take gigabytes."""


@pytest.mark.parametrize("bomb", BOMBS)
def test_what_a_file_says_of_its_size_is_not_believed(tmp_path, monkeypatch, bomb):
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"text": BOMBS[bomb]()}), path, store_schema=False, compression="zstd")
    say_one_byte(path)
    monkeypatch.setattr("jvgn.storage.plain_parquet.AT_LEAST", 1 << 26)
    with pq.ParquetFile(path) as file:
        before = pa.total_allocated_bytes()
        taken = []
        whole = pq.ParquetFile.iter_batches
        monkeypatch.setattr(
            pq.ParquetFile,
            "iter_batches",
            lambda *given: (taken.append(pa.total_allocated_bytes() - before) or batch for batch in whole(*given)),
        )
        with pytest.raises(TooLarge, match="far more than an honest table"):
            read_groups(file, path)
    assert max(taken) < 1 << 27


def test_texts_that_are_all_different_are_counted_once(tmp_path, monkeypatch):
    """The library hands out those of earlier batches with each batch of a group."""
    texts = [f"{k:040}" for k in range(20_000)]
    path = tmp_path / "honest.parquet"
    pq.write_table(pa.table({"text": texts, "tokens": listed(pa.array(texts))}), path, dictionary_pagesize_limit=1000)
    monkeypatch.setattr("jvgn.storage.plain_parquet.MOST_LISTS", 500)
    monkeypatch.setattr("jvgn.storage.plain_parquet.AT_LEAST", 4_000_000)
    monkeypatch.setattr("jvgn.storage.plain_parquet.RATIO", 0)
    with pq.ParquetFile(path) as file:
        assert read_groups(file, path)["text"].to_pylist() == texts


def test_many_texts_are_read_many_rows_at_a_time(tmp_path, monkeypatch):
    asked, whole = [], pq.ParquetFile.iter_batches
    monkeypatch.setattr(
        pq.ParquetFile, "iter_batches", lambda file, rows, *more: asked.append(rows) or whole(file, rows, *more)
    )
    rows = [*map(str, range(20_000))]
    write_table(tmp_path / "a.parquet", {"id": range(20_000), "text": rows, "tokens": [[row] for row in rows]}, TEXTS)
    assert read_table(tmp_path / "a.parquet", TEXTS)["text"].to_pylist() == rows
    assert min(asked) > 4000


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])
def test_an_honest_table_is_read_however_its_texts_are_encoded(tmp_path, encoding):
    encodings = {"text": encoding, "tokens.list.element": encoding}
    path = rewritten(tmp_path / "a.parquet", table_of(), use_dictionary=False, column_encoding=encodings)
    assert read_table(path, TEXTS).to_pydict() == ROWS


@pytest.mark.parametrize("limit", [1, 1000, 1 << 20])
def test_texts_within_all_kinds_of_columns_are_read(tmp_path, limit):
    """In each, the writer gives up naming texts after so many bytes."""
    rows = range(5000)
    table = pa.table(
        {
            "map": pa.array([[(f"k{row}", "v")] for row in rows], pa.map_(pa.string(), pa.string())),
            "lists of lists": [[[f"{row}"], None, []] for row in rows],
            "struct": [{"x": f"{row}", "y": [f"{row}", None]} for row in rows],
            "decimal": pa.array(rows, pa.decimal128(30, 2)),
            "large": pa.array(map(str, rows), pa.large_string()),
            "bytes": pa.array([b"abc"] * len(rows), pa.binary(3)),
            "category": pa.array(["a", None] * (len(rows) // 2)).dictionary_encode(),
            "nothing": pa.nulls(len(rows)),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet", dictionary_pagesize_limit=limit, row_group_size=3000)
    with pq.ParquetFile(tmp_path / "a.parquet") as file:
        assert read_groups(file, tmp_path / "a.parquet").equals(table)


@pytest.mark.parametrize(
    "change",
    [
        {"text": bad_text([b"a", b"\xff", b"c"])},
        {"tokens": pa.ListArray.from_arrays(pa.array([0, 1, 2, 2], pa.int32()), bad_text([b"\xed\xa0\x80", b"b"]))},
    ],
    ids=["a text", "a word"],
)
def test_bytes_that_are_no_text_are_refused(tmp_path, change):
    with pytest.raises(BrokenFile, match=r"not a readable Parquet file .*UTF8"):
        read_table(rewritten(tmp_path / "a.parquet", table_of(**change)), TEXTS)


@pytest.mark.parametrize(
    ("name", "values"),
    [("id", [1, None, 3]), ("text", ["a", None, "c"]), ("tokens", [["a"], None, []]), ("tokens", [["a"], [None], []])],
)
def test_an_empty_cell_is_named(tmp_path, name, values):
    column = pa.array(values, TEXTS.field(name).type)
    with pytest.raises(BrokenFile, match=f"a cell of its column {name} is empty"):
        read_table(rewritten(tmp_path / "a.parquet", table_of(**{name: column})), TEXTS)


def test_an_empty_cell_of_floats_is_no_number(tmp_path):
    schema = pa.schema([("x", pa.float32()), ("flag", pa.bool_())])
    write_table(tmp_path / "a.parquet", {"x": [1.0, None], "flag": [True, None]}, schema)
    assert read_table(tmp_path / "a.parquet", schema, ["flag"])["x"].to_pylist() == [1, None]
    with pytest.raises(BrokenFile, match="column flag is empty"):
        read_table(tmp_path / "a.parquet", schema)


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = table_of().append_column("id", pa.array([1, 2, 3]))
    with pytest.raises(BrokenFile, match="expected a column id of type int64"):
        read_table(rewritten(tmp_path / "a.parquet", table), TEXTS)


@pytest.mark.parametrize("metadata", [{b"jvgn.\xff": b"\xfe"}, {b"pandas": b"not JSON"}, {b"pandas": b"[" * 5000}])
def test_what_others_say_in_the_metadata_does_not_matter(tmp_path, metadata):
    path = tmp_path / "a.parquet"
    pq.write_table(table_of().replace_schema_metadata({b"jvgn.format": b"1", **metadata}), path)
    assert read_table(path, TEXTS).to_pandas()["id"].tolist() == [1, 2, 3]


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "brotli", "lz4"])
@pytest.mark.parametrize("rows", [1, 2, 1000])
def test_an_honest_table_is_read_however_it_is_written(tmp_path, compression, rows):
    path = rewritten(tmp_path / "a.parquet", table_of(), compression=compression, row_group_size=rows)
    assert read_table(path, TEXTS).to_pydict() == ROWS
    assert read_rows(path, TEXTS, 1, 3).to_pydict() == {name: values[1:] for name, values in ROWS.items()}
    assert [row for group in row_groups(path, TEXTS) for row in group["id"].to_pylist()] == ROWS["id"]


def test_an_empty_table_is_read(tmp_path):
    write_table(tmp_path / "a.parquet", NODES.empty_table(), NODES)
    assert len(read_table(tmp_path / "a.parquet", NODES)) == 0


def test_a_table_of_numbers_is_read_many_rows_at_a_time(tmp_path, monkeypatch):
    """They take a few bytes each; a few rows at a time would take ten times as long."""
    count, asked, whole = 200_000, [], pq.ParquetFile.iter_batches
    monkeypatch.setattr(
        pq.ParquetFile, "iter_batches", lambda file, rows, *more: asked.append(rows) or whole(file, rows, *more)
    )
    schema = pa.schema([(name, pa.int64()) for name in "abc"])
    write_table(tmp_path / "a.parquet", {name: range(count) for name in "abc"}, schema)
    table = read_table(tmp_path / "a.parquet", schema)
    assert len(table) == count and min(asked) > 10_000
    assert table["a"].num_chunks == 1
