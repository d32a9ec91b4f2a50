"""Pickles: as instructions, of which some are lost, doubled, exchanged, or replaced by hostile ones."""

import pickle
import pickletools
import struct
from random import Random

from tests.long.fuzz.odd_values import changed_tree
from tests.long.fuzz.payloads import inner_payloads, pickled_payloads
from tests.long.fuzz.reader import Format

HOSTILE = [
    *(b"]r\xff\xff\xff\xff", b"]p4294967295\n", b"N" + b"\x85" * 50_000, b"}N" + b"\x85" * 200_000 + b"Ns"),
    *(b"\x8d" + struct.pack("<Q", 1 << 40), b"\x96" + struct.pack("<Q", 1 << 33), b"\x8b\xff\xff\xff\x7f"),
    *(b"\x95" + struct.pack("<Q", 1 << 60), b"L" + b"9" * 5000 + b"L\n", b"I99999999999999999999999\n", b"F1e999\n"),
    *(
        b"2",
        b"0",
        b"1",
        b"(",
        b"e",
        b"u",
        b"a",
        b"s",
        b"t",
        b"d",
        b"l",
        b"R",
        b"b",
        b"\x81",
        b"\x90",
        b"\x8f",
        b"Q",
        b".",
    ),
    *(
        b"\x82\x01",
        b"\x84\xff\xff\xff\x7f",
        b"X\x03\x00\x00\x00\xed\xa0\x80",
        b"V\\ud800\n",
        b"S'\\xff'\n",
        b"h\x00",
        b"g9\n",
    ),
    *(
        b"(h\x00h\x00h\x00h\x00h\x00h\x00e",
        b"\x8a\xff" + b"\x7f" * 255,
        b"G\x7f\xf0\x00\x00\x00\x00\x00\x00",
        b"N\x89\x88",
    ),
]


def instructions(content: bytes) -> list[bytes]:
    starts = [place for _, _, place in pickletools.genops(content) if place is not None]
    return [content[start:end] for start, end in zip(starts, [*starts[1:], len(content)], strict=True)]


def change_pickle(content: bytes, random: Random) -> bytes:
    kind = random.random()
    if kind < 0.02:
        return random.choice(pickled_payloads())
    if kind < 0.4:
        return change_values(content, random)
    # Frames are lengths of what follows: without them, any change fits.
    code = [one for one in instructions(content) if one[:1] != b"\x95"]
    for _ in range(random.choice((1, 1, 2, 5))):
        place = random.randrange(1, len(code))
        kind_of_change = random.choice(("hostile", "payload", "lose", "double", "exchange"))
        if kind_of_change == "hostile":
            code.insert(place, random.choice(HOSTILE))
        elif kind_of_change == "payload":
            code.insert(place, random.choice(list(inner_payloads())))
        elif kind_of_change == "lose" and len(code) > 2:
            del code[place]
        elif kind_of_change == "double":
            code.insert(place, code[place])
        else:
            other = random.randrange(1, len(code))
            code[place], code[other] = code[other], code[place]
    return b"".join(code)


def change_values(content: bytes, random: Random) -> bytes:
    try:
        tree = pickle.loads(content)
    except (ImportError, pickle.UnpicklingError):  # torch's, which refers to what is beside it
        return content
    return pickle.dumps(changed_tree(tree, random), random.choice((2, 3, 4, 5)))


def begins_as_a_pickle(content: bytes) -> bool:
    return len(content) > 2 and (
        (content[0] == 0x80 and content[1] <= pickle.HIGHEST_PROTOCOL) or content[:1] in b"(]}lcd"
    )


PICKLE = Format(change_pickle, begins_as_a_pickle)
