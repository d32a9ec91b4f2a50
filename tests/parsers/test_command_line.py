"""`python -m parsers parse`: tables in, tables out, and one line for every mistake of the user's."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from jvgn.graphs.parsing import EXPRESSIONS
from jvgn.graphs.tables import EDGES, NODES
from jvgn.storage.files import sha256
from jvgn.storage.parquet import made_by, read_table, write_table
from parsers.__main__ import main

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
        read_table(tmp_path / "nodes.parquet", NODES).to_pylist(),
        read_table(tmp_path / "edges.parquet", EDGES).to_pylist(),
    )
    assert [(row["expression_id"], row["head"]) for row in nodes] == [
        (10, "star"), (10, "cross"), (11, "man"), (11, "watch"), (12, "star"), (12, "cross"), (13, "sitting there"),
    ]  # fmt: skip
    assert [row["attributes"] for row in nodes][:2] == [[], ["yellow"]]
    assert [(row["expression_id"], row["relation"]) for row in edges] == [(10, "above"), (11, "'s"), (12, "above")]
    assert [row["is_referent"] for row in nodes] == [True, False, False, True, True, False, True]


def test_the_metadata_say_what_made_the_tables(tmp_path):
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


@pytest.mark.parametrize(
    ("content", "options", "problem"),
    [
        (None, [], "there is no such file"),
        (b"not a table", [], "not a readable Parquet file"),
        (
            b"",
            ["--backend", "telepathy"],
            "there is no parser 'telepathy'; there are: conllu, corenlp, ",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_1(tmp_path, content, options, problem):
    expressions = tmp_path / "expressions.parquet"
    if content is not None:
        expressions.write_bytes(content)
    result = run(expressions, tmp_path, *options)
    assert result.exit_code == 1
    assert result.output.startswith("Error: ") and problem in result.output
    assert result.output.count("\n") == 1
    assert not (tmp_path / "nodes.parquet").exists()


def test_an_expression_without_tokens_is_named(tmp_path):
    result = run(write_expressions(tmp_path, ["a dog", ""]), tmp_path)
    assert result.exit_code == 1
    assert "expression 11 has no tokens" in result.output


def test_an_expression_longer_than_indices_can_count_is_named(tmp_path):
    result = run(write_expressions(tmp_path, ["a dog", "man " * 8001]), tmp_path)
    assert result.exit_code == 1 and result.output.count("\n") == 1
    assert "expression 11 has more than 8,000 tokens" in result.output


def test_the_package_runs_as_a_command(tmp_path):
    command = [sys.executable, "-m", "parsers", "parse", "missing.parquet", "nodes", "edges", "coverage"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Error: missing.parquet: there is no such file; make it with the workflow\n"
