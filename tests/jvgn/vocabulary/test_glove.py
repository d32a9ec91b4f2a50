"""GloVe files of any size are read in one pass, in little memory; an error about a broken file names it."""

import csv
import gzip
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from jvgn.settings.run import VocabularySettings
from jvgn.storage.parquet import write_table
from jvgn.vocabulary.words import COUNTED, Vocabulary, glove_vectors
from parsers.errors import UserError

SHARED = Path(os.environ.get("JVGN_SHARED", "../shared")).resolve() / "data"
PEAK = "import re, sys; from jvgn.cli import main; main(sys.argv[1:], standalone_mode=False); " + (
    "print(re.search(r'VmHWM:\\s+(\\d+) kB', open('/proc/self/status').read())[1])"
)
"""Runs a command and prints its largest size in memory. (`ru_maxrss` would count the parent's, from before `exec`.)"""


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


def write_large(path, lines):
    """Words w0, w1, … of which each thousandth has a space in it, with 20 numbers each, of few different ones."""
    numbers = np.random.default_rng(0).normal(size=(16, 20)).round(4)
    vectors = [" ".join(map(str, row)) for row in numbers.tolist()]
    with path.open("w") as file:
        for start in range(0, lines, 100_000):
            words = (f"w {i}" if i % 1000 == 999 else f"w{i}" for i in range(start, min(start + 100_000, lines)))
            file.writelines(f"{word} {vectors[i % 16]}\n" for i, word in enumerate(words, start))
    return numbers.astype(np.float32)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured with Linux's /proc")
def test_a_large_file_takes_less_than_500_mb(tmp_path):
    lines = int(os.environ.get("JVGN_GLOVE_LINES", "400_000"))
    numbers = write_large(tmp_path / "glove.txt", lines)
    wanted = [*range(0, lines, 100), 999]
    rows = {"split": ["train"] * len(wanted), "tokens": [[f"w{i}"] for i in wanted]}
    write_table(tmp_path / "expressions.parquet", pa.table(rows, schema=COUNTED), COUNTED)
    run = built_by_command(tmp_path, VocabularySettings(vector_size=20, glove=str(tmp_path / "glove.txt")))
    assert int(run.stdout) < 500 * 1024, f"{int(run.stdout) / 1024:.0f} MB"
    table, index = np.load(tmp_path / "vectors.npy"), Vocabulary.read(tmp_path / "words.parquet").index
    np.testing.assert_array_equal(table[[index[f"w{i}"] for i in wanted[:-1]]], numbers[np.array(wanted[:-1]) % 16])
    assert (tmp_path / "missing.csv").read_text() == "word,count,missing_from\nw999,1,glove\n"


def built_by_command(folder, settings):
    settings.write(folder / "settings.yaml")
    options = {"settings": "settings.yaml", "expressions": "expressions.parquet", "words": "words.parquet"}
    options |= {"vectors": "vectors.npy", "missing": "missing.csv"}
    arguments = [part for name, file in options.items() for part in (f"--{name}", str(folder / file))]
    command = [sys.executable, "-c", PEAK, "build-vocabulary", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3])
    assert run.returncode == 0, run.stderr
    return run


@pytest.mark.skipif(not (SHARED / "glove").exists(), reason=f"no GloVe in {SHARED}; set JVGN_SHARED")
def test_real_expressions_start_from_real_vectors(tmp_path):
    sentences = [row["sent"].split() for row in json.loads((SHARED / "refcocog/expressions.json").read_text())]
    splits = ["train" if number % 5 else "val" for number in range(len(sentences))]
    rows = {"split": splits, "tokens": sentences}
    write_table(tmp_path / "expressions.parquet", pa.table(rows, schema=COUNTED), COUNTED)
    glove = SHARED / "glove/glove.6B.100d.60k.txt.gz"
    run = built_by_command(tmp_path, VocabularySettings(more_often_than=1, vector_size=100, glove=str(glove)))
    with gzip.open(glove, "rt", encoding="utf8", newline="\n") as file:
        real = {line.split(" ")[0]: line.rstrip().split(" ")[1:] for line in file}
    words, table = Vocabulary.read(tmp_path / "words.parquet").words[2:], np.load(tmp_path / "vectors.npy")[2:]
    for word, vector in zip(words, table, strict=True):
        if word in real:
            np.testing.assert_array_equal(vector, np.array(real[word], np.float32))
    missing = pd.read_csv(tmp_path / "missing.csv", keep_default_na=False, quoting=csv.QUOTE_MINIMAL)
    lacking = missing[missing["missing_from"] == "glove"]
    assert set(lacking["word"]) == set(words) - real.keys()
    assert lacking["word"].iloc[0] == "a"  # the file has no word of one letter
    unknown = {word for sentence in sentences for word in sentence} - set(words)
    assert set(missing.loc[missing["missing_from"] == "vocabulary", "word"]) == unknown
    share = re.search(rf"{len(words) - len(lacking)} of its {len(words)} words have a GloVe vector", run.stderr)
    assert share and len(lacking) < 0.05 * len(words), run.stderr


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
