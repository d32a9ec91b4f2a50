"""GloVe's word vectors, and the table of start vectors made from them.

A line of a GloVe text is a word and its numbers, separated by single spaces; the file is plain, .gz or .zip. A word may
itself contain spaces (some of 840B's do), so a line is read from its right end. A zip archive may hold several sizes,
as 6B's does; the file whose name has the size (`….100d.txt`) is read.

`vectors.npy`: float32 (words, size), a row for each index of the vocabulary; `<pad>` is zero.
"""

import gzip
import io
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from jvgn.storage.files import reading, replacing
from jvgn.vocabulary.words import PAD, SPECIAL, Vocabulary
from parsers.errors import BrokenFile, UserError

CHECK = "check `glove` and `vector_size`"
LINES_TO_JUDGE = 1000
"""If none of the first so many lines is one word and a vector, the vectors are longer than expected."""
CHUNK = 1 << 16


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
