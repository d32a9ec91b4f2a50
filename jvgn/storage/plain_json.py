"""JSON as our own files and strangers' have it: what it may not hold is one kind of error."""

import json
import re
from collections.abc import Iterable
from typing import Any

MOST_COUNTED = 2**53
"""Beyond, a float does not tell a number from the next."""
HALF_A_CHARACTER = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
"""One half of what UTF-16 has as two, which JSON may have alone and UTF-8 does not."""


def parsed_json(text: str | bytes) -> Any:
    """The value of a text in JSON; whatever keeps it from being one is a ValueError."""
    text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    try:
        value = json.loads(text)
        if HALF_A_CHARACTER.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf8")
    except RecursionError as error:
        raise ValueError("brackets are nested too deeply") from error
    return value


def check_counts(values: Any, names: Iterable[str]) -> None:
    """The values of these names are there and can be counted with; a LookupError, TypeError or ValueError otherwise."""
    for name in names:
        if type(values[name]) not in (int, float):
            raise TypeError(f"{name} is no number")
        if not 0 <= values[name] < MOST_COUNTED:
            raise ValueError(f"{name} is out of its range")
