"""Eric Brill's lexicon: 94,000 English words, each with its most frequent tag of the Penn Treebank.

It is a data file of the package `textblob`, of which no code is used.
"""

import functools
from importlib import metadata
from pathlib import Path

from parsers.files import UserError

LEXICON = "textblob/en/en-lexicon.txt"


@functools.cache
def lexicon() -> dict[str, str]:
    """Word -> tag, for the words that the lexicon has in lower case."""
    try:
        # `importlib.resources` would import the package, and with it all of nltk.
        path = Path(str(metadata.distribution("textblob").locate_file(LEXICON)))
    except metadata.PackageNotFoundError as error:
        raise UserError("the lexical parser needs a lexicon: pip install textblob") from error
    entries = (line.split(" ") for line in path.read_text(encoding="utf8").splitlines() if not line.startswith(";;;"))
    return {entry[0]: entry[1] for entry in entries if len(entry) == 2 and entry[0] == entry[0].lower()}


def brill_tag(word: str) -> str:
    """The tag of a lower-case word, or nothing."""
    return lexicon().get(word, "")
