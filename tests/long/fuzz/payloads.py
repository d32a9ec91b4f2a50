"""Code that files bring along: run, each makes a file of the name `CANARY` where the reader works."""

import os
import pickle
from collections.abc import Iterator

CANARY = "canary"


class Touches:
    """Unpickled the ordinary way, makes the file."""

    def __reduce__(self):
        return os.system, (f"touch {CANARY}",)


class Opens:
    def __reduce__(self):
        return open, (CANARY, "w")


class Evaluates:
    def __reduce__(self):
        return eval, (f"open({CANARY!r}, 'w')",)


def pickled_payloads() -> list[bytes]:
    """Whole pickles, of several protocols."""
    return [pickle.dumps(kind(), protocol) for kind in (Touches, Opens, Evaluates) for protocol in (0, 2, 4)]


def inner_payloads() -> Iterator[bytes]:
    """The same as instructions within a pickle, which leave one value."""
    touch = f"touch {CANARY}".encode()
    yield b"cposix\nsystem\n(S'" + touch + b"'\ntR"
    yield b"cbuiltins\nopen\n(S'" + CANARY.encode() + b"'\nS'w'\ntR"
    yield b"(S'" + touch + b"'\niposix\nsystem\n"
    yield b"(cposix\nsystem\nS'" + touch + b"'\no"
    yield b"cos\nsystem\n(S'" + touch + b"'\nt\x81"
    yield b"c_codecs\nencode\n(S'a'\nS'zip'\ntR"
    yield b"cnumpy\nload\n(S'x.npy'\ntR"
    yield b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(L99999999999L\ntS'b'\ntR"


def yaml_payloads() -> list[str]:
    return [
        f'x: !!python/object/apply:os.system ["touch {CANARY}"]\n',
        f"x: !!python/object/new:open [{CANARY}, w]\n",
        "x: !!python/name:os.system\n",
        f"x: !!python/object/apply:builtins.eval [\"open('{CANARY}', 'w')\"]\n",
    ]
