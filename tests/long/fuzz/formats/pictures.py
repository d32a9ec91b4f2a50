"""Pictures: PNG by chunks with checksums that fit, JPEG by segments, others behind their first bytes."""

import io
import struct
import zlib
from random import Random

from PIL import Image

from tests.long.fuzz.damage import damaged, damaged_behind
from tests.long.fuzz.reader import Format

PNG = b"\x89PNG\r\n\x1a\n"
MORE_CHUNKS = [
    (b"tEXt", b"Comment\x00" + b"a" * 3000),
    (b"zTXt", b"Comment\x00\x00" + zlib.compress(bytes(5_000_000))),
    (b"iTXt", b"a\x00\x01\x00\x00\x00" + zlib.compress(bytes(100_000))),
    (b"iCCP", b"icc\x00\x00" + zlib.compress(b"no profile")),
    (b"eXIf", b"II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x09\x00\x00\x00\x00\x00\x00\x00"),
    (b"eXIf", b"MM\x00*\x00\x00\x00\x08\xff\xff"),
    (b"acTL", struct.pack(">II", 2**31 - 1, 0)),
    (b"fcTL", struct.pack(">IIIIIHHBB", 0, 2**31, 2**31, 0, 0, 1, 1, 0, 0)),
    (b"fdAT", b"\x00\x00"),
    (b"tRNS", b"\x00" * 300),
    (b"PLTE", b"\x01\x02"),
    (b"gAMA", b""),
    (b"cHRM", bytes(3)),
    (b"pHYs", bytes(9)),
    (b"sRGB", b""),
]
SIZES = [0, 1, 2, 7, 9, 255, 4096, 50_000, 2**31 - 1, 2**31, 2**32 - 1]


def change_picture(content: bytes, random: Random) -> bytes:
    if content.startswith(PNG):
        return change_png(content, random)
    if content.startswith(b"\xff\xd8"):
        return change_jpeg(content, random)
    return damaged_behind(content, random, 12)


def chunks_of(content: bytes) -> list[tuple[bytes, bytes]]:
    found, place = [], len(PNG)
    while place + 8 <= len(content):
        (length,) = struct.unpack_from(">I", content, place)
        found.append((content[place + 4 : place + 8], content[place + 8 : place + 8 + length]))
        place += 12 + length
    return found


def change_png(content: bytes, random: Random) -> bytes:
    chunks = chunks_of(content)
    for _ in range(random.choice((1, 1, 2))):
        place = random.randrange(1, len(chunks))
        kind = random.choice(("header", "header", "inside", "add", "lose", "double", "pixels"))
        if kind == "header":
            chunks[0] = (b"IHDR", odd_header(chunks[0][1], random))
        elif kind == "inside" and chunks[place][1]:
            chunks[place] = (chunks[place][0], damaged(chunks[place][1], random))
        elif kind == "add":
            chunks.insert(place, random.choice(MORE_CHUNKS))
        elif kind == "lose" and len(chunks) > 2:
            del chunks[place]
        elif kind == "double":
            chunks.insert(place, chunks[place])
        else:
            data = zlib.compress(random.randbytes(random.choice((0, 10, 5000))))
            chunks = [(name, data if name == b"IDAT" else old) for name, old in chunks]
    return PNG + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def odd_header(header: bytes, random: Random) -> bytes:
    width, height, depth, colour, *rest = struct.unpack(">IIBBBBB", header)
    if random.random() < 0.5:
        width, height = random.choice((random.choice(SIZES), width)), random.choice((random.choice(SIZES), height))
    else:
        depth, colour = random.choice((1, 2, 4, 8, 16, 3)), random.choice((0, 2, 3, 4, 6, 1))
    return struct.pack(">IIBBBBB", width, height, depth, colour, *rest)


def change_jpeg(content: bytes, random: Random) -> bytes:
    """Within a segment, whose length stays true, or in the pixels behind the last one."""
    segments, place = [], 2
    while place + 4 <= len(content) and content[place] == 0xFF and content[place + 1] != 0xDA:
        (length,) = struct.unpack_from(">H", content, place + 2)
        segments.append((place + 4, place + 2 + length))
        place += 2 + length
    first, last = random.choice([*segments, (place + 14, len(content))])
    return damaged_behind(content, random, first, last) if last > first else damaged_behind(content, random, 4)


def is_picture(content: bytes) -> bool:
    try:
        with Image.open(io.BytesIO(content), formats=("JPEG", "PNG", "WEBP", "BMP", "GIF")):
            return True
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError):
        return False


PICTURE = Format(change_picture, is_picture)
