"""Reader of a parser's settings file: the key `backend`, and its options as the other keys."""

import reprlib
from pathlib import Path

from jvgn.storage.text_formats import load_yaml
from parsers.errors import BrokenFile
from parsers.parser import Option, Parser


def read_parser(path: Path | str) -> Parser:
    """Return the parser of a settings file; an option that is null is not set."""
    values = load_yaml(path)
    if not isinstance(values, dict) or not isinstance(values.get("backend"), str):
        raise BrokenFile(path, "expected the key backend", "write it as: backend: lexical")
    named = {key if isinstance(key, str) else reprlib.repr(key): value for key, value in values.items()}
    options = {key: value for key, value in named.items() if key != "backend" and value is not None}
    for key, value in options.items():
        if not isinstance(value, Option):
            raise BrokenFile(
                path, f"{key}: expected a text, true or false, found {reprlib.repr(value)}", "check the file"
            )
    return Parser(values["backend"], options)
