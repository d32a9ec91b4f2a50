"""A user's own graphs become the tables of a parser, and stay as they are; errors name the user's file."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.datasets.tables import EXPRESSIONS
from jvgn.graphs.given_graphs import adopt_graphs
from jvgn.graphs.parsing import parse_expressions, read_parser
from jvgn.graphs.tables import GraphFiles
from jvgn.settings.parser import GraphsSettings
from jvgn.storage.parquet import write_table
from jvgn.storage.verify import verify
from parsers.errors import UserError
from parsers.parser import Parser

SENTENCES = {7: "the red star above a ring", 9: "a man 's hat", 30: "sitting there"}


@pytest.fixture
def parsed(tmp_path):
    """The graphs of a parser, and the same graphs as pandas writes them, in another order."""
    columns = {name: list(SENTENCES) for name in ("expression_id", "ref_id", "image_id", "object_id")}
    columns |= {"split": ["val"] * 3, "text": list(SENTENCES.values())}
    columns |= {"tokens": [text.split() for text in SENTENCES.values()]}
    write_table(tmp_path / "expressions.parquet", columns, EXPRESSIONS)
    found = GraphFiles.within(tmp_path / "parsed")
    parse_expressions(tmp_path / "expressions.parquet", found, Parser("lexical"))
    (tmp_path / "mine").mkdir()
    for path in (found.nodes, found.edges):
        table = pd.read_parquet(path).astype({"expression_id": "int32"})
        number = path.stem.removesuffix("s")
        table.assign(**{number: table[number].astype("int64"), "note": "mine"})[::-1].to_parquet(
            tmp_path / "mine" / path.name
        )
    return found


def adopt(folder):
    mine, output = folder / "mine", GraphFiles.within(folder / "results")
    adopt_graphs(folder / "expressions.parquet", mine / "nodes.parquet", mine / "edges.parquet", output)
    return output


def test_graphs_without_polarity_deny_nothing(parsed, tmp_path):
    for name in ("nodes", "edges"):
        path = tmp_path / "mine" / f"{name}.parquet"
        pd.read_parquet(path).drop(columns=["negated", "noun"], errors="ignore").to_parquet(path)
    found = adopt(tmp_path)
    assert not any(pd.read_parquet(found.edges)["negated"])
    assert pd.read_parquet(found.nodes)["noun"].tolist() == ["star", "ring", "man", "hat", "sitting there"]
    assert pd.read_parquet(found.nodes)["negated"].map(list).tolist() == [[False], [], [], [], []]


def test_given_graphs_are_the_tables_that_a_parser_would_have_written(parsed, tmp_path):
    before = [path.read_bytes() for path in sorted((tmp_path / "mine").iterdir())]
    found = adopt(tmp_path)
    for one, other in ((found.nodes, parsed.nodes), (found.edges, parsed.edges)):
        pd.testing.assert_frame_equal(pd.read_parquet(one), pd.read_parquet(other))
    coverage, expected = (json.loads(one.coverage.read_text()) for one in (found, parsed))
    changed = {"seconds", "sentences_parsed", "fallbacks"}
    assert {key: coverage[key] for key in coverage.keys() - changed} == {
        key: expected[key] for key in expected.keys() - changed
    }
    assert [path.read_bytes() for path in sorted((tmp_path / "mine").iterdir())] == before


@pytest.mark.parametrize(
    ("table", "column", "value", "message"),
    [
        ("nodes", "expression_id", 8, "expression 8 is not in the dataset"),
        ("nodes", "is_referent", True, "expression 7 has 2 referents"),
        ("nodes", "node", 5, "expression 7: column node does not count its rows from 0"),
        ("nodes", "head_token", 6, "expression 7: head_token 6 is outside of its 6 words"),
        ("nodes", "head", None, "column head has empty cells"),
        ("nodes", "attributes", 3, "column attributes: expected list<.*string>, found"),
        ("edges", "object", 0, "expression 7 has an invalid scene graph .*loop"),
        ("edges", "object", 4, "expression 7 has an invalid scene graph .*not among the 2"),
        ("edges", "relation", ..., "has no column relation"),
    ],
)
def test_a_mistake_names_the_users_file_and_the_expression(parsed, tmp_path, table, column, value, message):
    path = tmp_path / "mine" / f"{table}.parquet"
    rows = pd.read_parquet(path).sort_values(["expression_id", table[:-1]], ignore_index=True)
    if value is ...:
        rows = rows.drop(columns=column)
    elif column == "attributes":
        rows[column] = value
    else:
        row = 0 if table == "edges" else len(rows) - 1 if column == "expression_id" else 1
        rows.loc[row, column] = value
    rows.to_parquet(path)
    with pytest.raises(UserError, match=rf"mine/.*{table}\.parquet.*{message}.*; fix the file$"):
        adopt(tmp_path)
    assert not (tmp_path / "results").exists()


def test_a_stage_accepts_graphs_that_were_made_from_files_of_the_same_names(parsed, tmp_path):
    mine = GraphsSettings(
        backend="graphs", **{name: str(tmp_path / f"mine/{name}.parquet") for name in ("nodes", "edges")}
    )
    mine.write(tmp_path / "settings.yaml")
    files = [tmp_path / "results" / name for name in ("nodes.parquet", "edges.parquet", "coverage.json")]
    adopted = ["adopt-graphs", "--settings", tmp_path / "settings.yaml", tmp_path / "expressions.parquet", *files]
    drawn = ["figures", "coverage", "--expressions", tmp_path / "expressions.parquet", "--title", "mine"]
    drawn += ["--nodes", files[0], "--edges", files[1], "--coverage", files[2]]
    drawn += ["--figure", tmp_path / "a.svg", "--numbers", tmp_path / "a.csv"]
    for command in (adopted, drawn):
        ran = CliRunner().invoke(main, [str(part) for part in command])
        assert ran.exit_code == 0, ran.output
    (tmp_path / "mine/edges.parquet").write_bytes(parsed.edges.read_bytes())
    assert {finding.kind for finding in verify(tmp_path / "results")} == {"stale"}
    with pytest.raises(UserError, match=r"settings\.yaml: its graphs are files of your own.*--parser"):
        read_parser(tmp_path / "settings.yaml")
