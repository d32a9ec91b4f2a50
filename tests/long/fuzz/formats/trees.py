"""JSON, lines of JSON, and YAML: as trees of values, and as text where values cannot say it."""

import json
from random import Random
from typing import Any

import yaml

from tests.long.fuzz.odd_values import changed_tree
from tests.long.fuzz.payloads import yaml_payloads
from tests.long.fuzz.reader import Format

MARK = "a place for text as it is"
RAW_JSON = [
    "[" * 100_000 + "]" * 100_000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "9" * 4000,
    "1e400",
    '"\\ud800"',
    "-0",
    "0e0",
]
ALIASES = "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 12))
MERGES = "".join(f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 9)}]}}\n" for k in range(1, 12))
RAW_YAML = [
    f"a0: &a0 [x]\n{ALIASES}",
    f"a0: &a0 {{x: 1}}\n{MERGES}",
    "a: &a [*a]\n",
    "a: &a {<<: *a}\n",
    "? [a, {b: c}]\n: d\n",
    "[" * 3000 + "\n",
    "- " * 3000 + "\n",
    "a: !!timestamp soon\n",
    "a: !!int ''\n",
    "a: !!float x\n",
    "a: !!bool perhaps\n",
    "a: !!binary é\n",
    "a: !!set [a]\n",
    "a: !!omap {a: b}\n",
    "a: 2001-99-99\n",
    "a: 0001-01-01T00:00:00+23:59\n",
    "a: 190:99:99.99\n",
    "2001-01-01: a\n",
    "%YAML 9.9\n--- a\n",
    "--- a\n--- b\n",
    "a: \x01\n",
]


def change_json(content: bytes, random: Random) -> bytes:
    return written(changed_tree(json.loads(content), random), random).encode("utf8", "surrogatepass")


def written(tree: Any, random: Random) -> str:
    """With text in it, now and then, that no value is written as."""
    if random.random() < 0.1 and isinstance(tree, dict | list) and tree:
        tree[random.choice(list(tree) if isinstance(tree, dict) else range(len(tree)))] = MARK
    text = json.dumps(tree, ensure_ascii=random.random() < 0.5, indent=random.choice((None, 1)))
    return text.replace(json.dumps(MARK), random.choice(RAW_JSON))


def change_json_lines(content: bytes, random: Random) -> bytes:
    lines = content.decode().splitlines()
    place = random.randrange(len(lines))
    kind = random.random()
    if kind < 0.8:
        lines[place] = json.dumps(changed_tree(json.loads(lines[place]), random), ensure_ascii=random.random() < 0.5)
    elif kind < 0.9:
        lines.insert(place, lines[place])
    else:
        del lines[place]
    return "\n".join(lines).encode("utf8", "surrogatepass") + b"\n"


def change_yaml(content: bytes, random: Random) -> bytes:
    if random.random() < 0.25:
        return content + random.choice([*RAW_YAML, *yaml_payloads()]).encode("utf8", "surrogatepass")
    tree = changed_tree(yaml.safe_load(content), random)
    return yaml.safe_dump(tree, allow_unicode=random.random() < 0.5).encode("utf8", "surrogatepass")


def is_json(content: bytes) -> bool:
    try:
        json.loads(content)
    except (ValueError, RecursionError):
        return False
    return True


def is_text(content: bytes) -> bool:
    try:
        content.decode("utf8")
    except ValueError:
        return False
    return bool(content.strip())


JSON = Format(change_json, is_json)
JSON_LINES = Format(change_json_lines, lambda content: is_json(content.split(b"\n")[0]))
YAML = Format(change_yaml, is_text)
