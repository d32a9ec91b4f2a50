"""The words that a model knows, and the vectors that they start from.

`words.parquet`: index int32, word string, count int64, slips list<string> (misspelt words of the dataset that are read
as this word); 0 is `<pad>`, 1 is `<unk>`, the others are sorted by falling count, then by spelling. `missing.csv`,
sorted the same way: word, count (in all splits), missing_from, which is `vocabulary` (the model reads `<unk>`) or
`glove` (the word starts from a random vector). `vectors.npy`: float32 (words, size), a row for each index of the
vocabulary; `<pad>` is zero.

A line of a GloVe text is a word and its numbers, separated by single spaces; the file is plain, .gz or .zip. A word may
itself contain spaces (some of 840B's do), so a line is read from its right end. A zip archive may hold several sizes,
as 6B's does; the file whose name has the size (`….100d.txt`) is read.
"""

import csv
import gzip
import io
import logging
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from jvgn.storage.files import reading, replacing
from jvgn.storage.parquet import read_table, write_table
from parsers.errors import BrokenFile, UserError

log = logging.getLogger(__name__)

PAD, UNKNOWN = 0, 1
SPECIAL = ["<pad>", "<unk>"]
WORDS = pa.schema(
    [("index", pa.int32()), ("word", pa.string()), ("count", pa.int64()), ("slips", pa.list_(pa.string()))]
)
COUNTED = pa.schema([("split", pa.string()), ("tokens", pa.list_(pa.string()))])
CHECK = "check `glove` and `vector_size`"
LINES_TO_JUDGE = 1000
"""If none of the first so many lines is one word and a vector, the vectors are longer than expected."""
CHUNK = 1 << 16


class Vocabulary:
    """The known words and their indices. `respell` corrects the spelling of a word that is not known."""

    def __init__(self, words: Sequence[str], respell: Callable[[str], str] = str) -> None:
        self.words, self.respell = list(words), respell
        self.index = {word: index for index, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Return the index of each token in lower case, or of its corrected spelling; unknown words share one."""
        return [self.place(token.lower()) for token in tokens]

    def place(self, word: str) -> int:
        found = self.index.get(word)
        return self.index.get(self.respell(word), UNKNOWN) if found is None else found

    @classmethod
    def read(cls, path: Path) -> "Vocabulary":
        table = read_table(path, WORDS)
        words = table["word"].to_pylist()
        meant = {slip: word for word, slips in zip(words, table["slips"].to_pylist(), strict=True) for slip in slips}
        if words[: len(SPECIAL)] != SPECIAL:
            raise BrokenFile(path, f"expected the first words to be {SPECIAL}")
        return cls(words, lambda word: meant.get(word, word))


def count_words(expressions: Path, splits: str) -> Counter[str]:
    """Count each word, in lower case, in the train split or in all splits."""
    table = read_table(expressions, COUNTED)
    counts: Counter[str] = Counter()
    for split, tokens in zip(table["split"].to_pylist(), table["tokens"].to_pylist(), strict=True):
        if splits == "all" or split == "train":
            counts.update(token.lower() for token in tokens)
    if not counts:
        raise UserError(f"{expressions}: no words to count (splits: {splits}); check the dataset's splits")
    return counts


def frequent_words(counts: Counter[str], more_often_than: int) -> list[str]:
    """Return the words that occur more often than this, sorted by falling count, then by spelling."""
    kept = [word for word, count in counts.items() if count > more_often_than and word not in SPECIAL]
    return sorted(kept, key=lambda word: (-counts[word], word))


def build_vocabulary(
    expressions: Path, words: Path, more_often_than: int, splits: str, respell: Callable[[str], str] = str
) -> Vocabulary:
    """Write and return the words that occur often enough."""
    counts = count_words(expressions, splits)
    kept = frequent_words(counts, more_often_than)
    kept_counts = [counts[word] for word in kept]
    slips: dict[str, list[str]] = {word: [] for word in SPECIAL + kept}
    for word in sorted(count_words(expressions, "all").keys() - slips.keys()):
        if (meant := respell(word)) in slips:
            slips[meant].append(word)
    columns = {
        "index": range(len(SPECIAL) + len(kept)),
        "word": SPECIAL + kept,
        "count": [0, counts.total() - sum(kept_counts), *kept_counts],
        "slips": list(slips.values()),
    }
    write_table(words, columns, WORDS, splits=splits, more_often_than=str(more_often_than))
    log.info("%d words kept of %d", len(kept), len(counts))
    return Vocabulary(SPECIAL + kept, respell)


def list_missing(expressions: Path, vocabulary: Vocabulary, in_glove: Collection[str] | None, missing: Path) -> None:
    """List the words of all expressions that the vocabulary or, unless it is None, `in_glove` lacks.

    The log says which share of the words in all sentences is covered.
    """
    counts = count_words(expressions, "all")
    read_as = {word: vocabulary.words[vocabulary.place(word)] for word in frequent_words(counts, 0)}
    rows = [
        (word, counts[word], "vocabulary" if known in SPECIAL else "glove")
        for word, known in read_as.items()
        if known in SPECIAL or (in_glove is not None and word == known and word not in in_glove)
    ]
    with replacing(missing) as temporary, temporary.open("w", encoding="utf8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(("word", "count", "missing_from"))
        lines.writerows(rows)
    unknown = sum(count for _, count, missing_from in rows if missing_from == "vocabulary")
    log.info("%.2f%% of all words read are in the vocabulary", 100 * (1 - unknown / counts.total()))
    if in_glove is not None:
        log.info("%d of its %d words have a GloVe vector", len(in_glove), len(vocabulary) - len(SPECIAL))
        read = sum(counts[word] for word in in_glove)
        log.info("%.2f%% of all words read have a GloVe vector", 100 * read / counts.total())


def build_vectors(vocabulary: Vocabulary, vectors: Path, size: int, glove: str | None, seed: int) -> set[str]:
    """Write a start vector for each word: GloVe's, or a random one if GloVe lacks the word. Return GloVe's words."""
    bound = 1 / np.sqrt(len(vocabulary))  # as earlier work draws the words that GloVe lacks
    table = np.random.default_rng(seed).uniform(-bound, bound, (len(vocabulary), size)).astype(np.float32)
    table[PAD] = 0
    found = set()
    if glove is not None:
        for word, vector in glove_vectors(Path(glove), size, vocabulary.words[len(SPECIAL) :]):
            table[vocabulary.index[word]] = vector
            found.add(word)
    with replacing(vectors) as temporary:
        content = io.BytesIO()  # numpy, writing to a file itself, does not say that the disk is full
        np.save(content, table)
        temporary.write_bytes(content.getbuffer())
    return found


def read_vectors(path: Path, vocabulary: Vocabulary) -> np.ndarray:
    with reading(path, "array"):
        table = np.load(path, allow_pickle=False)
    if table.ndim != 2 or len(table) != len(vocabulary) or not table.shape[1]:
        raise BrokenFile(path, f"expected a vector for each of {len(vocabulary)} words, found shape {table.shape}")
    if table.dtype != np.float32 or not np.isfinite(table).all():
        raise BrokenFile(path, "expected finite numbers of type float32")
    return table


def glove_vectors(path: Path, size: int, wanted: Collection[str]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield each wanted word that the file has, with its vector, in one pass over the lines."""
    # Most lines are not wanted, and their first bytes show it: only the others are split.
    beginnings = {word.encode().split(b" ")[0] for word in wanted}
    left = {word.encode() for word in wanted}
    fewest = None
    lines = tqdm(byte_lines(path, size), desc="GloVe", unit=" words", unit_scale=True, disable=None)
    for number, line in enumerate(lines, start=1):
        line = line.rstrip()
        spaces = line.count(b" ")
        if spaces < size:
            raise BrokenFile(path, f"line {number} is not a word and {size} numbers (it has {spaces})", CHECK)
        fewest = spaces if fewest is None else min(fewest, spaces)
        if number == LINES_TO_JUDGE:
            check_size(path, fewest, size)
        if line[: line.index(b" ")] in beginnings:
            word, *values = line.rsplit(b" ", size)
            if word in left:
                left.remove(word)
                yield word.decode(), parsed(values, f"{path}: line {number}", size)
    if fewest is None:
        raise BrokenFile(path, "it is empty", "get the file again")
    check_size(path, fewest, size)


def check_size(path: Path, fewest: int, size: int) -> None:
    if fewest > size:
        raise BrokenFile(path, f"its vectors have {fewest} numbers, not {size}", CHECK)


def parsed(values: list[bytes], where: str, size: int) -> np.ndarray:
    try:
        vector = np.array(values, dtype=np.float32)
    except ValueError as error:
        raise UserError(f"{where} is not a word and {size} numbers ({error}); get the file again") from error
    if not np.isfinite(vector).all():
        raise UserError(f"{where} has a number that is not finite; get the file again")
    return vector


def byte_lines(path: Path, size: int) -> Iterator[bytes]:
    """Yield the lines of the text, split at line feeds alone: other line separators occur in words."""
    if not path.exists():
        raise UserError(f"{path}: there is no such GloVe file; put it there or set `glove: null`")
    with reading(path, "text or archive", "get the file again"), opened(path, size) as file:
        begun = b""
        while chunk := file.read(CHUNK):  # zipfile takes more than a microsecond for each line
            *lines, begun = (begun + chunk).split(b"\n")
            yield from lines
        if begun:
            yield begun


@contextmanager
def opened(path: Path, size: int) -> Iterator[Any]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive, archive.open(member(path, archive.namelist(), size)) as text:
            yield text
    else:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as text:
            yield text


def member(path: Path, names: list[str], size: int) -> str:
    """Return the archive's only text, or the one whose name has the size."""
    texts = [name for name in names if name.endswith(".txt")]
    fitting = texts if len(texts) == 1 else [name for name in texts if f".{size}d." in name]
    if len(fitting) != 1:
        problem = f"expected one text of {size}-d vectors, found {', '.join(names) or 'nothing'}"
        raise BrokenFile(path, problem, "unpack it and name the text in `glove`")
    return fitting[0]
