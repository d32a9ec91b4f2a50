"""FACTUAL's habits with attributes; `conventions` holds the table of them."""

from dataclasses import replace

from parsers.factual.draft import LONG, Draft
from parsers.factual.objects import VERB_TAGS
from parsers.words.lexicon import Tag, renamings, tag_of, words

KEPT_PLACES = frozenset({"outside", "inside"})
"""Places that stay attributes."""
SHAPES = frozenset({"shaped", "patterned", "sized", "size", "skinned", "colored", "coloured"})
"""Words that say of what kind the word before them is."""
SAID_PLACES = {"left": "on the left", "right": "on the right", "middle": "in the middle", "center": "in the center"}
"""Places that long captions keep, as they say them."""
STRANDED = frozenset({Tag.PREPOSITION, Tag.TO, Tag.OF})
PARTICLES = frozenset({"up", "down", "out", "over", "off", "away"})
"""Prepositions that may end a deed: "looking down"."""
EACH = frozenset({"wear", "hold", "ride", "have"})
"""What each of several does with one of several."""


def join_shapes(draft: Draft) -> None:
    """ "arrow shaped" is one attribute; "square shaped" is square, and "green colored" green."""
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        first = draft.lower(token - 1)
        if word.lower() not in SHAPES or first not in node.attributes:
            continue
        is_colour = word.lower().startswith(("color", "colour"))
        is_plain = first in words("factual_plain_colours") if is_colour else tag_of(first) is Tag.ADJECTIVE
        joined = "multi-colored" if first == "different" else f"{first} {word}"
        wanted = () if is_plain else (joined,)
        kept = [other for other in node.attributes if other != word and (is_plain or other != first)]
        draft.change_node(index, attributes=(*kept, *wanted))


def forget_sizes(draft: Draft) -> None:
    """Of "a large group of people", nobody is large."""
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        is_measure = draft.lower(token + 2) == "of" and draft.lower(token + 1) in words("factual_gatherings")
        if is_measure and word.lower() in words("factual_sizes"):
            draft.without(index, word)


def likeness(draft: Draft) -> None:
    """ "a kite shaped like a dragon" is dragon shaped."""
    for edge in draft.edges:
        before = draft.lower(edge.tokens[0] - 1)
        if edge.relation.lower() == "like" and before == "shaped" and edge.object != draft.referent:
            draft.without(edge.subject, before)
            draft.say(edge.subject, f"{draft.nodes[edge.object].head} shaped")
            draft.dropped.add(edge.object)


def stand_outside(draft: Draft) -> None:
    """ "walking outside" is two attributes, and who does something outside is outside."""
    for place, edge in enumerate(draft.edges):
        verb, outside, rest = edge.relation.lower().partition(" outside ")
        if outside and rest != "of":
            draft.say(edge.subject, "outside")
            draft.edges[place] = replace(edge, relation=f"{verb} {rest}")
    for index, node, said in draft.attributes():
        verb, _, last = said.lower().rpartition(" ")
        if last != "outside" or draft.place_of(node, said) < draft.head_start(node):
            continue
        draft.without(index, said)
        for word in (verb, last) if verb else (last,):
            draft.say(draft.main_subject(index), word)


def count_both(draft: Draft) -> None:
    for index, node in enumerate(draft.nodes):
        start = min(node.tokens)
        if "both" in (draft.lower(start - 1), draft.lower(start - 2)):
            draft.change_node(index, attributes=("2", *node.attributes))


def count_each(draft: Draft) -> None:
    """ "two men wearing hats": there are two hats."""
    for edge in draft.edges:
        numbers = [word for word in draft.nodes[edge.subject].attributes if word.isdigit()]
        theirs = draft.nodes[edge.object]
        is_many = tag_of(theirs.head.rpartition(" ")[2].lower()) in (Tag.PLURAL, Tag.FORM_IN_S_OR_NOUN)
        if edge.relation in EACH and numbers and is_many and not any(word.isdigit() for word in theirs.attributes):
            draft.say(edge.object, numbers[0])


def drop_stranded(draft: Draft) -> None:
    """A preposition without an object says nothing, nor does what somebody does to nothing: "used to"."""
    for index, _, said in draft.attributes():
        *before, last = said.lower().split()
        is_deed = bool(before) and tag_of(before[0]) in VERB_TAGS and last not in PARTICLES
        is_said = said.lower() in words("factual_said_prepositions")
        is_alone = all(tag_of(word) in STRANDED for word in before) and not is_said
        if tag_of(last) in STRANDED and (is_alone or is_deed):
            draft.without(index, said)


def leave_out_numerals(draft: Draft) -> None:
    """Which number the "number 8" is, nobody writes."""
    for index, node, said in draft.attributes():
        is_after = draft.place_of(node, said) > node.head_token  # "two numbers" are two
        if node.head.lower() == "number" and tag_of(said.lower()) is Tag.NUMBER and is_after:
            draft.without(index, said)


def rename(draft: Draft) -> None:
    """Heads and attributes get the words FACTUAL uses; those it leaves out go."""
    heads, attributes = renamings("factual_heads"), renamings("factual_attributes")
    for index, node in enumerate(draft.nodes):
        kept = [attributes.get(word.lower(), plain_colour(word)) for word in node.attributes]
        head = heads.get(node.head.lower(), node.head)
        draft.change_node(index, head=head, attributes=tuple(dict.fromkeys(word for word in kept if word)))


def plain_colour(attribute: str) -> str:
    """ "green colored" is green."""
    first, _, last = attribute.lower().partition(" ")
    return first if last in ("colored", "coloured") and first in words("factual_plain_colours") else attribute


def place_in_scene(draft: Draft) -> None:
    """ "in the background" is a relation to the background; a place in the picture is left out."""
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        if token < draft.head_start(node) or word.lower() in KEPT_PLACES:
            continue
        if word.lower() == "distance":
            draft.without(index, word)
            draft.say(draft.main_subject(index), "in the distance")
            continue
        if word.lower() in words("factual_scenes"):
            draft.without(index, word)
            deeds = [said for said in node.attributes if 0 < token - draft.place_of(node, said) <= 3]
            deed = next((said for said in deeds if tag_of(said.lower()) in (Tag.ING, Tag.POSTURE)), "")
            draft.without(index, deed)
            relation = f"{deed} in" if deed else "in"
            draft.add_edge(draft.main_subject(index), relation, draft.add_node(word, token), token)
        elif all(part in words("places") | words("place_modifiers") for part in word.lower().split()):
            draft.without(index, word)
            place = SAID_PLACES.get(word.lower().rpartition(" ")[2], "")
            if place and len(draft.tokens) >= LONG:
                draft.say(index, place)
