"""`jvgn parse` and `jvgn merge-graphs`: a graph depends on its sentence alone.

Shards, processes and row groups change no byte of the tables.
"""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from jvgn.cli import main
from jvgn.graphs import parsing
from jvgn.graphs.parsing import CHUNK, EXPRESSIONS, Shard, distinct, merge_shards, parse_expressions
from jvgn.graphs.tables import GraphFiles, graph_rows, read_edges, read_graph, read_nodes
from jvgn.storage import parquet as table
from jvgn.storage.files import sha256
from jvgn.storage.parquet import made_by, read_table, write_table
from parsers.parser import Parser

LEXICAL = Parser("lexical")


@pytest.fixture(scope="module")
def expressions(tmp_path_factory):
    """More sentences than a process takes at a time, every third of them twice and far apart."""
    path = tmp_path_factory.mktemp("dataset") / "expressions.parquet"
    texts = [f"the red star above thing{number} and a man's hat" for number in range(CHUNK + 101)]
    texts += [*texts[::3], "sitting there"]
    columns = {
        "expression_id": [7 * number for number in range(len(texts))],
        "tokens": [text.split() for text in texts],
    }
    write_table(path, columns, EXPRESSIONS)
    return path


@pytest.fixture(autouse=True)
def _small_row_groups(monkeypatch):
    monkeypatch.setattr(table, "ROW_GROUP", 256)
    monkeypatch.setattr(parsing, "SLICE", 100)


@pytest.fixture(scope="module")
def whole(expressions, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table, "ROW_GROUP", 256)
        output = GraphFiles.within(tmp_path_factory.mktemp("whole"))
        parse_expressions(expressions, output, LEXICAL)
    return output


def assert_same(one, other):
    assert one.nodes.read_bytes() == other.nodes.read_bytes()
    assert one.edges.read_bytes() == other.edges.read_bytes()


def test_the_tables_are_the_graphs_of_the_sentences_one_by_one(expressions, whole):
    parse = LEXICAL.load()
    rows = read_table(expressions, EXPRESSIONS)
    graphs = [parse([tokens])[0] for tokens in rows["tokens"].to_pylist()]
    nodes, edges = graph_rows(rows["expression_id"].to_pylist(), graphs)
    assert read_nodes(whole.nodes) == nodes
    assert read_edges(whole.edges) == edges
    assert read_graph(whole, rows["expression_id"][5].as_py(), rows["tokens"][5].as_py()) == graphs[5]


def test_the_number_of_processes_changes_no_byte(expressions, whole, tmp_path):
    output = GraphFiles.within(tmp_path)
    parse_expressions(expressions, output, LEXICAL, threads=2)
    assert_same(output, whole)


@pytest.mark.parametrize("count", [2, 3, 7])
def test_the_number_of_shards_changes_no_byte(expressions, whole, tmp_path, count):
    folders = [tmp_path / str(number) for number in range(1, count + 1)]
    for number, folder in enumerate(folders, 1):
        parse_expressions(expressions, GraphFiles.within(folder), LEXICAL, shard=Shard(number, count))
    merged = GraphFiles.within(tmp_path)
    merge_shards(folders, merged)
    assert_same(merged, whole)
    expected, found = (json.loads(files.coverage.read_text()) for files in (whole, merged))
    for once in (expected, found):
        assert once.pop("seconds") > 0
        assert CHUNK + 102 <= once.pop("sentences_parsed") <= once["expressions"]
    assert found == expected


def test_identical_sentences_are_parsed_once(expressions, tmp_path, monkeypatch):
    parsed, lexical = [], LEXICAL.load()

    def parse(sentences):
        parsed.extend(sentences)
        return lexical(sentences)

    monkeypatch.setattr(Parser, "load", lambda self: parse)
    parse_expressions(expressions, GraphFiles.within(tmp_path), LEXICAL)
    assert len(parsed) == len(set(parsed)) == CHUNK + 102


@given(st.lists(st.lists(st.sampled_from(["a", "b", "\n", "\\", "\\n", "a\nb", ""]), min_size=1, max_size=3)))
def test_sentences_are_the_same_if_all_their_tokens_are(sentences):
    found, which = distinct(pa.array(sentences, pa.list_(pa.string())))
    assert found.to_pylist() == list(map(list, dict.fromkeys(map(tuple, sentences))))
    assert [found.to_pylist()[index] for index in which] == sentences


@given(st.integers(0, 50), st.integers(1, 9))
def test_shards_cover_all_rows_once(rows, count):
    bounds = [Shard(number, count).bounds(rows) for number in range(1, count + 1)]
    assert [row for start, stop in bounds for row in range(start, stop)] == list(range(rows))
    assert max(stop - start for start, stop in bounds) - min(stop - start for start, stop in bounds) <= 1


def test_a_dataset_without_expressions_has_tables_without_rows(tmp_path):
    write_table(tmp_path / "expressions.parquet", {"expression_id": [], "tokens": []}, EXPRESSIONS)
    parse_expressions(tmp_path / "expressions.parquet", GraphFiles.within(tmp_path), LEXICAL, threads=2)
    assert len(read_nodes(tmp_path / "nodes.parquet")) == 0
    assert json.loads((tmp_path / "coverage.json").read_text())["expressions"] == 0


def test_shards_of_different_datasets_are_not_merged(whole, tmp_path):
    write_table(tmp_path / "expressions.parquet", {"expression_id": [1], "tokens": [["dog"]]}, EXPRESSIONS)
    parse_expressions(tmp_path / "expressions.parquet", GraphFiles.within(tmp_path / "other"), LEXICAL)
    outputs = [f"--{name}={tmp_path / name}" for name in ("nodes", "edges", "coverage")]
    result = CliRunner().invoke(main, ["merge-graphs", *outputs, str(whole.nodes.parent), str(tmp_path / "other")])
    assert result.exit_code == 1
    assert str(tmp_path / "other/nodes.parquet") in result.output and "made by" in result.output
    assert not (tmp_path / "nodes").exists()


SENTENCES = ["star above the yellow cross", "the man 's watch", "star above the yellow cross", "sitting there"]


def write_expressions(folder: Path, sentences: list[str]) -> Path:
    path = folder / "expressions.parquet"
    columns = {"expression_id": range(10, 10 + len(sentences)), "tokens": [text.split() for text in sentences]}
    write_table(path, {name: list(values) for name, values in columns.items()}, EXPRESSIONS)
    return path


def run(expressions: Path, folder: Path, *options: str) -> Result:
    outputs = [str(folder / name) for name in ("nodes.parquet", "edges.parquet", "coverage.json")]
    return CliRunner().invoke(main, ["parse", *options, str(expressions), *outputs])


def test_the_tables_hold_every_expression_in_order(tmp_path):
    expressions = write_expressions(tmp_path, SENTENCES)
    assert run(expressions, tmp_path).exit_code == 0
    nodes, edges = (
        read_nodes(tmp_path / "nodes.parquet").to_pylist(),
        read_edges(tmp_path / "edges.parquet").to_pylist(),
    )
    assert [(row["expression_id"], row["head"]) for row in nodes] == [
        (10, "star"), (10, "cross"), (11, "man"), (11, "watch"), (12, "star"), (12, "cross"), (13, "sitting there"),
    ]  # fmt: skip
    assert [row["attributes"] for row in nodes][:2] == [[], ["yellow"]]
    assert [(row["expression_id"], row["relation"]) for row in edges] == [(10, "above"), (11, "'s"), (12, "above")]
    assert [row["is_referent"] for row in nodes] == [True, False, False, True, True, False, True]


def test_metadata_record_what_made_the_tables(tmp_path):
    expressions = write_expressions(tmp_path, SENTENCES)
    run(expressions, tmp_path)
    found = made_by(pq.read_schema(tmp_path / "edges.parquet"))
    assert found == {"format": "1", "backend": "lexical", "expressions": sha256(expressions)}


def test_coverage_counts_what_was_read(tmp_path):
    run(write_expressions(tmp_path, [*SENTENCES, "a very tall man"]), tmp_path)
    counts = json.loads((tmp_path / "coverage.json").read_text())
    assert counts.pop("seconds") > 0
    assert counts == {
        "expressions": 5,
        "sentences_parsed": 4,
        "fallbacks": 1,
        "nodes": 8,
        "edges": 3,
        "in_pieces": 0,
        "referent_is_object": 1,
        "content_words": 15,
        "words_left_out": 1,
        "words_left_out_percent": pytest.approx(100 / 15),
    }


def test_an_error_names_an_expression_without_tokens(tmp_path):
    result = run(write_expressions(tmp_path, ["a dog", ""]), tmp_path)
    assert result.exit_code == 1
    assert "expression 11 has no tokens" in result.output
