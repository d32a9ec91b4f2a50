"""Values that readers trip over, and where to put them: into any tree of lists and dictionaries."""

import copy
from random import Random
from typing import Any

NUMBERS = [
    *(
        0,
        -1,
        1,
        2,
        3,
        255,
        256,
        2**15,
        2**16,
        2**31 - 1,
        2**31,
        -(2**31) - 1,
        2**53 + 1,
        2**63 - 1,
        2**63,
        -(2**63) - 1,
    ),
    *(2**64, 10**400, 0.5, -0.0, 1e-320, 1e30, 1e308, -1e308, float("nan"), float("inf"), float("-inf")),
]
TEXTS = [
    *("", " ", "a", "the", "1", "-1", "1e999", "nan", "null", "true", "0x10", "1_000", "٣", "²"),
    *("\x00", "\x1b[31m", "\t", "\n", "\r\n", "\u2028", "\u202e", "\ufeff", "e\u0301", "👩‍👩‍👧", "\udcff", "\ud800"),
    *("../../escape", "/etc/passwd", "C:\\x", "a/b", ".", "..", "-", "--help", "%s%n", "${HOME}", "<script>", "'\"`"),
    *("a" * 3000, "word " * 3000, "9" * 5000, "(" * 2000),
]
VALUES: list[Any] = [
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None],
    {"": None},
    [[[[[[[[1]]]]]]]],
    [0] * 500,
    *NUMBERS,
    *TEXTS,
]


def odd_value(random: Random) -> Any:
    return copy.deepcopy(random.choice(random.choice((VALUES, NUMBERS, TEXTS))))


def odd_text(random: Random) -> str:
    return random.choice(TEXTS)


def changed_tree(tree: Any, random: Random) -> Any:
    """The tree with a few of its parts replaced, lost, renamed, doubled or moved."""
    tree = copy.deepcopy(tree)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = list(all_places(tree))
        if not places:
            return odd_value(random)
        change_one(tree, *random.choice(places), places, random)
    return tree


def all_places(tree: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys."""
    found = []
    waiting = [tree]
    while waiting:
        value = waiting.pop()
        keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        for key in keys:
            found.append((value, key))
            waiting.append(value[key])
    return found


def change_one(tree: Any, owner: Any, key: Any, places: list[tuple[Any, Any]], random: Random) -> None:
    kind = random.choice(("replace", "replace", "replace", "lose", "rename", "double", "move", "wrap"))
    if kind == "replace":
        owner[key] = odd_value(random)
    elif kind == "lose":
        del owner[key]
    elif kind == "rename" and isinstance(owner, dict):
        owner[odd_text(random)] = owner.pop(key)
    elif kind == "double" and isinstance(owner, list):
        owner.insert(key, copy.deepcopy(owner[key]))
    elif kind == "move":
        other, place = random.choice(places)
        owner[key] = copy.deepcopy(other[place]) if place_holds(other, place) else None
    else:
        owner[key] = [owner[key]]


def place_holds(owner: Any, key: Any) -> bool:
    return key in owner if isinstance(owner, dict) else key < len(owner)
