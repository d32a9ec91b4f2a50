"""Strangers' text as people are shown it: it steers no terminal, and has an end."""

import reprlib
from unicodedata import category

LONGEST_MESSAGE = 2000
JOINERS = "\u200c\u200d"
"""Without them, Persian, Hindi and pictures of families fall apart."""


def printable(text: str) -> str:
    """A text as a terminal can show it: signs that it would act on, or that are none, are written as escapes."""
    return "".join(sign if is_harmless(sign) else ascii(sign)[1:-1] for sign in text)


def is_harmless(sign: str) -> bool:
    return sign.isprintable() or sign in JOINERS or category(sign) == "Zs"


def one_line(message: str) -> str:
    """A message as a terminal can show it, without line breaks and with an end to it."""
    line = printable(" ".join(message.split()))
    if len(line) <= LONGEST_MESSAGE:
        return line
    return f"{line[: LONGEST_MESSAGE // 2]} … {line[-LONGEST_MESSAGE // 2 :]}"


def shortened(value: object) -> str:
    """A value in a message, however much it is."""
    try:
        return reprlib.repr(value)
    except ValueError:  # Python writes no number of thousands of digits
        return f"a {type(value).__name__} that is too long to write"
