"""Reads pickles from strangers: plain containers, numbers and strings, and nothing that could run code."""

import io
import pickle
from pathlib import Path
from typing import Any

from parsers.files import BrokenFile, UserError

# What a damaged or hostile stream can raise in the unpickler, beside its own error.
DAMAGE = (EOFError, ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError)


class PlainUnpickler(pickle.Unpickler):
    """Refuses every name a pickle asks for: plain data needs none."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, and only plain data is admitted")

    def persistent_load(self, identifier: Any) -> Any:
        raise pickle.UnpicklingError("it refers to objects outside itself, and only plain data is admitted")


def load_plain_pickle(path: Path | str) -> Any:
    """The lists, dicts, numbers and strings of a pickle, Python 2's included; anything else is refused unread."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); put the file there") from error
    try:
        return PlainUnpickler(io.BytesIO(content), encoding="utf8").load()
    except (pickle.UnpicklingError, *DAMAGE) as error:
        reason = str(error) or type(error).__name__
        raise BrokenFile(
            path, f"refused as a pickle: {reason}", "get the file again from a source you trust"
        ) from error
