"""Reads pickles from strangers: plain containers, numbers, strings and arrays, and nothing that could run code."""

import codecs
import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from parsers.files import BrokenFile, UserError

# What a damaged or hostile stream can raise in the unpickler, beside its own error.
DAMAGE = (EOFError, ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError)


class PlainUnpickler(pickle.Unpickler):
    """Refuses every name a pickle asks for: plain data needs none."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, and only plain data is admitted")

    def persistent_load(self, identifier: Any) -> Any:
        raise pickle.UnpicklingError("it refers to objects outside itself, and only plain data is admitted")


class ArrayUnpickler(PlainUnpickler):
    """Admits numpy's arrays too, and still no code."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("_codecs", "encode"):
            return codecs.encode
        if module.startswith("numpy") and name in ARRAYS:
            return ARRAYS[name]
        return super().find_class(module, name)


# What numpy's arrays ask for, whatever numpy's version called its modules.
ARRAYS = {
    "ndarray": np.ndarray,
    "dtype": np.dtype,
    "_reconstruct": np.empty(0).__reduce__()[0],
    "scalar": np.float64(0).__reduce__()[0],
}


def load_plain_pickle(path: Path | str) -> Any:
    """The lists, dicts, numbers and strings of a pickle, Python 2's included; anything else is refused unread."""
    return load_with(PlainUnpickler, path, "utf8")


def load_array_pickle(path: Path | str) -> Any:
    """The same, where there may also be numpy's arrays: weights."""
    return load_with(ArrayUnpickler, path, "latin1")


def load_with(unpickler: type[PlainUnpickler], path: Path | str, encoding: str) -> Any:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); put the file there") from error
    try:
        return unpickler(io.BytesIO(content), encoding=encoding).load()
    except (pickle.UnpicklingError, *DAMAGE) as error:
        reason = str(error) or type(error).__name__
        raise BrokenFile(
            path, f"refused as a pickle: {reason}", "get the file again from a source you trust"
        ) from error
