"""Reads YAML from strangers: plain values, and nothing that could run code, or take for ever or all memory."""

from pathlib import Path
from typing import Any

import yaml

from jvgn.storage.unfolding import unfolded_size

MOST_BYTES = 2**17
"""Of a file: ours have some thousand."""
MOST_PARTS = 100_000
"""Of what it stands for, its aliases written out."""
DAMAGE = (yaml.YAMLError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError)
"""What the library raises beside a ValueError, of a value that is not what its tag says, or of brackets without end."""


def load_plain_yaml(path: Path | str) -> Any:
    """The file's value; whatever keeps it from being plain is a ValueError."""
    with Path(path).open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES:,} bytes, which no settings have")
    try:
        return value_of(content.decode("utf8"), Path(path).name)
    except DAMAGE as error:
        raise ValueError(str(error) or type(error).__name__) from error


def value_of(text: str, name: str) -> Any:
    loader = yaml.SafeLoader(text)
    loader.name = name  # which messages give, beside the line
    node = loader.get_single_node()
    if node is None:
        return None
    # Before it is made: to merge mappings is to write them out.
    if unfolded_size(node, parts_of, lambda _: 1) > MOST_PARTS:
        raise ValueError("its aliases stand for more than settings have, or for themselves")
    return loader.construct_document(node)


def parts_of(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return node.value if isinstance(node, yaml.SequenceNode) else []
