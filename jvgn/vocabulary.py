"""The words a model knows, and the vectors they start from.

`words.parquet`: index int32, word string, count int64; 0 is `<pad>`, 1 is `<unk>`, then by falling count and by
spelling. `vectors.npy`: float32 (words, size), the row of an index; `<pad>` is zero.
"""

import gzip
import io
import logging
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from tqdm import tqdm

from parsers.files import BrokenFile, UserError, replacing
from parsers.table import read_table, write_table

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


def build_vocabulary(expressions: Path, words: Path, more_often_than: int, splits: str) -> None:
    """`words` lists the words of the expressions that occur often enough."""
    table = read_table(expressions, COUNTED)
    counts: Counter[str] = Counter()
    for split, tokens in zip(table["split"].to_pylist(), table["tokens"].to_pylist(), strict=True):
        if splits == "all" or split == "train":
            counts.update(token.lower() for token in tokens)
    if not counts:
        raise UserError(f"{expressions}: no words to count (splits: {splits}); check the dataset's splits")
    kept = sorted((-count, word) for word, count in counts.items() if count > more_often_than and word not in SPECIAL)
    rest = sum(counts.values()) + sum(negative for negative, _ in kept)
    columns = {
        "index": range(len(SPECIAL) + len(kept)),
        "word": SPECIAL + [word for _, word in kept],
        "count": [0, rest] + [-negative for negative, _ in kept],
    }
    write_table(words, columns, WORDS, splits=splits, more_often_than=str(more_often_than))
    log.info("%d words kept of %d", len(kept), len(counts))


def build_vectors(words: Path, vectors: Path, size: int, glove: str | None, seed: int) -> None:
    """`vectors` holds a start vector for each word: GloVe's where it has one, else drawn at random."""
    vocabulary = Vocabulary.read(words)
    bound = 1 / np.sqrt(len(vocabulary))  # as earlier work draws the words that GloVe lacks
    table = np.random.default_rng(seed).uniform(-bound, bound, (len(vocabulary), size)).astype(np.float32)
    table[PAD] = 0
    if glove is not None:
        found = 0
        for word, vector in glove_vectors(Path(glove), size, vocabulary.index):
            table[vocabulary.index[word]] = vector
            found += 1
        log.info("%d of %d words have a GloVe vector", found, len(vocabulary) - len(SPECIAL))
    with replacing(vectors) as temporary, temporary.open("wb") as file:
        np.save(file, table)


def read_vectors(path: Path, vocabulary: Vocabulary) -> np.ndarray:
    try:
        table = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise BrokenFile(path, f"not a readable array ({error})") from error
    if table.ndim != 2 or len(table) != len(vocabulary):
        raise BrokenFile(path, f"expected a vector for each of {len(vocabulary)} words, found shape {table.shape}")
    return table


def glove_vectors(path: Path, size: int, wanted: dict[str, int]) -> Iterator[tuple[str, np.ndarray]]:
    """The wanted words of a GloVe text file with their vectors, in one pass. A word may contain spaces."""
    for number, line in enumerate(tqdm(text_lines(path), desc="GloVe", unit=" words", disable=None), start=1):
        word, *values = line.rstrip().rsplit(" ", size)
        if number == 1 and " " in word:  # of words with spaces, none is the most frequent
            raise BrokenFile(path, f"its vectors are longer than {size} numbers", "check `glove` and `vector_size`")
        if word not in wanted and len(values) == size:
            continue
        try:
            vector = np.array(values, dtype=np.float32).reshape(size)
        except ValueError as error:
            problem = f"line {number} is not a word and {size} numbers"
            raise BrokenFile(path, problem, "check `glove` and `vector_size`") from error
        yield word, vector


def text_lines(path: Path) -> Iterator[str]:
    """The lines of a text file, also when it is gzipped or the first member of a zip archive."""
    if not path.exists():
        raise UserError(f"{path}: there is no such GloVe file; put it there or set `glove: null`")
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf8") as file:
                yield from file
        elif path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as member:
                yield from io.TextIOWrapper(member, encoding="utf8")
        else:
            with path.open(encoding="utf8") as file:
                yield from file
    except (OSError, EOFError, UnicodeDecodeError, IndexError, zipfile.BadZipFile, zlib.error) as error:
        raise BrokenFile(path, f"not a readable text or archive ({error})", "get the file again") from error
