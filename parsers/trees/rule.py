"""A rule: what a path through the dependencies says of the scene.

`path` is a pattern of `matcher`; the words it names are those of UD, after the passes of `passes.py`, which add the
classes PLACE ("left") and LOCATION ("on the left") and the relations place, quantity, agent and loose.
`emits` is an edge "{subject} -{relation}-> {object}", an attribute "{noun}({attribute})" or the referent "*{head}".
The example, read by this rule alone, emits what is expected.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    name: str
    path: str
    emits: str
    example: str
    tree: str
    expected: str


NOUN = "NOUN|PROPN"
THING = "NOUN|PROPN|NUM|ADJ|PLACE|X|SYM"
"""What may be an object of the scene: "man in black", "the two on the left"."""
