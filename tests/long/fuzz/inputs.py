"""The inputs of a reader, by number: the same number is the same input, today and in another process."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

import pyarrow as pa

from tests.long.fuzz.damage import damaged
from tests.long.fuzz.reader import Reader

STRUCTURED = 0.7
"""The share of inputs that keep to the structure of their format."""
UNWRITABLE = (OSError, RuntimeError, LookupError, ValueError, TypeError, OverflowError, pa.ArrowException)
"""What a library raises that does not write something so odd; the input is then damaged without regard to structure."""


@dataclass(frozen=True)
class Input:
    content: bytes
    path: Path
    """The valid file whose place it takes."""
    is_structured: bool


class Inputs:
    """A reader's valid files, under a folder, and what is made of them."""

    def __init__(self, reader: Reader, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.reader, self.folder = reader, folder
        self.seeds = {path: path.read_bytes() for path in reader.make(folder)}

    def input(self, seed: int, number: int) -> Input:
        random = Random(f"{seed} {self.reader.name} {number}")
        path = random.choice(list(self.seeds))
        is_structured = random.random() < STRUCTURED
        if is_structured:
            try:
                return Input(self.reader.format.change(self.seeds[path], random), path, True)
            except UNWRITABLE:
                pass
        return Input(damaged(self.seeds[path], random), path, False)

    def restore(self, path: Path) -> None:
        path.write_bytes(self.seeds[path])
