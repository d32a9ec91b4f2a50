"""Values that readers do not expect, and where to put them: into trees of lists and dicts, and into lines of cells."""

import copy
from random import Random
from typing import Any

NUMBERS: list[Any] = [0, -1, 1, 3, 255, 2**15, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63 - 1, 2**63]
NUMBERS += [0.5, -0.0, 1e-320, 1e30, 1e308, -1e308, float("nan"), float("inf"), float("-inf")]
TEXTS = ["", " ", "a", "the", "1", "-1", "1e999", "nan", "null", "true", "0x10", "٣", "\x00", "\x1b[31m", "\t", "\n"]
TEXTS += ["\u2028", "\u202e", "\ufeff", "e\u0301", "\ud800", "../../escape", "/etc/passwd", "a/b", ".", "..", "--help"]
TEXTS += ["%s%n", "<script>", "'\"`", "a" * 3000, "word " * 300, "9" * 5000, "(" * 2000]
VALUES: list[Any] = [None, True, False, [], {}, [[]], [None], {"": None}, [[[[[[[[1]]]]]]]], [0] * 500]


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
