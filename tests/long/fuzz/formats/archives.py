"""Zip, tar and gzip: with headers whose lengths and checksums fit, and that say what they should not."""

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from random import Random

from tests.long.fuzz.damage import damaged, damaged_behind
from tests.long.fuzz.odd_values import TEXTS
from tests.long.fuzz.reader import Format, Mutation

NAMES = [
    *(
        "../trap",
        "/trap",
        "a/../../trap",
        "../" * 10 + "trap",
        "set/" + "../" * 11 + "trap",
        "C:/trap",
        "a\\trap",
        "a",
        "a/",
        "./a",
        "set/a",
        "set/z\n" + "0" * 64 + "  a",
        "set/a/b",
        "set//a",
        "set/./a",
    ),
    *("set/" + "n" * 300, "set/" + "d/" * 200 + "x", "set/\u202e", "set/\x1b[2J"),
]
ODD_NUMBERS = [0, 1, 2, 8, 12, 14, 99, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF]
CENTRAL = {4: "<H", 8: "<H", 10: "<H", 16: "<I", 20: "<I", 24: "<I", 28: "<H", 30: "<H", 38: "<I", 42: "<I"}
"""Fields of a zip's central directory: where, from an entry's signature, and what."""
END = {8: "<H", 10: "<H", 12: "<I", 16: "<I", 20: "<H"}


def change_zip(content: bytes, random: Random, inner: Mutation = damaged) -> bytes:
    kind = random.random()
    if kind < 0.5:
        return change_members(content, random, inner)
    changed = bytearray(content)
    signature, fields = random.choice(((b"PK\x01\x02", CENTRAL), (b"PK\x01\x02", CENTRAL), (b"PK\x05\x06", END)))
    places = [place for place in range(len(content)) if content.startswith(signature, place)]
    start, field = random.choice(places), random.choice(list(fields))
    number = random.choice(ODD_NUMBERS) & (0xFFFF if fields[field] == "<H" else 0xFFFFFFFF)
    struct.pack_into(fields[field], changed, start + field, number)
    return bytes(changed)


def change_members(content: bytes, random: Random, inner: Mutation) -> bytes:
    """The same members, some renamed, changed inside, doubled, or of another kind; packed anew."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w") as new:
        for entry in old.infolist():
            data, kind = old.read(entry), random.random()
            fresh = zipfile.ZipInfo(entry.filename)
            fresh.compress_type = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
            fresh.external_attr = entry.external_attr
            if kind < 0.15:
                fresh.filename = random.choice(NAMES)
            elif kind < 0.5:
                data = inner(data, random)
            elif kind < 0.55:
                fresh.external_attr = random.choice((0o120777, 0o020666, 0o010644, 0o040755)) << 16
            elif kind < 0.6:
                data, fresh.compress_type = bytes(3_000_000), zipfile.ZIP_DEFLATED
            new.writestr(fresh, data)
    return written.getvalue()


def change_tar(content: bytes, random: Random) -> bytes:
    """A header says something else, and has the checksum of what it says."""
    blocks = bytearray(content)
    headers = [place for place in range(0, len(content) - 511, 512) if content[place + 257 : place + 262] == b"ustar"]
    for start in random.sample(headers, min(len(headers), random.choice((1, 1, 2)))):
        kind = random.choice(("name", "name", "size", "type", "type", "link", "prefix", "anything"))
        if kind == "name":
            put(blocks, start, 100, random.choice([*NAMES, *TEXTS[:30]]).encode("utf8", "surrogatepass"))
        elif kind == "size":
            put(
                blocks,
                start + 124,
                12,
                random.choice((b"00000000000", b"77777777777", b"-1", b"\x80" + b"\xff" * 11, b"9x", b"")),
            )
        elif kind == "type":
            blocks[start + 156] = random.choice(b"0123456789xgLKSDMNV\x00\xff")
        elif kind == "link":
            put(blocks, start + 157, 100, b"/etc/passwd")
        elif kind == "prefix":
            put(blocks, start + 345, 155, random.choice(NAMES).encode())
        else:
            blocks[start : start + 512] = damaged_behind(bytes(blocks[start : start + 512]), random, 0)
        blocks[start + 148 : start + 156] = b" " * 8
        put(blocks, start + 148, 8, b"%06o\x00 " % sum(blocks[start : start + 512]))
    if random.random() < 0.2:
        return damaged_behind(bytes(blocks), random, 512)
    return bytes(blocks)


def put(blocks: bytearray, start: int, length: int, value: bytes) -> None:
    blocks[start : start + length] = value[:length].ljust(length, b"\x00")


def change_tar_gz(content: bytes, random: Random) -> bytes:
    return zipped_again(change_tar(gzip.decompress(content), random), random)


def zipped_again(plain: bytes, random: Random) -> bytes:
    content = gzip.compress(plain, 1, mtime=0)
    if random.random() < 0.1:  # what it says of its length or its checksum does not fit
        return damaged_behind(content, random, len(content) - 8)
    return content


def change_gzipped(inner: Mutation) -> Mutation:
    return lambda content, random: zipped_again(inner(gzip.decompress(content), random), random)


def is_tar(content: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(content[:512], "utf8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def is_gzip(content: bytes) -> bool:
    return content.startswith(b"\x1f\x8b\x08") and bool(unzipped(content, 512))


def unzipped(content: bytes, length: int) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(content, length)
    except zlib.error:
        return b""


def is_zip(content: bytes) -> bool:
    return zipfile.is_zipfile(io.BytesIO(content))


ZIP = Format(change_zip, is_zip)
TAR = Format(change_tar, is_tar)
TAR_GZ = Format(change_tar_gz, lambda content: is_gzip(content) and is_tar(unzipped(content, 512)))
