"""The sweep says what a vocabulary's settings make of it, and which of them come nearest to the paper's size."""

import os
import re
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest

from jvgn.storage.parquet import write_table
from jvgn.vocabulary import threshold_sweep as vocabulary_sweep
from jvgn.vocabulary.threshold_sweep import sweep
from jvgn.vocabulary.words import COUNTED, Vocabulary, build_vocabulary

PAPER = Path(os.environ.get("JVGN_SHARED", "../shared")).resolve() / "paper/jvgn.tex"


@pytest.fixture
def expressions(tmp_path):
    """In train: a four times, b twice, c once; in val: b twice, c and d once."""
    tokens = [["a", "a", "A", "b"], ["a", "b", "c"], ["b", "b", "c", "d"]]
    rows = {"split": ["train", "train", "val"], "tokens": tokens}
    write_table(tmp_path / "expressions.parquet", pa.table(rows, schema=COUNTED), COUNTED)
    return tmp_path / "expressions.parquet"


def swept(expressions, dataset="mine"):
    sweep(expressions, expressions.with_name("sweep.csv"), dataset)
    return pd.read_csv(expressions.with_name("sweep.csv"))


def test_every_row_is_the_vocabulary_that_its_settings_build(expressions):
    table = swept(expressions)
    assert len(table) == 22 and set(table["splits"]) == {"train", "all"}
    for row in table.itertuples():
        build_vocabulary(expressions, expressions.with_name("words.parquet"), row.more_often_than, row.splits)
        words = Vocabulary.read(expressions.with_name("words.parquet")).words
        assert (row.size, row.words) == (len(words), len(words) - 2)


def test_coverage_is_the_share_of_words_as_they_are_read(expressions):
    table = swept(expressions).set_index(["splits", "more_often_than"])
    columns = ["words", "coverage", "evaluation_coverage"]
    assert table.loc[("train", 0), columns].tolist() == [3, pytest.approx(100 * 10 / 11, abs=1e-3), 75]
    assert table.loc[("train", 1), columns].tolist() == [2, pytest.approx(100 * 8 / 11, abs=1e-3), 50]
    assert table.loc[("all", 3), columns].tolist() == [2, pytest.approx(100 * 8 / 11, abs=1e-3), 50]
    assert table.loc[("all", 4), columns].tolist() == [0, 0, 0]


def test_the_rows_nearest_to_the_papers_size_are_marked(expressions, monkeypatch):
    monkeypatch.setitem(vocabulary_sweep.SIZES_IN_PAPER, "refcocog", 5)
    table = swept(expressions, "refcocog")
    nearest = table[table["nearest"]]
    assert nearest[["splits", "more_often_than", "size", "difference"]].values.tolist() == [
        ["train", 0, 5, 0],
        ["all", 1, 5, 0],
    ]
    assert set(table["paper_size"]) == {5} and "appendix" in table["paper_source"][0]


@pytest.mark.skipif(not PAPER.exists(), reason=f"no paper at {PAPER}; set JVGN_SHARED")
def test_the_published_sizes_are_those_that_the_paper_prints():
    caption = re.search(r"l \((\d+)\).*?vocabulary sizes are (\d+) and (\d+)", PAPER.read_text(), re.S)
    refcocog, refcoco, refcoco_plus = map(int, caption.groups())
    assert {"refcoco": refcoco, "refcoco+": refcoco_plus, "refcocog": refcocog} == vocabulary_sweep.SIZES_IN_PAPER
