"""How FACTUAL reads a noun before a noun: one name, an attribute, an owner, a place; `conventions` holds the table.

A reading says what the two nouns say, X for the first and Y for the second: "X Y" is one name, "Y is X" an attribute,
"X have Y" a relation; "X" or "Y" alone leaves the other out.
"""

import functools

from parsers.factual.draft import Draft
from parsers.scene_graph import Node
from parsers.words.brill import brill_tag
from parsers.words.lexicon import Tag, is_listed, renamings, tag_of, words

NOUN_TAGS = frozenset({Tag.NOUN, Tag.PLURAL, Tag.BASE_OR_NOUN, Tag.FORM_IN_S_OR_NOUN, Tag.ING_OR_NOUN, Tag.CAN})
AN_ATTRIBUTE = "Y is X"


def read_noun_modifiers(draft: Draft) -> None:
    """A noun before a noun is its owner or its place, part of its name, or else stays an attribute."""
    for index in range(len(draft.nodes)):
        while (modifier := modifier_noun(draft, draft.nodes[index])) is not None:
            reading = reading_of(modifier.lower(), draft.nodes[index].head.lower())
            if reading == AN_ATTRIBUTE:
                break
            read(draft, index, modifier, reading)


def modifier_noun(draft: Draft, node: Node) -> str | None:
    """The attribute that is a noun just before the head."""
    before = draft.lower(draft.head_start(node) - 1)
    return next((word for word in node.attributes if word.lower() == before and tag_of(before) in NOUN_TAGS), None)


@functools.lru_cache(maxsize=1 << 14)
def reading_of(modifier: str, head: str) -> str:
    """What two nouns say: as their pair is listed, or else one of them with any other."""
    pairs = renamings("factual_pairs")
    for last in (head, head.removesuffix("s"), head.removesuffix("es")):
        for pair in (f"{modifier} {last}", f"* {last}", f"{modifier} *"):
            if pair in pairs:
                return pairs[pair]
    if owns(modifier, head):
        return "X have Y"
    if is_named_by(modifier, head):
        return "X Y"
    return AN_ATTRIBUTE if is_kind(modifier, head) else "Y"  # "the lead elephant" is an elephant


def is_kind(modifier: str, head: str) -> bool:
    """Whether the first noun says what kind the second is: by its list, or as clothes and names of makes go."""
    if is_listed(modifier, "factual_attribute_nouns"):
        return True
    return tag_of(modifier) is not Tag.BASE_OR_NOUN and (is_listed(head, "clothes") or not brill_tag(modifier))


def owns(modifier: str, head: str) -> bool:
    if is_listed(modifier, "animates"):
        return is_listed(head, "body_parts")
    return is_listed(modifier, "factual_wholes") and is_listed(head, "factual_whole_parts")


def is_named_by(modifier: str, head: str) -> bool:
    if is_listed(modifier, "factual_attribute_nouns"):
        return False
    return is_listed(modifier, "factual_first_nouns") or is_listed(head, "factual_last_nouns")


def read(draft: Draft, index: int, modifier: str, reading: str) -> None:
    """The node of the two nouns, rewritten to what they say."""
    draft.without(index, modifier)
    node = draft.nodes[index]
    token = draft.head_start(node) - 1
    if reading == "X Y":
        draft.change_node(index, head=f"{modifier} {node.head}")
    elif reading in ("X", "X is Y"):
        said = () if reading == "X" else (node.head,)
        draft.change_node(index, head=modifier, head_token=token, attributes=(*node.attributes, *said))
    elif reading != "Y":
        other = draft.add_node(modifier, token)
        subject, object_ = (other, index) if reading.startswith("X") else (index, other)
        draft.add_edge(subject, reading[2:-2], object_, token)


def name_sides(draft: Draft) -> None:
    """ "right hand", "front wheel": the side is part of the name."""
    for index, node in enumerate(draft.nodes):
        side = draft.lower(draft.head_start(node) - 1)
        is_part = is_listed(node.head, "body_parts") or is_listed(node.head, "factual_whole_parts")
        if is_part and side in words("factual_sides") and side in node.attributes:
            draft.without(index, side)
            draft.change_node(index, head=f"{side} {node.head}")
