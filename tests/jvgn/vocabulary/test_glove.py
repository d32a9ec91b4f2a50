"""GloVe files of any size are read in one pass, in little memory; an error about a broken file names it."""

import csv
import gzip
import json
import logging
import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner

from jvgn.cli import main
from jvgn.settings.run import VocabularySettings
from jvgn.storage.parquet import write_table
from jvgn.vocabulary.words import COUNTED, UNKNOWN, Vocabulary, glove_vectors
from parsers.errors import UserError

SHARED = Path(os.environ.get("JVGN_SHARED", "../shared")).resolve() / "data"


def found(path, size, *wanted):
    return {word: vector.tolist() for word, vector in glove_vectors(path, size, wanted)}


def test_a_word_may_contain_spaces(tmp_path):
    path = tmp_path / "glove.txt"
    path.write_text(". . 1 2\nat name@domain.com 3 4\nat 5 6\nto 1 7 8\nto 9 9\n", encoding="utf8")
    assert found(path, 2, "at", ".", "to", "name@domain.com") == {"at": [5, 6], "to": [9, 9]}
    assert found(path, 2, "to 1", ". .") == {"to 1": [7, 8], ". .": [1, 2]}


def test_the_first_vector_of_a_repeated_word_counts(tmp_path):
    (tmp_path / "glove.txt").write_text("a 1 2\na 3 4\n")
    assert found(tmp_path / "glove.txt", 2, "a") == {"a": [1, 2]}


def test_an_archive_of_several_sizes_is_read_at_the_requested_size(tmp_path):
    with zipfile.ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("glove.6B.2d.txt", "a 1 2\n")
        archive.writestr("glove.6B.3d.txt", "a 3 4 5\n")
    assert found(tmp_path / "glove.zip", 3, "a") == {"a": [3, 4, 5]}
    with pytest.raises(UserError, match=r"expected one text of 4-d vectors, found glove\.6B\.2d\.txt, glove\.6B\.3d"):
        found(tmp_path / "glove.zip", 4, "a")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("g.txt", b"a 1 2 3\nb 1 2\n", r"g\.txt: line 2 is not a word and 3 numbers \(it has 2\); check `glove` and"),
        ("g.txt", b"400000 3\na 1 2 3\n", r"g\.txt: line 1 is not a word and 3 numbers \(it has 1\)"),
        ("g.txt", b"a 1 2 3 4\nb c 1 2 3 4\n", r"g\.txt: its vectors have 4 numbers, not 3; check `glove` and"),
        ("g.txt", b"a b 1 2 3\na 1 x 3\n", r"g\.txt: line 2 is not a word and 3 numbers \(could not convert"),
        ("g.txt", b"a 1 nan 3\n", r"g\.txt: line 1 has a number that is not finite"),
        ("g.txt", b"", r"g\.txt: it is empty"),
        ("g.gz", gzip.compress(b"b 1 2 3\n" * 1000, mtime=0)[:-9], r"g\.gz: not a readable text or archive"),
    ],
)
def test_an_error_names_a_broken_file_and_its_line(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=message):
        found(tmp_path / name, 3, "a")


@pytest.mark.skipif(not (SHARED / "glove").exists(), reason=f"no GloVe in {SHARED}; set JVGN_SHARED")
def test_real_expressions_start_from_real_vectors(tmp_path, caplog):
    caplog.set_level(logging.INFO)
    sentences = [row["sent"].split() for row in json.loads((SHARED / "refcocog/expressions.json").read_text())]
    splits = ["train" if number % 5 else "val" for number in range(len(sentences))]
    rows = {"split": splits, "tokens": sentences}
    write_table(tmp_path / "expressions.parquet", pa.table(rows, schema=COUNTED), COUNTED)
    glove = SHARED / "glove/glove.6B.100d.60k.txt.gz"
    VocabularySettings(more_often_than=1, vector_size=100, glove=str(glove)).write(tmp_path / "settings.yaml")
    options = {"settings": "settings.yaml", "expressions": "expressions.parquet", "words": "words.parquet"}
    options |= {"vectors": "vectors.npy", "missing": "missing.csv"}
    arguments = [part for name, file in options.items() for part in (f"--{name}", str(tmp_path / file))]
    run = CliRunner().invoke(main, ["build-vocabulary", *arguments])
    assert run.exit_code == 0, run.stderr
    with gzip.open(glove, "rt", encoding="utf8", newline="\n") as file:
        real = {line.split(" ")[0]: line.rstrip().split(" ")[1:] for line in file}
    vocabulary = Vocabulary.read(tmp_path / "words.parquet")
    words, table = vocabulary.words[2:], np.load(tmp_path / "vectors.npy")[2:]
    for word, vector in zip(words, table, strict=True):
        if word in real:
            np.testing.assert_array_equal(vector, np.array(real[word], np.float32))
    missing = pd.read_csv(tmp_path / "missing.csv", keep_default_na=False, quoting=csv.QUOTE_MINIMAL)
    lacking = missing[missing["missing_from"] == "glove"]
    assert set(lacking["word"]) == set(words) - real.keys()
    assert lacking["word"].iloc[0] == "a"  # the file has no word of one letter
    unknown = {word for sentence in sentences for word in sentence if vocabulary.place(word.lower()) == UNKNOWN}
    assert set(missing.loc[missing["missing_from"] == "vocabulary", "word"]) == unknown
    share = re.search(rf"{len(words) - len(lacking)} of its {len(words)} words have a GloVe vector", caplog.text)
    assert share and len(lacking) < 0.05 * len(words), caplog.text


@pytest.mark.parametrize("ending", ["txt", "gz", "zip"])
def test_lines_are_whole_wherever_a_chunk_ends(tmp_path, monkeypatch, ending):
    path, text = tmp_path / f"glove.{ending}", b"a 1 2\nb c 3 4\r\nd 5 6"
    if ending == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("glove.txt", text)
    else:
        path.write_bytes(gzip.compress(text) if ending == "gz" else text)
    for size in range(1, len(text) + 2):
        monkeypatch.setattr("jvgn.vocabulary.words.CHUNK", size)
        assert found(path, 2, "a", "b c", "d") == {"a": [1, 2], "b c": [3, 4], "d": [5, 6]}
