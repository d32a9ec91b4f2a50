"""Reads weights from strangers: tensors and plain values, and nothing that could run code or is larger than its file.

torch reads its own files with `weights_only`, by a machine that knows few instructions; what it makes of a damaged one
is any of Python's errors.
"""

import io
import pickle
import struct
import sys
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import torch
from safetensors import SafetensorError
from torch import nn

from jvgn.storage.pickles import CONTAINERS, PLAIN, TOO_MUCH, PlainUnpickler, admitting, values_of

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
DICTIONARIES = {"collections.OrderedDict", "collections.Counter"}
TENSORS = {f"torch._utils._rebuild_{made}" for made in ("tensor", "tensor_v2", "tensor_v3", "parameter")}
"""What weights, and the states of those who train them, have made of their parts.

Of what else torch would call, some would take all memory or never end, told so by a few bytes.
"""


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
    return dict(found)  # without what a state dict of torch's says of itself, which may be anything


def rehearse(path: Path) -> None:
    """One of `DAMAGE`, of a file that torch should not be given."""
    length = path.stat().st_size
    with path.open("rb") as file:
        is_archive = file.read(len(ARCHIVE)) == ARCHIVE
        # torch looks at the beginning, and whoever lists an archive's entries at the end.
        if is_archive != zipfile.is_zipfile(file):
            raise ValueError("it begins as one kind of file and ends as another")
        file.seek(0)
        if is_archive:
            Rehearsal(io.BytesIO(archived_pickle(path)), length).load()
        else:
            *_, keys = [Rehearsal(file, length).load() for _ in range(PICKLES)]
            if not all(type(key) is str for key in keys):
                raise ValueError("it has data whose names are no text")


def archived_pickle(path: Path) -> bytes:
    """As torch itself finds it, in whose archives a name may be in capitals."""
    with zipfile.ZipFile(path) as archive:
        # torch does not compress: what is compressed may be of any size.
        if sum(entry.file_size for entry in archive.infolist()) > path.stat().st_size:
            raise ValueError("it says that it holds more bytes than it has")
    return torch._C.PyTorchFileReader(str(path)).get_record("data.pkl")


class Part(dict):
    """Stands for whatever a pickle asks for: that of this name, or what it made."""

    def __init__(self, name: str, is_made: bool = False) -> None:
        super().__init__()
        self.name = name
        self.is_made = is_made


class Nested(tuple):
    depth = 1


SCALARS = {str, int, bool, type(None)}


class Rehearsal(PlainUnpickler):
    """Goes through a pickle's instructions without making anything.

    torch's machine does not mind what is a key, or what is called with what: tuples in tuples would end the process.
    """

    def __init__(self, file: BinaryIO, length: int) -> None:
        super().__init__(file)
        self.budget = length

    def spend(self, parts: int) -> None:
        """What is told once can be made again and again; honest files tell each part that something is made of."""
        self.budget -= parts
        if self.budget < 0:
            raise pickle.UnpicklingError(TOO_MUCH)

    def find_class(self, module: str, name: str) -> Any:
        return Part(f"{module}.{name}")

    def check_keys(self, keys: Iterable[Any]) -> None:
        # Larger numbers can all have one hash: thousands of them, as keys, take Python minutes.
        if not all(type(key) is str or (type(key) is int and abs(key) < sys.hash_info.modulus) for key in keys):
            raise pickle.UnpicklingError("it has a key that is neither text nor a number of usual size")

    def check_flat(self, values: tuple[Any, ...]) -> None:
        """Nothing in which torch would go down for ever, to find it among others or to write it into a message."""
        inner = [part for value in values for part in values_of(value)]
        if not all(type(part) in SCALARS for part in inner) or not all(
            type(value) in SCALARS or isinstance(value, CONTAINERS) for value in values
        ):
            self.refuse()
        self.spend(len(values) + len(inner))

    def check_items(self, items: Any = ()) -> None:
        """What a dictionary is made of, which Python 2 did of pairs."""
        if type(items) is list and all(type(pair) is list and len(pair) == 2 for pair in items):
            self.check_keys(key for key, _ in items)
        elif items != () and type(items) is not dict:
            self.refuse()
        self.spend(len(items))

    def load_reduce(self) -> None:
        values = self.stack.pop()
        function = self.stack.pop()
        if type(function) is not Part or function.is_made or not isinstance(values, tuple):
            self.refuse()
        if function.name in DICTIONARIES:
            self.check_items(*values)
        elif function.name in TENSORS:
            self.check_flat(values)
        else:
            raise pickle.UnpicklingError(f"it calls {function.name}, and only tensors are made")
        self.stack.append(Part(function.name, is_made=True))

    def load_build(self) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        if type(target) is not Part or target.name not in DICTIONARIES or type(state) is not dict:
            self.refuse()
        self.spend(len(state))

    def load_binpersid(self) -> None:
        if not isinstance(self.stack[-1], tuple):
            self.refuse()
        self.check_flat(self.stack[-1])
        self.stack[-1] = Part("storage", is_made=True)

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


Rehearsal.dispatch = admitting(Rehearsal, {*PLAIN, "REDUCE", "BUILD", "BINPERSID"})


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
