"""The words a model knows, and the vectors they start from.

`words.parquet`: index int32, word string, count int64; 0 is `<pad>`, 1 is `<unk>`, then by falling count and by
spelling. `vectors.npy`: float32 (words, size), the row of an index; `<pad>` is zero.
`missing.csv`: word, count (in all splits), missing_from: `vocabulary`, where it is `<unk>`, or `glove`, where it is
known and starts from a random vector; by falling count and by spelling.
"""

import csv
import io
import logging
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from jvgn.storage.files import reading, replacing
from jvgn.storage.parquet import read_table, write_table
from jvgn.vocabulary.glove import glove_vectors
from parsers.errors import BrokenFile, UserError

log = logging.getLogger(__name__)

PAD, UNKNOWN = 0, 1
SPECIAL = ["<pad>", "<unk>"]
WORDS = pa.schema([("index", pa.int32()), ("word", pa.string()), ("count", pa.int64())])
COUNTED = pa.schema([("split", pa.string()), ("tokens", pa.list_(pa.string()))])


class Vocabulary:
    def __init__(self, words: Sequence[str]) -> None:
        self.words = list(words)
        self.index = {word: index for index, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """The index of each token, in lower case; unknown words share one."""
        return [self.index.get(token.lower(), UNKNOWN) for token in tokens]

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        words = read_table(path, WORDS)["word"].to_pylist()
        if words[: len(SPECIAL)] != SPECIAL:
            raise BrokenFile(path, f"expected the first words to be {SPECIAL}")
        return cls(words)


def count_words(expressions: Path, splits: str) -> Counter[str]:
    """How often each word occurs, in lower case, in the train split or in all of them."""
    table = read_table(expressions, COUNTED)
    counts: Counter[str] = Counter()
    for split, tokens in zip(table["split"].to_pylist(), table["tokens"].to_pylist(), strict=True):
        if splits == "all" or split == "train":
            counts.update(token.lower() for token in tokens)
    if not counts:
        raise UserError(f"{expressions}: no words to count (splits: {splits}); check the dataset's splits")
    return counts


def frequent_words(counts: Counter[str], more_often_than: int) -> list[str]:
    """The words that occur more often than this, by falling count and by spelling."""
    kept = [word for word, count in counts.items() if count > more_often_than and word not in SPECIAL]
    return sorted(kept, key=lambda word: (-counts[word], word))


def build_vocabulary(expressions: Path, words: Path, more_often_than: int, splits: str) -> Vocabulary:
    """`words` lists the words of the expressions that occur often enough; they are returned."""
    counts = count_words(expressions, splits)
    kept = frequent_words(counts, more_often_than)
    kept_counts = [counts[word] for word in kept]
    columns = {
        "index": range(len(SPECIAL) + len(kept)),
        "word": SPECIAL + kept,
        "count": [0, counts.total() - sum(kept_counts), *kept_counts],
    }
    write_table(words, columns, WORDS, splits=splits, more_often_than=str(more_often_than))
    log.info("%d words kept of %d", len(kept), len(counts))
    return Vocabulary(SPECIAL + kept)


def build_vectors(vocabulary: Vocabulary, vectors: Path, size: int, glove: str | None, seed: int) -> set[str]:
    """`vectors` holds a start vector for each word: GloVe's where it has one, else drawn at random. Returns the words
    that GloVe has."""
    bound = 1 / np.sqrt(len(vocabulary))  # as earlier work draws the words that GloVe lacks
    table = np.random.default_rng(seed).uniform(-bound, bound, (len(vocabulary), size)).astype(np.float32)
    table[PAD] = 0
    found = set()
    if glove is not None:
        for word, vector in glove_vectors(Path(glove), size, vocabulary.words[len(SPECIAL) :]):
            table[vocabulary.index[word]] = vector
            found.add(word)
    with replacing(vectors) as temporary:
        content = io.BytesIO()  # into a file, numpy would not say why it cannot write
        np.save(content, table)
        temporary.write_bytes(content.getbuffer())
    return found


def list_missing(expressions: Path, vocabulary: Vocabulary, in_glove: Collection[str] | None, missing: Path) -> None:
    """`missing` lists the words of all expressions that the model does not know or, unless it is None, `in_glove`
    lacks; the log says which share of the words that are read has a vector of GloVe's."""
    counts = count_words(expressions, "all")
    known = vocabulary.index.keys() - SPECIAL
    rows = [
        (word, counts[word], "glove" if word in known else "vocabulary")
        for word in frequent_words(counts, 0)
        if word not in known or (in_glove is not None and word not in in_glove)
    ]
    with replacing(missing) as temporary, temporary.open("w", encoding="utf8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(("word", "count", "missing_from"))
        lines.writerows(rows)
    unknown = sum(count for _, count, missing_from in rows if missing_from == "vocabulary")
    log.info("%.2f%% of the words that are read are in the vocabulary", 100 * (1 - unknown / counts.total()))
    if in_glove is not None:
        log.info("%d of its %d words have a GloVe vector", len(in_glove), len(known))
        read = sum(counts[word] for word in in_glove)
        log.info("%.2f%% of the words that are read have a GloVe vector", 100 * read / counts.total())


def read_vectors(path: Path, vocabulary: Vocabulary) -> np.ndarray:
    with reading(path, "array"):
        table = np.load(path, allow_pickle=False)
    if table.ndim != 2 or len(table) != len(vocabulary) or not table.shape[1]:
        raise BrokenFile(path, f"expected a vector for each of {len(vocabulary)} words, found shape {table.shape}")
    if table.dtype != np.float32 or not np.isfinite(table).all():
        raise BrokenFile(path, "expected finite numbers of type float32")
    return table
