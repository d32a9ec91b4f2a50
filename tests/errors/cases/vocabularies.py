"""Words and word vectors: nothing to count, files that do not fit each other, and GloVe's."""

import gzip
import io
import zipfile

from tests.errors.case import Case
from tests.errors.catalogue import BROKEN_FILE_CURE as AGAIN
from tests.errors.mistakes import NOISE, Arrange, after, chosen, rows, written
from tests.errors.project import BUILD_VOCABULARY, EXPRESSIONS, TRAIN, VECTORS, VOCABULARY_SETTINGS, WORDS

CHECK = "check `glove` and `vector_size`"
BROKEN = "…: not a readable text or archive (…); get the file again"
NO_ARRAY = f"…: not a readable array (…); {AGAIN}"


def glove(content: bytes, name: str = "glove.txt") -> Arrange:
    """Takes vectors of four numbers from a file."""
    return after(BUILD_VOCABULARY, written(name, content), chosen(VOCABULARY_SETTINGS, glove=name))


def zipped(*names: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name in names:
            archive.writestr(name, "the 1 2 3 4\n")
    return content.getvalue()


WORDS_AND_VECTORS = [
    Case(
        "…: no words to count (splits: …); check the dataset's splits",
        after(BUILD_VOCABULARY, rows(EXPRESSIONS, lambda table: table.assign(split="val"))),
    ),
    Case(f"…: expected the first words to be …; {AGAIN}", after(TRAIN, rows(WORDS, lambda table: table[1:]))),
    Case(
        f"…: expected a vector for each of … words, found shape …; {AGAIN}",
        after(TRAIN, rows(WORDS, lambda table: table[:-1])),
    ),
    Case(NO_ARRAY, after(TRAIN, written(VECTORS, NOISE))),
    Case(NO_ARRAY, after(TRAIN, written(VECTORS, b""))),
]
GLOVE = [
    Case(
        "…: there is no such GloVe file; put it there or set `glove: null`",
        after(BUILD_VOCABULARY, chosen(VOCABULARY_SETTINGS, glove="none.txt")),
    ),
    Case("…: it is empty; get the file again", glove(b"")),
    Case(f"…: line … is not a word and … numbers (it has …); {CHECK}", glove(b"the 1 2 3\n")),
    Case(f"…: its vectors have … numbers, not …; {CHECK}", glove(b"a 1 2 3 4 5\n")),
    Case("… is not a word and … numbers (…); get the file again", glove(b"the 1 2 three 4\n")),
    Case("… has a number that is not finite; get the file again", glove(b"the 1 2 nan 4\n")),
    Case(BROKEN, glove(NOISE, "glove.zip")),
    Case(BROKEN, glove(NOISE, "glove.gz")),
    Case(BROKEN, glove(gzip.compress(b"the 1 2 3 4\n" * 99)[:-9], "glove.gz")),
    Case(
        "…: expected one text of …-d vectors, found …; unpack it and name the text in `glove`",
        glove(zipped("glove.50d.txt", "glove.100d.txt"), "glove.zip"),
    ),
]
CASES = WORDS_AND_VECTORS + GLOVE
