"""Pickles as Python 2's `pickle.dump` wrote them: protocol 0, text, with its two kinds of strings and its memo.

REFER's `refs(*).p` are such files: `unicode` where a value came out of JSON, `str` where code made it.
"""

from typing import Any


class Str(str):
    """A `str` of Python 2: bytes."""


def dumps(value: Any) -> bytes:
    return Writer().written(value)


class Writer:
    def __init__(self) -> None:
        self.memo: dict[tuple[type, str], int] = {}
        self.count = 0

    def written(self, value: Any) -> bytes:
        return b"".join([*self.pieces(value), b"."])

    def pieces(self, value: Any):
        if isinstance(value, dict):
            yield b"(d" + self.put()
            for key, item in value.items():
                yield from self.pieces(key)
                yield from self.pieces(item)
                yield b"s"
        elif isinstance(value, list):
            yield b"(l" + self.put()
            for item in value:
                yield from self.pieces(item)
                yield b"a"
        elif isinstance(value, str):
            yield self.text(value)
        elif isinstance(value, int):
            yield b"I%d\n" % value
        else:
            raise TypeError(f"REFER has no {type(value).__name__}")

    def text(self, value: str) -> bytes:
        known = (type(value), str(value))
        if known in self.memo:
            return b"g%d\n" % self.memo[known]
        self.memo[known] = self.count
        if isinstance(value, Str):
            return b"S" + repr(str(value)).encode("ascii") + b"\n" + self.put()
        escaped = value.replace("\\", "\\u005c").replace("\n", "\\u000a")
        return b"V" + escaped.encode("raw_unicode_escape") + b"\n" + self.put()

    def put(self) -> bytes:
        self.count += 1
        return b"p%d\n" % (self.count - 1)
