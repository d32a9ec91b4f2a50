"""Tokens of text typed by people. Datasets bring their own tokens, which are never split again."""

import re

WORD = re.compile(
    r"""
    [^\W_]+(?:[-.][^\W_]+)*(?=['’]s\b)      # man|'s
    | ['’]s\b
    | [^\W_]+(?:[-'’.][^\W_]+)*             # t-shirt, isn't, 2.5
    | [^\w\s] | _                           # a mark of punctuation
    """,
    re.VERBOSE,
)


def tokenise(text: str) -> tuple[str, ...]:
    """The words and marks of `text` in order; a text without any is one empty token."""
    return tuple(WORD.findall(text)) or ("",)
