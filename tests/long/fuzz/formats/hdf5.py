"""HDF5: datasets and attributes written anew with odd values, kinds, shapes and links, or damaged behind the start."""

import io
from random import Random

import h5py
import numpy as np

from tests.long.fuzz.damage import damaged_behind
from tests.long.fuzz.reader import Format

SUPERBLOCK = 96
INTEGERS = [0, 1, -1, 2, 5, 99, 2**31, 2**62, -(2**62)]
FLOATS = [0.0, -1.0, np.nan, np.inf, 1e30]
KINDS = [
    "f2",
    "f4",
    "f8",
    ">f4",
    "i1",
    "i4",
    "i8",
    "u8",
    "S4",
    "?",
    "c8",
    h5py.string_dtype(),
    h5py.ref_dtype,
    h5py.vlen_dtype("f4"),
]
SHAPES = [(), (0,), (1,), (3,), (3, 4), (0, 4), (2, 2, 2), (10_000_000,), (100, 100)]
ATTRIBUTES = [
    *(
        "1",
        "2",
        "",
        "gt",
        "det",
        1,
        -1,
        2.5,
        np.nan,
        True,
        np.array([1, 2]),
        np.array(["a", "b"], "S"),
        b"\xff\xfe",
        h5py.Empty("f4"),
    ),
    *(np.zeros((2, 2)), "x" * 5000, np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f4")])),
]


def change_hdf5(content: bytes, random: Random) -> bytes:
    if random.random() < 0.2:
        return damaged_behind(content, random, SUPERBLOCK)
    file = io.BytesIO(content)
    with h5py.File(file, "r+") as opened:
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            names: list[str] = []
            opened.visit(names.append)
            if not names or random.random() < 0.15:
                change_attribute(opened, random)
            else:
                random.choice(CHANGES)(opened, random.choice(names), random)
    return file.getvalue()


def change_attribute(file: h5py.File, random: Random) -> None:
    name = random.choice([*file.attrs, "format", "setting", "more"])
    if random.random() < 0.2:
        file.attrs.pop(name, None)
    else:
        file.attrs[name] = random.choice(ATTRIBUTES)


def change_values(file: h5py.File, name: str, random: Random) -> None:
    found = file[name]
    if not isinstance(found, h5py.Dataset) or not found.size or found.dtype.kind not in "iuf" or found.is_virtual:
        return
    values = found[...]
    odd = random.choice(FLOATS if found.dtype.kind == "f" else INTEGERS)
    for _ in range(random.choice((1, 1, 4))):
        with np.errstate(all="ignore"):
            values[tuple(random.randrange(length) for length in values.shape)] = np.array(odd).astype(found.dtype)
    found[...] = values


def change_kind(file: h5py.File, name: str, random: Random) -> None:
    shape = random.choice([*SHAPES, getattr(file[name], "shape", ())])
    kind = random.choice(KINDS)
    del file[name]
    file.create_dataset(name, shape, kind, chunks=True if shape and 0 not in shape else None)


def change_shape(file: h5py.File, name: str, random: Random) -> None:
    """So large that nothing is stored of it, or a row more or less."""
    found = file[name]
    if not isinstance(found, h5py.Dataset) or not found.shape:
        return
    rows = random.choice((0, 1, found.shape[0] + 1, max(0, found.shape[0] - 1), 2**33, 2**50))
    if found.maxshape[0] is None:
        found.resize(rows, axis=0)
    else:
        shape, kind = (rows, *found.shape[1:]), found.dtype
        del file[name]
        file.create_dataset(
            name, shape, kind, chunks=tuple(max(1, min(side, 64)) for side in shape), maxshape=(None, *shape[1:])
        )


def lose(file: h5py.File, name: str, random: Random) -> None:
    del file[name]


def link(file: h5py.File, name: str, random: Random) -> None:
    del file[name]
    kind = random.choice(("soft", "itself", "elsewhere", "raw", "virtual", "group"))
    if kind == "soft":
        file[name] = h5py.SoftLink("/box")
    elif kind == "itself":
        file[name] = h5py.SoftLink(f"/{name}")
    elif kind == "elsewhere":
        file[name] = h5py.ExternalLink("/etc/passwd", "/x")
    elif kind == "raw":
        file.create_dataset(name, (4, 4), "f4", external=[("/etc/passwd", 0, 64)])
    elif kind == "virtual":
        layout = h5py.VirtualLayout((4, 4), "f4")
        layout[:] = h5py.VirtualSource("/etc/hostname", "x", (4, 4))
        file.create_virtual_dataset(name, layout)
    else:
        file.create_group(name)


MOST_COMPRESSED = 1 << 20
"""Values: another change may have made a dataset of any size."""


def compress(file: h5py.File, name: str, random: Random) -> None:
    found = file[name]
    is_small = isinstance(found, h5py.Dataset) and found.shape and 0 < found.size < MOST_COMPRESSED
    if is_small and found.dtype.kind in "iuf":
        values = found[...]
        del file[name]
        file.create_dataset(
            name, data=values, compression=random.choice(("gzip", "lzf")), shuffle=True, fletcher32=True
        )


CHANGES = (change_values, change_values, change_values, change_kind, change_shape, lose, link, compress)


def opens(content: bytes) -> bool:
    try:
        h5py.File(io.BytesIO(content), "r").close()
    except OSError:
        return False
    return True


HDF5 = Format(change_hdf5, opens)
