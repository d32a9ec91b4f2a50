"""Letters that any picture may hold."""

import unicodedata


def printable(text: str) -> str:
    """The text without what no XML file may hold: control characters and halves of surrogate pairs."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(letter) in ("Cc", "Cs", "Cn") else letter for letter in text
    )
