"""FACTUAL's conventions for objects and attributes; `conventions` holds the table of them."""

import functools

from parsers.factual.draft import LONG, Draft
from parsers.scene_graph import Node
from parsers.words.lexicon import NOUN_TAGS, VERB_TAGS, Tag, brill_tag, is_listed, renamings, tag_of, words
from parsers.words.negation import NO
from parsers.words.spelling import respelled

BESIDE = frozenset({"on", "beside", "next to", "above", "under", "below", "near", "behind", "with", "hanging on"})
"""Relations to a picture that is an object of the scene: "a lamp beside a picture"."""
EACH_OTHER = ("each other", "eachother", "one another", "by side")
KEPT_PLACES = frozenset({"outside", "inside"})
"""Places that stay attributes."""
PLACES_OF_LONG_CAPTIONS = {
    "left": "on the left",
    "right": "on the right",
    "middle": "in the middle",
    "center": "in the center",
}
STRANDED = frozenset({Tag.PREPOSITION, Tag.TO, Tag.OF})
PARTICLES = frozenset({"up", "down", "out", "over", "off", "away"})
"""Prepositions that may end an action: "looking down"."""
AN_ATTRIBUTE = "Y is X"


def correct_spelling(draft: Draft) -> None:
    for index, node in enumerate(draft.nodes):
        attributes = tuple(respelled_words(word) for word in node.attributes)
        draft.change_node(index, head=respelled_words(node.head), attributes=attributes)
    draft.lowered = [respelled(word) for word in draft.lowered]


def respelled_words(text: str) -> str:
    return " ".join(respelled(word) if word.islower() else word for word in text.split())


def leave_out_text(draft: Draft) -> None:
    """ "the word stop", "a sign saying stop": leave out the text that is written on things."""
    for index, node in enumerate(draft.nodes):
        announced = [word for word in node.attributes if word.lower() in words("factual_quoting")]
        if announced:
            place = draft.place_of(node, announced[0])
            before = tuple(word for word in node.attributes if draft.place_of(node, word) < place)
            draft.change_node(index, head=announced[0], head_token=place, attributes=before)
    for edge in list(draft.edges):
        is_person = draft.is_a(edge.subject, "animates")
        if edge.relation.lower() in words("factual_saying") and edge.object != draft.referent and not is_person:
            draft.change_node(edge.object, attributes=())
            draft.merge(edge.object, edge.subject)


def name_parts(draft: Draft) -> None:
    """ "blond haired man", "blond-haired man": the man has hair that is blond."""
    parts = renamings("factual_parts")
    for index, node, word in draft.attributes():
        kind, _, last = word.lower().rpartition("-")
        part = parts.get(last) if not kind or last == "haired" else None
        token = draft.place_of(node, word)
        if part is None or token >= draft.head_start(node):
            continue
        before = tuple(other for other in node.attributes if draft.place_of(node, other) == token - 1 and not kind)
        for attribute in (word, *before):
            draft.remove_attribute(index, attribute)
        draft.add_edge(index, "have", draft.add_node(part, token, (kind,) if kind else before), token)


def relate_to_scene(draft: Draft) -> None:
    """ "in the background" is a relation to the background; other places in the picture are left out."""
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        if token < draft.head_start(node) or word.lower() in KEPT_PLACES:
            continue
        if word.lower() == "distance":
            draft.remove_attribute(index, word)
            draft.add_attribute(draft.main_subject(index), "in the distance")
            continue
        if word.lower() in words("factual_scenes"):
            draft.remove_attribute(index, word)
            near = [other for other in node.attributes if 0 < token - draft.place_of(node, other) <= 3]
            verb = next((other for other in near if tag_of(other.lower()) in (Tag.ING, Tag.POSTURE)), "")
            draft.remove_attribute(index, verb)
            relation = f"{verb} in" if verb else "in"
            draft.add_edge(draft.main_subject(index), relation, draft.add_node(word, token), token)
        elif all(part in words("places") | words("place_modifiers") for part in word.lower().split()):
            draft.remove_attribute(index, word)
            place = PLACES_OF_LONG_CAPTIONS.get(word.lower().rpartition(" ")[2], "")
            if place and len(draft.tokens) >= LONG:
                draft.add_attribute(index, place)


def name_coverings(draft: Draft) -> None:
    """ "snowy hill": there is snow on the hill."""
    coverings = renamings("factual_coverings")
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        if word.lower() in coverings and token < draft.head_start(node):
            covering, relation = coverings[word.lower()].split()
            draft.remove_attribute(index, word)
            draft.add_edge(draft.add_node(covering, token), relation, index, token)


def interpret_noun_modifiers(draft: Draft) -> None:
    """Make a noun before a noun its owner, its place or part of its name; otherwise it stays an attribute.

    An interpretation says what two nouns mean, X for the first and Y for the second: "X Y" is one name, "Y is X" an
    attribute, "X have Y" a relation; "X" or "Y" alone leaves the other out.
    """
    for index in range(len(draft.nodes)):
        while (modifier := modifier_noun(draft, draft.nodes[index])) is not None:
            interpretation = interpretation_of(modifier.lower(), draft.nodes[index].head.lower())
            if interpretation == AN_ATTRIBUTE:
                break
            interpret(draft, index, modifier, interpretation)


def modifier_noun(draft: Draft, node: Node) -> str | None:
    """Return the attribute that is a noun just before the head."""
    before = draft.lower(draft.head_start(node) - 1)
    return next((word for word in node.attributes if word.lower() == before and tag_of(before) in NOUN_TAGS), None)


@functools.lru_cache(maxsize=1 << 14)
def interpretation_of(modifier: str, head: str) -> str:
    """Return what two nouns mean: by the list of pairs, otherwise by the lists of single nouns."""
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
    """Return whether the first noun says which kind the second is, as listed nouns and names of makes do."""
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


def interpret(draft: Draft, index: int, modifier: str, interpretation: str) -> None:
    """Rewrite the node of two nouns as the interpretation says."""
    draft.remove_attribute(index, modifier)
    node = draft.nodes[index]
    token = draft.head_start(node) - 1
    if interpretation == "X Y":
        draft.change_node(index, head=f"{modifier} {node.head}")
    elif interpretation in ("X", "X is Y"):
        added = () if interpretation == "X" else (node.head,)
        draft.change_node(index, head=modifier, head_token=token, attributes=(*node.attributes, *added))
    elif interpretation != "Y":
        other = draft.add_node(modifier, token)
        subject, object_ = (other, index) if interpretation.startswith("X") else (index, other)
        draft.add_edge(subject, interpretation[2:-2], object_, token)


def name_sides(draft: Draft) -> None:
    """ "right hand", "front wheel": make the side part of the name."""
    for index, node in enumerate(draft.nodes):
        side = draft.lower(draft.head_start(node) - 1)
        is_part = is_listed(node.head, "body_parts") or is_listed(node.head, "factual_whole_parts")
        if is_part and side in words("factual_sides") and side in node.attributes:
            draft.remove_attribute(index, side)
            draft.change_node(index, head=f"{side} {node.head}")


def repeat_for_each_other(draft: Draft) -> None:
    """ "two dogs next to each other": a dog next to a dog; "a man and a dog next to each other": the man to the dog."""
    for index, node, word in draft.attributes():
        after = draft.place_of(node, word) + 1
        following = f"{draft.lower(after)} {draft.lower(after + 1)}"
        if not following.startswith(EACH_OTHER) or word not in draft.nodes[index].attributes:
            continue
        others = [other for other, them in enumerate(draft.nodes) if other != index and word in them.attributes]
        relation = f"{word} by side with" if following == "by side" else word
        for place in (index, *others):
            draft.remove_attribute(place, word)
        for number in [other for other in node.attributes if tag_of(other.lower()) is Tag.NUMBER]:
            draft.remove_attribute(index, number)
        for other in others[:1] or [draft.add_node(node.head, after)]:
            draft.add_edge(index, relation, other, after - 1)


def leave_out_absent(draft: Draft) -> None:
    """Leave out absent objects ("no X", "without X"), times and the picture itself; the verb stays an attribute."""
    for index, node in enumerate(draft.nodes):
        inbound = [edge for edge in draft.edges if edge.object == index]
        if any(edge.negated for edge in inbound) or NO in node.attributes:
            draft.dropped.add(index)
        is_thing = node.head.lower() in words("factual_pictures") and any(
            edge.relation.lower() in BESIDE for edge in inbound
        )
        if inbound and not is_thing and node.head.lower() in words("factual_left_out"):
            draft.dropped.add(index)
            for edge in inbound:
                action = action_of(edge.relation.lower())
                draft.change_node(edge.subject, attributes=(*draft.nodes[edge.subject].attributes, *action))


def action_of(relation: str) -> tuple[str, ...]:
    """Return the verb of a relation whose object is left out; taking a picture is "taking photo"."""
    spoken = [word for word in relation.split() if tag_of(word) not in STRANDED]
    if not spoken or tag_of(spoken[0]) not in VERB_TAGS:
        return ()
    return ("taking photo",) if spoken[0] in ("taking", "takes", "take") else (" ".join(spoken),)


def drop_stranded(draft: Draft) -> None:
    """Drop prepositions without an object, and verbs that end with one: "used to"."""
    for index, _, attribute in draft.attributes():
        *before, last = attribute.lower().split()
        is_action = bool(before) and tag_of(before[0]) in VERB_TAGS and last not in PARTICLES
        is_kept = attribute.lower() in words("factual_said_prepositions")
        is_alone = all(tag_of(word) in STRANDED for word in before) and not is_kept
        if tag_of(last) in STRANDED and (is_alone or is_action):
            draft.remove_attribute(index, attribute)


def rename(draft: Draft) -> None:
    """Replace heads and attributes by FACTUAL's words for them, or by nothing."""
    heads, attributes = renamings("factual_heads"), renamings("factual_attributes")
    for index, node in enumerate(draft.nodes):
        kept = [attributes.get(word.lower(), plain_colour(word)) for word in node.attributes]
        head = heads.get(node.head.lower(), node.head)
        draft.change_node(index, head=head, attributes=tuple(dict.fromkeys(word for word in kept if word)))


def plain_colour(attribute: str) -> str:
    """ "green colored" is green."""
    first, _, last = attribute.lower().partition(" ")
    return first if last in ("colored", "coloured") and first in words("factual_plain_colours") else attribute
