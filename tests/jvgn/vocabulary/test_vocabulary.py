"""Words are counted in the chosen splits and start from GloVe's vectors if it has them."""

import numpy as np
import pyarrow as pa
import pytest

from jvgn.storage.parquet import write_table
from jvgn.vocabulary.words import (
    COUNTED,
    PAD,
    UNKNOWN,
    Vocabulary,
    build_vectors,
    build_vocabulary,
    list_missing,
    read_vectors,
)
from parsers.errors import BrokenFile

GLOVE = "the 1 0 0\nstar 0 1 0\n. . 9 9 9\nunwanted 0 0 1\n"


@pytest.fixture
def expressions(tmp_path):
    rows = {"split": ["train", "train", "val"], "tokens": [["The", "star"], ["the", "ring"], ["moon", "star"]]}
    write_table(tmp_path / "expressions.parquet", pa.table(rows, schema=COUNTED), COUNTED)
    return tmp_path / "expressions.parquet"


def built(expressions, **options):
    words = expressions.with_name("words.parquet")
    build_vocabulary(expressions, words, **({"more_often_than": 0, "splits": "train"} | options))
    return words


def test_words_come_by_falling_count_then_by_spelling(expressions):
    assert Vocabulary.read(built(expressions)).words == ["<pad>", "<unk>", "the", "ring", "star"]


def test_all_splits_and_a_threshold_are_choices(expressions):
    assert Vocabulary.read(built(expressions, splits="all", more_often_than=1)).words[2:] == ["star", "the"]


def test_unknown_words_share_an_index(expressions):
    vocabulary = Vocabulary.read(built(expressions))
    assert vocabulary.encode(["THE", "moon", "<pad>"]) == [2, UNKNOWN, PAD]


def test_a_misspelt_word_is_read_as_the_one_that_is_meant(expressions):
    vocabulary = Vocabulary.read(built(expressions, respell=lambda word: {"moon": "star"}.get(word, word)))
    assert vocabulary.encode(["moon", "sun"]) == [vocabulary.index["star"], UNKNOWN]


def test_glove_vectors_are_taken_and_the_rest_is_drawn(expressions):
    path = expressions.with_name("glove.txt")
    path.write_text(GLOVE)
    vocabulary, vectors = Vocabulary.read(built(expressions)), expressions.with_name("vectors.npy")
    build_vectors(vocabulary, vectors, size=3, glove=str(path), seed=0)
    table = read_vectors(vectors, vocabulary)
    assert table[PAD].tolist() == [0, 0, 0]
    assert table[2].tolist() == [1, 0, 0] and table[4].tolist() == [0, 1, 0]
    assert 0 < np.abs(table[3]).max() <= 1 / np.sqrt(5)


def test_words_that_the_model_or_glove_lacks_are_listed_with_their_counts(expressions, caplog):
    glove = expressions.with_name("glove.txt")
    glove.write_text(GLOVE)
    vocabulary, missing = Vocabulary.read(built(expressions)), expressions.with_name("missing.csv")
    found = build_vectors(vocabulary, expressions.with_name("vectors.npy"), size=3, glove=str(glove), seed=0)
    with caplog.at_level("INFO"):
        list_missing(expressions, vocabulary, found, missing)
    assert missing.read_text() == "word,count,missing_from\nmoon,1,vocabulary\nring,1,glove\n"
    assert "83.33% of all words read are in the vocabulary" in caplog.text
    assert "2 of its 3 words have a GloVe vector" in caplog.text
    assert "66.67% of all words read have a GloVe vector" in caplog.text
    list_missing(expressions, vocabulary, None, missing)
    assert missing.read_text() == "word,count,missing_from\nmoon,1,vocabulary\n"


def test_vectors_of_another_vocabulary_are_refused(expressions, tmp_path):
    words = built(expressions)
    np.save(tmp_path / "vectors.npy", np.zeros((3, 2)))
    with pytest.raises(BrokenFile, match="each of 5 words"):
        read_vectors(tmp_path / "vectors.npy", Vocabulary.read(words))
