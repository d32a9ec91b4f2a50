"""Reads GloVe's text format: a line is a word and its numbers, all parted by single spaces. Plain, .gz or .zip.

A word may itself contain spaces (some of 840B's do), so a line is read from its right end. A zip archive may hold
several sizes, as 6B's does; the file whose name says the size (`….100d.txt`) is read.
"""

import gzip
import lzma
import struct
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from tqdm import tqdm

from parsers.errors import BrokenFile, UserError

CHECK = "check `glove` and `vector_size`"
LINES_TO_JUDGE = 1000
"""If none of so many lines is a word without spaces and a vector, the vectors are longer than expected."""
CHUNK = 1 << 16
LONGEST_LINE = 1 << 20
"""In bytes; a line of 300 numbers has some thousand."""
DAMAGE = (
    *(EOFError, LookupError, OSError, OverflowError, RuntimeError, ValueError),
    *(lzma.LZMAError, struct.error, zipfile.BadZipFile, zlib.error),
)
"""What reading a damaged, encrypted or foreign archive can raise."""


def glove_vectors(path: Path, size: int, wanted: Collection[str]) -> Iterator[tuple[str, np.ndarray]]:
    """The wanted words that the file has, each once, with their vectors: in one pass, a line at a time."""
    # Most lines are of no interest: their first bytes tell, and only the others are taken apart.
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
    """The lines of the text, ended by line feeds alone: other marks that end a line occur in words."""
    if not path.exists():
        raise UserError(f"{path}: there is no such GloVe file; put it there or set `glove: null`")
    try:
        with opened(path, size) as file:
            begun = b""
            while chunk := file.read(CHUNK):  # zipfile would take a microsecond and more for each line
                *lines, begun = (begun + chunk).split(b"\n")
                yield from lines
                if len(begun) > LONGEST_LINE:
                    raise BrokenFile(path, f"it has a line of more than {LONGEST_LINE:,} bytes", "get the file again")
            if begun:
                yield begun
    except DAMAGE as error:
        raise BrokenFile(path, f"not a readable text or archive ({error})", "get the file again") from error


@contextmanager
def opened(path: Path, size: int) -> Iterator[IO[bytes]]:
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo(member(path, archive.namelist(), size))
            with archive.open(entry) as text:
                yield text
    else:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as text:
            yield text  # type: ignore[misc]


def member(path: Path, names: list[str], size: int) -> str:
    """The archive's only text or, of several, the one whose name says its size."""
    texts = [name for name in names if name.endswith(".txt")]
    fitting = texts if len(texts) == 1 else [name for name in texts if f".{size}d." in name]
    if len(fitting) != 1:
        problem = f"expected one text of {size}-d vectors, found {', '.join(names) or 'nothing'}"
        raise BrokenFile(path, problem, "unpack it and name the text in `glove`")
    return fitting[0]
