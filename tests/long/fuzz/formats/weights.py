"""Weights: safetensors with other headers, and torch's archives with other pickles in them."""

import io
import json
import pickle
import struct
import zipfile
from random import Random

from tests.long.fuzz.damage import damaged, damaged_behind
from tests.long.fuzz.formats.archives import is_zip
from tests.long.fuzz.formats.pickles import change_pickle
from tests.long.fuzz.formats.trees import is_json, written
from tests.long.fuzz.odd_values import changed_tree
from tests.long.fuzz.reader import Format

MAGIC = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."
"""With which torch's older files begin."""


def header_of(content: bytes) -> bytes:
    (length,) = struct.unpack_from("<Q", content)
    return content[8 : 8 + length]


def with_header(header: bytes, data: bytes) -> bytes:
    padded = header + b" " * (-len(header) % 8)
    return struct.pack("<Q", len(padded)) + padded + data


def change_safetensors(content: bytes, random: Random) -> bytes:
    """What is said of the tensors, or what the writer says of all of them: an entry that is JSON itself."""
    header = header_of(content)
    data = content[8 + len(header) :]
    if random.random() < 0.1:
        return damaged_behind(content, random, 8 + len(header))
    tree = json.loads(header)
    if random.random() < 0.6:
        (key,) = tree["__metadata__"]
        tree["__metadata__"][key] = written(changed_tree(json.loads(tree["__metadata__"][key]), random), random)
    else:
        tree = changed_tree(tree, random)
    return with_header(json.dumps(tree).encode("utf8", "surrogatepass"), data)


def change_checkpoint(content: bytes, random: Random) -> bytes:
    """The pickle among its records, mostly: torch stores, and does not compress."""
    if not is_zip(content):
        return polyglot() if random.random() < 0.05 else damaged_behind(content, random, len(MAGIC))
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w") as new:
        for entry in old.infolist():
            data = old.read(entry)
            if entry.filename.endswith("data.pkl"):
                data = change_pickle(data, random)
            elif random.random() < 0.1:
                data = damaged(data, random)
            new.writestr(entry.filename, data)
    return file.getvalue()


def polyglot() -> bytes:
    """Begins as an older file, with tuples in tuples as a key, and ends as an archive."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("a", b"")
    deep = b"\x80\x02}N" + b"\x85" * 200_000 + b"Ns."
    return MAGIC + pickle.dumps(1001, 2) + pickle.dumps({}, 2) + deep + pickle.dumps([], 2) + archive.getvalue()


def is_safetensors(content: bytes) -> bool:
    return len(content) > 8 and is_json(header_of(content))


SAFETENSORS = Format(change_safetensors, is_safetensors)
CHECKPOINT = Format(change_checkpoint, lambda content: is_zip(content) or content.startswith(MAGIC))
