"""Damage to files: of any bytes, and within the structure of each format, so that readers get past the header."""

import copy
import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
import yaml
from safetensors.torch import load, save

NUMBERS: list[Any] = [0, -1, 1, 3, 255, 2**15, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63]
NUMBERS += [0.5, -0.0, 1e-320, 1e30, 1e308, -1e308, float("nan"), float("inf"), float("-inf")]
TEXTS = ["", " ", "a", "the", "1", "-1", "1e999", "nan", "null", "true", "0x10", "٣", "\x00", "\x1b[31m", "\t", "\n"]
TEXTS += ["\u2028", "\u202e", "\ufeff", "e\u0301", "\ud800", "../../escape", "/etc/passwd", "a/b", ".", "..", "--help"]
TEXTS += ["%s%n", "<script>", "'\"`", "a" * 3000, "word " * 300, "9" * 5000, "(" * 2000]
VALUES: list[Any] = [None, True, False, [], {}, [[]], [None], {"": None}, [[[[[[[[1]]]]]]]], [0] * 500]
CANARY = "canary"
"""Folder that code in a file would make, in the current folder."""
Damage = Callable[[bytes, Random], bytes]


class RunsCode:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (CANARY,)


def damaged(name: str, content: bytes, random: Random) -> bytes:
    """Return a changed copy of a file's content."""
    damage = BY_SUFFIX.get(Path(name).suffix)
    if damage is None or random.random() < 0.4:
        return damaged_bytes(content, random)
    changed = damage(content, random)
    return damaged_bytes(changed, random) if random.random() < 0.1 else changed


def damaged_bytes(content: bytes, random: Random) -> bytes:
    """Flip bits, cut the end, or remove, duplicate or overwrite a chunk."""
    action = random.randrange(6)
    changed = bytearray(content)
    start = random.randrange(len(changed) + 1)
    stop = min(len(changed), start + random.choice((1, 4, 16, 256)))
    if action == 0:
        del changed[start:]
    elif action == 1:
        del changed[start:stop]
    elif action == 2:
        changed[start:start] = changed[start:stop]
    elif action == 3:
        changed[start:stop] = random.randbytes(stop - start)
    elif action == 4:
        changed[start:stop] = bytes([random.choice((0, 255))]) * (stop - start)
    else:
        for place in random.choices(range(len(changed)), k=random.choice((1, 3, 20))) if changed else ():
            changed[place] ^= 1 << random.randrange(8)
    return bytes(changed)


def odd_value(random: Random) -> Any:
    return copy.deepcopy(random.choice(random.choice((VALUES, NUMBERS, TEXTS))))


def places(tree: Any) -> list[tuple[Any, Any]]:
    """Return every list or dict within a tree, with each of its indices or keys."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [place for key in keys for place in [(tree, key), *places(tree[key])]]


def changed_tree(tree: Any, random: Random) -> Any:
    """Return the tree with one to three values replaced, removed, renamed, duplicated or exchanged."""
    tree = copy.deepcopy(tree)
    for _ in range(random.randint(1, 3)):
        found = places(tree)
        if not found:
            return odd_value(random)
        holder, key = random.choice(found)
        action = random.randrange(6)
        if action == 0:
            del holder[key]
        elif action == 1 and isinstance(holder, dict):
            holder[random.choice(TEXTS)] = holder.pop(key)
        elif action == 1:
            holder.insert(key, holder[key])
        elif action == 2:
            other, at = random.choice(found)
            holder[key] = copy.deepcopy(other[at])
        else:
            holder[key] = odd_value(random)
    return tree


def changed_cells(text: str, separator: str, random: Random) -> str:
    """Return lines of cells with some cells replaced, and some cells or lines removed, duplicated or exchanged."""
    lines = [line.split(separator) for line in text.split("\n")]
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(lines))
        cell = random.randrange(len(lines[at]))
        action = random.randrange(6)
        if action == 0:
            del lines[at]
            lines = lines or [[""]]
        elif action == 1:
            lines.insert(at, list(lines[at]))
        elif action == 2:
            lines[at].insert(cell, lines[at][cell])
        elif action == 3:
            lines[at][cell : cell + 1] = []
            lines[at] = lines[at] or [""]
        else:
            lines[at][cell] = str(random.choice(random.choice((TEXTS, NUMBERS))))
    return "\n".join(separator.join(line) for line in lines)


def damaged_json(content: bytes, random: Random) -> bytes:
    return json.dumps(changed_tree(json.loads(content), random)).encode()


def damaged_yaml(content: bytes, random: Random) -> bytes:
    if random.random() < 0.1:
        return b"backend: !!python/object/apply:os.mkdir [%s]\n" % CANARY.encode()
    return yaml.safe_dump(changed_tree(yaml.safe_load(content), random)).encode("utf8", "surrogatepass")


def damaged_lines(separator: str) -> Damage:
    def damage(content: bytes, random: Random) -> bytes:
        return changed_cells(content.decode("utf8", "replace"), separator, random).encode("utf8", "surrogatepass")

    return damage


def damaged_pickle(content: bytes, random: Random) -> bytes:
    tree = pickle.loads(content, encoding="latin1")
    if random.random() < 0.2:
        return pickle.dumps([tree, RunsCode()], random.randrange(5))
    return pickle.dumps(changed_tree(tree, random), random.randrange(5))


def damaged_array(array: np.ndarray, random: Random) -> np.ndarray:
    action = random.randrange(6)
    if action == 0:
        return array[: len(array) // 2] if array.ndim else array.reshape(1)
    if action == 1:
        return array.reshape(-1) if random.random() < 0.5 else array[None]
    if action == 2:
        return array.astype(random.choice(("f2", "f8", "i1", "u8", "S4", "?")))
    if action == 3:
        return np.array([RunsCode()], dtype=object)
    changed = array.copy()
    if changed.size and changed.dtype.kind in "fiu":
        with np.errstate(all="ignore"):
            odd = random.choice([number for number in NUMBERS if abs(number) < 1e309 or number != number])
            changed.flat[random.randrange(changed.size)] = np.float64(odd).astype(changed.dtype)
    return changed


def damaged_npy(content: bytes, random: Random) -> bytes:
    written = io.BytesIO()
    np.save(written, damaged_array(np.load(io.BytesIO(content)), random), allow_pickle=True)
    return written.getvalue()


def damaged_npz(content: bytes, random: Random) -> bytes:
    arrays = dict(np.load(io.BytesIO(content)))
    name = random.choice(sorted(arrays))
    if random.random() < 0.2:
        del arrays[name]
    else:
        arrays[name] = damaged_array(arrays[name], random)
    written = io.BytesIO()
    np.savez(written, **arrays)
    return written.getvalue()


def damaged_parquet(content: bytes, random: Random) -> bytes:
    table = pq.read_table(io.BytesIO(content))
    action = random.randrange(6)
    at = random.randrange(table.num_columns)
    column, name = table.column(at), table.column_names[at]
    if action == 0:
        changed = table.remove_column(at)
    elif action == 1:
        rows = random.choices(range(len(table)), k=random.randrange(2 * len(table) + 1)) if len(table) else []
        changed = table.take(pa.array(rows, pa.int64()))
    elif action == 2:
        changed = table.set_column(at, name, pa.array([str(value) for value in column.to_pylist()]))
    else:
        changed = table.set_column(at, name, odd_cells(column, random))
    written = io.BytesIO()
    pq.write_table(changed.replace_schema_metadata(table.schema.metadata), written)
    return written.getvalue()


def odd_cells(column: pa.ChunkedArray, random: Random) -> pa.Array:
    """Return the column with one cell replaced, by a value of its type or by null."""
    values = column.to_pylist()
    place = random.randrange(len(values)) if values else 0
    kind = column.type.value_type if pa.types.is_list(column.type) else column.type
    odd: Any = random.choice([*NUMBERS, *TEXTS, None])
    values[place : place + 1] = [[odd] * random.randrange(3) if pa.types.is_list(column.type) else odd]
    try:
        return pa.array(values, column.type)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
        small = [-1] if pa.types.is_integer(kind) or pa.types.is_floating(kind) else [None]
        values[place : place + 1] = [small if pa.types.is_list(column.type) else small[0]]
        return pa.array(values, column.type)


def damaged_hdf5(content: bytes, random: Random) -> bytes:
    written = io.BytesIO(content)
    with h5py.File(written, "r+") as file:
        name = random.choice(sorted(name for name, value in file.items() if isinstance(value, h5py.Dataset)))
        values = file[name][()]
        action = random.randrange(4)
        if action == 0:
            attribute = random.choice(sorted(file.attrs))
            odd = odd_value(random)
            file.attrs[attribute] = odd if isinstance(odd, int | float) and abs(odd) < 2**63 else "odd"
        elif action == 1:
            del file[name]
        else:
            changed = damaged_array(values, random)
            if changed.dtype != object:
                del file[name]
                file[name] = changed
    return written.getvalue()


def damaged_safetensors(content: bytes, random: Random) -> bytes:
    size = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + size]).get("__metadata__")
    tensors = load(content)
    if metadata and random.random() < 0.5:
        key = random.choice(sorted(metadata))
        metadata[key] = json.dumps(changed_tree(json.loads(metadata[key]), random))
    else:
        tensors = damaged_tensors(tensors, random)
    return save(tensors, metadata)


def damaged_tensors(tensors: dict[str, Any], random: Random) -> dict[str, Any]:
    name = random.choice(sorted(tensors))
    value = tensors.pop(name)
    replacements = [
        value.reshape(-1),
        value.double(),
        torch.full_like(value, float("nan")) if value.is_floating_point() else value,
    ]
    action = random.randrange(5)
    if action < 3:
        tensors[name] = replacements[action].contiguous()
    elif action == 3:
        tensors["other"] = value
    return tensors


def damaged_torch(content: bytes, random: Random) -> bytes:
    state = torch.load(io.BytesIO(content), weights_only=True)
    changed = {**state, "code": RunsCode()} if random.random() < 0.2 else damaged_tensors(dict(state), random)
    written = io.BytesIO()
    torch.save(changed, written, _use_new_zipfile_serialization=random.random() < 0.5)
    return written.getvalue()


def damaged_zip(content: bytes, random: Random) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            name = odd_name(entry, random)
            for _ in range(random.choice((0, 1, 1, 1, 2))):
                new.writestr(name, damaged_bytes(old.read(entry), random))
    return written.getvalue()


def odd_name(name: str, random: Random) -> str:
    odd = random.choice(("../" + name, "/" + name, name.upper(), name + "/", "a\n" + name, name.rpartition("/")[2]))
    return odd if random.random() < 0.2 else name


BY_SUFFIX: dict[str, Damage] = {
    ".json": damaged_json,
    ".yaml": damaged_yaml,
    ".csv": damaged_lines(","),
    ".tsv": damaged_lines("\t"),
    ".conllu": damaged_lines("\t"),
    ".txt": damaged_lines(" "),
    ".p": damaged_pickle,
    ".npy": damaged_npy,
    ".npz": damaged_npz,
    ".parquet": damaged_parquet,
    ".h5": damaged_hdf5,
    ".safetensors": damaged_safetensors,
    ".pth": damaged_torch,
    ".zip": damaged_zip,
}
"""Damage within the structure of a format, by the suffix of the file. Pictures and others have only damaged bytes."""
