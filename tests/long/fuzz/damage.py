"""Damage that knows nothing of formats: bits that flip, bytes that are lost, doubled or in the wrong place."""

from random import Random

from tests.long.fuzz.reader import Mutation

ODD = (b"\x00", b"\xff", b"\x7f", b"\x80", b"\xff\xff\xff\xff", b"\x00" * 8, b"\xff" * 8, b"\x7f\xff\xff\xff", b"\n")


def flip(content: bytes, random: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(random.choice((1, 1, 2, 8, 40))):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def put_odd_bytes(content: bytes, random: Random) -> bytes:
    place, odd = random.randrange(len(content)), random.choice(ODD)
    return content[:place] + odd + content[place + len(odd) :]


def truncate(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content))]


def insert(content: bytes, random: Random) -> bytes:
    place = random.randrange(len(content) + 1)
    return content[:place] + random.randbytes(random.choice((1, 2, 4, 16, 300))) + content[place:]


def cut_out(content: bytes, random: Random) -> bytes:
    first, last = piece(content, random)
    return content[:first] + content[last:]


def double(content: bytes, random: Random) -> bytes:
    first, last = piece(content, random)
    return content[:last] + content[first:last] * random.choice((1, 1, 2, 50)) + content[last:]


def splice(content: bytes, random: Random) -> bytes:
    """One piece in the place of another."""
    first, last = piece(content, random)
    place = random.randrange(len(content))
    return content[:place] + content[first:last] + content[place + last - first :]


def piece(content: bytes, random: Random) -> tuple[int, int]:
    first = random.randrange(len(content))
    return first, min(len(content), first + random.choice((1, 4, 16, 64, 512)))


KINDS: tuple[Mutation, ...] = (flip, flip, put_odd_bytes, truncate, insert, cut_out, double, splice)


def damaged(content: bytes, random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        content = random.choice(KINDS)(content, random) if content else random.randbytes(20)
    return content


def damaged_behind(content: bytes, random: Random, first: int, last: int | None = None) -> bytes:
    """Damaged from byte `first` to before byte `last`, and as long as before."""
    last = len(content) if last is None else last
    inner = content[first:last]
    changed = random.choice((flip, put_odd_bytes, splice))(inner, random)[: len(inner)]
    return content[:first] + changed.ljust(len(inner), b"\x00") + content[last:]
