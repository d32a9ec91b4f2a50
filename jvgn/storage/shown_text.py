"""Text for people: no control characters, limited length, tables in aligned columns."""

from collections.abc import Sequence
from unicodedata import category

LONGEST_MESSAGE = 2000
JOINERS = "\u200c\u200d"
"""Persian, Hindi and some emoji need them."""


def printable(text: str) -> str:
    """Escape characters that would control a terminal."""
    return "".join(sign if is_harmless(sign) else ascii(sign)[1:-1] for sign in text)


def is_harmless(sign: str) -> bool:
    return sign.isprintable() or sign in JOINERS or category(sign) == "Zs"


def one_line(message: str) -> str:
    """Return a message without line breaks, cut in the middle if it is very long."""
    line = printable(" ".join(message.split()))
    if len(line) <= LONGEST_MESSAGE:
        return line
    return f"{line[: LONGEST_MESSAGE // 2]} … {line[-LONGEST_MESSAGE // 2 :]}"


def aligned(rows: Sequence[Sequence[str]], words: int = 0) -> list[str]:
    """Return the header, a rule and the other rows; the first `words` columns are aligned left, the others right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if place < words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return [lines[0], "  ".join("-" * width for width in widths), *lines[1:]]
