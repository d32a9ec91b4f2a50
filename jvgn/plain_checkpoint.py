"""Reads weights from strangers: tensors and plain values, and nothing that could run code or is larger than its file.

torch reads its own files with `weights_only`, by a machine that knows few instructions; what it makes of a damaged one
is any of Python's errors.
"""

import io
import pickle
import struct
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from torch import nn

from parsers.plain_pickle import PLAIN, PlainUnpickler, admitting

DAMAGE = (
    *(ArithmeticError, AssertionError, AttributeError, EOFError, LookupError, MemoryError, OSError, RuntimeError),
    *(TypeError, ValueError, pickle.UnpicklingError, struct.error, zipfile.BadZipFile, SafetensorError),
)
"""What reading damaged weights can raise."""
ARCHIVE = b"PK\x03\x04"
"""With which torch's archives begin."""
PICKLES = 5
"""With which a file begins that is not an archive: two numbers, a description, the content, and what follows."""
DEEPEST = 100
"""Tuples in tuples."""


def load_checkpoint(path: Path | str) -> Any:
    """What torch's file holds, on the CPU; whatever keeps it from being read is a ValueError."""
    try:
        rehearse(Path(path))
        return torch.load(path, map_location="cpu", weights_only=True)
    except DAMAGE as error:
        raise ValueError((str(error) or type(error).__name__).splitlines()[0]) from error


def load_tensors(path: Path | str) -> dict[str, torch.Tensor]:
    """As `load_checkpoint`, of a file that holds tensors by their names; a TypeError, if it holds anything else."""
    found = load_checkpoint(path)
    if not isinstance(found, dict) or not all(
        isinstance(name, str) and isinstance(value, torch.Tensor) for name, value in found.items()
    ):
        raise TypeError("it does not hold tensors by their names")
    return found


def rehearse(path: Path) -> None:
    """One of `DAMAGE`, of a file that torch should not be given."""
    with path.open("rb") as file:
        is_archive = file.read(len(ARCHIVE)) == ARCHIVE
        # torch looks at the beginning, and whoever lists an archive's entries at the end.
        if is_archive != zipfile.is_zipfile(file):
            raise ValueError("it begins as one kind of file and ends as another")
        file.seek(0)
        for _ in range(0 if is_archive else PICKLES):
            Rehearsal(file).load()
    if is_archive:
        rehearse_archive(path)


def rehearse_archive(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        # torch does not compress: what is compressed may be of any size.
        if sum(entry.file_size for entry in archive.infolist()) > path.stat().st_size:
            raise ValueError("it says that it holds more bytes than it has")
        for entry in archive.infolist():
            if entry.filename.endswith(".pkl"):
                Rehearsal(io.BytesIO(archive.read(entry))).load()


class Part(dict):
    """Stands for whatever a pickle asks for."""


class Nested(tuple):
    depth = 1


class Rehearsal(PlainUnpickler):
    """Goes through a pickle's instructions without making anything.

    torch's machine does not mind what is a key: tuples in tuples would end the process.
    """

    def find_class(self, module: str, name: str) -> Any:
        return Part()

    def check_keys(self, keys: Iterable[Any]) -> None:
        if not all(type(key) in (str, int) for key in keys):
            raise pickle.UnpicklingError("it has a key that is neither text nor a number")

    def load_reduce(self) -> None:
        self.stack[-2:] = [Part()]

    def load_newobj(self) -> None:
        self.stack[-2:] = [Part()]

    def load_build(self) -> None:
        self.stack[-2:] = self.stack[-2:-1]

    def load_binpersid(self) -> None:
        self.stack[-1] = Part()

    def load_tuple(self) -> None:
        super().load_tuple()  # type: ignore[misc]
        self.nest()

    def load_tuple1(self) -> None:
        super().load_tuple1()  # type: ignore[misc]
        self.nest()

    def load_tuple2(self) -> None:
        super().load_tuple2()  # type: ignore[misc]
        self.nest()

    def load_tuple3(self) -> None:
        super().load_tuple3()  # type: ignore[misc]
        self.nest()

    def nest(self) -> None:
        """The tuple just made knows how deep it is."""
        made = Nested(self.stack[-1])
        made.depth = 1 + max((part.depth for part in made if isinstance(part, Nested)), default=0)
        if made.depth > DEEPEST:
            raise pickle.UnpicklingError("it has tuples in tuples without end")
        self.stack[-1] = made


Rehearsal.dispatch = admitting(Rehearsal, {*PLAIN, "REDUCE", "BUILD", "NEWOBJ", "BINPERSID"})


def fits(weights: Mapping[str, torch.Tensor], build: Callable[[], nn.Module]) -> bool:
    """Whether what is built has weights of these names, shapes and kinds; it is built without taking memory."""
    try:
        with torch.device("meta"):
            expected = build().state_dict()
    except DAMAGE:
        return False
    return {name: (value.shape, value.dtype) for name, value in expected.items()} == {
        name: (value.shape, value.dtype) for name, value in weights.items()
    }
