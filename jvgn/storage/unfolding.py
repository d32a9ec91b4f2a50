"""How large a value is once it is written out.

YAML's aliases and a pickle's memo name a part again instead of repeating it, so that a few lines can stand for more
than any memory holds. Whoever copies such a value, or walks through it, writes it out.
"""

import math
from collections.abc import Callable, Sequence
from typing import TypeVar

Value = TypeVar("Value")


def unfolded_size(root: Value, parts: Callable[[Value], Sequence[Value]], size: Callable[[Value], int]) -> float:
    """The sizes of `root` and of its parts, each as often as it is named; infinite, where one is part of itself.

    `size` is that of a value without its `parts`.
    """
    known: dict[int, float] = {}
    begun: set[int] = set()
    waiting = [root]
    while waiting:
        value = waiting.pop()
        if id(value) in known:
            continue
        begun.add(id(value))
        inner = parts(value)
        unknown = {id(part): part for part in inner if id(part) not in known}
        if not unknown:
            # As floats: whole numbers that double with every level would themselves take all memory.
            known[id(value)] = sum((known[id(part)] for part in inner), float(size(value)))
        elif begun.isdisjoint(unknown):
            waiting += [value, *unknown.values()]
        else:
            return math.inf
    return known[id(root)]
