"""Two data files of the package `textblob`, whose code is not used.

Eric Brill's lexicon has 94,000 English words, each with its most frequent tag of the Penn Treebank. The other file has
29,000 words with their frequency in books, which distinguishes a misspelling from a rare word.
"""

import functools
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from parsers.errors import UserError

LEXICON = "textblob/en/en-lexicon.txt"
FREQUENCIES = "textblob/en/en-spelling.txt"


def entries(name: str) -> Iterator[tuple[str, str]]:
    """Yield the two columns of a data file."""
    try:
        # `importlib.resources` would import the package, and with it all of nltk.
        path = Path(str(metadata.distribution("textblob").locate_file(name)))
    except metadata.PackageNotFoundError as error:
        raise UserError("the lexical parser needs a lexicon: pip install textblob") from error
    for line in path.read_text(encoding="utf8").splitlines():
        columns = line.split(" ")
        if len(columns) == 2 and not line.startswith(";;;"):
            yield columns[0], columns[1]


@functools.cache
def lexicon() -> dict[str, str]:
    """Return the tags of all words that the lexicon has in lower case."""
    return {word: tag for word, tag in entries(LEXICON) if word == word.lower()}


@functools.cache
def frequencies() -> dict[str, int]:
    return {word: int(count) for word, count in entries(FREQUENCIES)}


def brill_tag(word: str) -> str:
    """Return the tag of a lower-case word, or an empty string."""
    return lexicon().get(word, "")
