"""Parquet from strangers: tables are valid to the last byte, and no larger than honest ones."""

import resource

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from parsers.files import BrokenFile
from parsers.table import NODES, read_rows, read_table, row_groups, write_table

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
