"""Reads pickles from strangers: plain containers, numbers, strings and arrays, and nothing that could run code.

A pickle is a program for a small machine. Python's own machine, written in C, trusts it: seven bytes can have it ask
for all memory, and tuples in tuples, as a key, end the process. So the machine that is written in Python reads, and
only the instructions that plain data need.
"""

import io
import pickle
import pickletools
import struct
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from jvgn.storage.unfolding import unfolded_size
from parsers.errors import BrokenFile, UserError

# What a damaged or hostile stream can raise in the unpickler, beside its own error.
DAMAGE = (
    *(ArithmeticError, AttributeError, EOFError, LookupError, MemoryError, RecursionError, TypeError, ValueError),
    struct.error,
)
RATIO, AT_LEAST = 20, 1 << 20
"""How many times as large as the file its data may be, from a megabyte on: words that recur make it about five."""
CONTAINERS = (dict, list, tuple)
ONLY = "and only plain data is admitted"
TOO_MUCH = "written out, its data would be far larger than honest ones"

PLAIN = {
    *("PROTO", "FRAME", "STOP", "MARK", "POP", "POP_MARK", "DUP"),
    *("GET", "BINGET", "LONG_BINGET", "PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"),
    *("NONE", "NEWTRUE", "NEWFALSE", "INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4"),
    *("FLOAT", "BINFLOAT", "STRING", "BINSTRING", "SHORT_BINSTRING", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
    *("UNICODE", "BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
    *("LIST", "EMPTY_LIST", "APPEND", "APPENDS", "TUPLE", "EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"),
    *("DICT", "EMPTY_DICT", "SETITEM", "SETITEMS"),
    *("GLOBAL", "STACK_GLOBAL"),  # to say what it asks for
}
"""The instructions that plain data need."""


class PlainUnpickler(pickle._Unpickler):
    """Refuses every name a pickle asks for, and every instruction that plain data do not need."""

    stack: list[Any]

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, {ONLY}")

    def refuse(self) -> None:
        raise pickle.UnpicklingError(f"it has instructions that make other things, {ONLY}")

    def check_keys(self, keys: Iterable[Any]) -> None:
        """With other keys than text, a dictionary can take Python for ever to make, or end it."""
        if not all(type(key) is str for key in keys):
            raise pickle.UnpicklingError(f"it has a key that is no text, {ONLY}")

    def load_dict(self) -> None:
        self.check_keys(self.stack[::2])
        super().load_dict()  # type: ignore[misc]

    def load_setitem(self) -> None:
        self.check_keys(self.stack[-2:-1])
        super().load_setitem()  # type: ignore[misc]

    def load_setitems(self) -> None:
        self.check_keys(self.stack[::2])
        super().load_setitems()  # type: ignore[misc]


def admitting(unpickler: type[PlainUnpickler], instructions: set[str]) -> dict[int, Callable[[Any], None]]:
    """What the unpickler does at each byte that can begin an instruction."""
    names = {ord(opcode.code): opcode.name for opcode in pickletools.opcodes}
    return {
        code: getattr(unpickler, pickle._Unpickler.dispatch[code].__name__)
        if names.get(code) in instructions
        else unpickler.refuse
        for code in range(256)
    }


PlainUnpickler.dispatch = admitting(PlainUnpickler, PLAIN)


def load_plain_pickle(path: Path | str) -> Any:
    """The lists, dicts, numbers and strings of a pickle, Python 2's included; anything else is refused unread."""
    return load_with(PlainUnpickler, path, "utf8")


def load_with(unpickler: type[PlainUnpickler], path: Path | str, encoding: str) -> Any:
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); put the file there") from error
    try:
        found = unpickler(io.BytesIO(content), encoding=encoding).load()
        if unfolded_size(found, parts_of, Sizes().of) > most_bytes(len(content)):
            raise pickle.UnpicklingError(TOO_MUCH)
    except (pickle.UnpicklingError, *DAMAGE) as error:
        reason = str(error) or type(error).__name__
        raise BrokenFile(
            path, f"refused as a pickle: {reason}", "get the file again from a source you trust"
        ) from error
    return found


def most_bytes(length: int) -> int:
    """Of the data in a file of this length."""
    return max(AT_LEAST, RATIO * length)


def parts_of(value: Any) -> list[Any]:
    """The containers in a container."""
    return [part for part in values_of(value) if isinstance(part, CONTAINERS)]


class Sizes:
    """Those of values that are kept meanwhile: a text that is named a million times is measured once."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}

    def of(self, value: Any) -> int:
        """Of a container and what it holds, its containers aside; of anything else, about its bytes."""
        return sum(map(self.of_one, values_of(value)), 1) if isinstance(value, CONTAINERS) else self.of_one(value)

    def of_one(self, value: Any) -> int:
        if not isinstance(value, str) or value.isascii():  # of which the size is known, and most are
            return bytes_of(value)
        if id(value) not in self.known:
            self.known[id(value)] = bytes_of(value)
        return self.known[id(value)]


def values_of(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return chain(value, value.values())
    return value if isinstance(value, CONTAINERS) else ()


def bytes_of(value: Any) -> int:
    """About; a text that is none, with one half of what UTF-16 has as two, is a ValueError."""
    if isinstance(value, (str, bytes)):
        return len(value) if isinstance(value, bytes) or value.isascii() else len(value.encode())
    return value.bit_length() // 8 if isinstance(value, int) else getattr(value, "nbytes", 1)
