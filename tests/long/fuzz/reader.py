"""What is fuzzed: a reader, the valid files from which its inputs are made, and the format that says how."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

Mutation = Callable[[bytes, Random], bytes]


@dataclass(frozen=True)
class Format:
    """How to change files of a kind so that they are still of that kind."""

    change: Mutation
    """Within its structure: values, counts, names and places, with lengths and checksums that fit."""
    has_header: Callable[[bytes], bool]
    """Whether a reader would get beyond "this is no such file"."""


@dataclass(frozen=True)
class Reader:
    name: str
    format: Format
    make: Callable[[Path], list[Path]]
    """Lays out valid files in an empty folder; returns those that are changed, one for each input."""
    read: Callable[[Path], Any]
    """Reads the changed file, as a command would, with all that rests on it."""
    writes: str = "."
    """The folder, beside the file, in which alone it may write."""
    share: int = 1
    """How many inputs it gets for each of another reader's."""
