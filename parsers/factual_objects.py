"""FACTUAL's habits with objects and attributes; `conventions` holds the table of them."""

from parsers.draft import Draft
from parsers.lexicon import Tag, is_listed, renamings, tag_of, words
from parsers.spelling import respelled

VERB_TAGS = frozenset({Tag.VERB, Tag.ING, Tag.POSTURE, Tag.PARTICIPLE, Tag.BASE_OR_NOUN, Tag.ING_OR_NOUN, Tag.LOCATED})
BESIDE = frozenset({"on", "beside", "next to", "above", "under", "below", "near", "behind", "with", "hanging on"})
"""What relates an object to a picture that is an object too."""


def spell(draft: Draft) -> None:
    """Slips of the pen are mended."""
    for index, node in enumerate(draft.nodes):
        attributes = tuple(respelled_words(word) for word in node.attributes)
        draft.change_node(index, head=respelled_words(node.head), attributes=attributes)
    draft.lowered = [respelled(word) for word in draft.lowered]


def respelled_words(text: str) -> str:
    return " ".join(respelled(word) if word.islower() else word for word in text.split())


def count_both(draft: Draft) -> None:
    for index, node in enumerate(draft.nodes):
        start = min(node.tokens)
        if "both" in (draft.lower(start - 1), draft.lower(start - 2)):
            draft.change_node(index, attributes=("2", *node.attributes))


def resolve_pronouns(draft: Draft) -> None:
    """ "he" is the person or animal named before."""
    for index, node in enumerate(draft.nodes):
        earlier = [other for other in range(index) if is_listed(draft.nodes[other].head.rpartition(" ")[2], "animates")]
        if node.head.lower() in words("subject_pronouns") and earlier:
            draft.merge(index, earlier[0])


def leave_out_text(draft: Draft) -> None:
    """ "the word stop", "a sign saying stop": what is written on things is left out."""
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


def leave_out(draft: Draft) -> None:
    """What is said not to be there, times and the picture itself are no objects; what was done stays said."""
    for index, node in enumerate(draft.nodes):
        inbound = [edge for edge in draft.edges if edge.object == index]
        if any(edge.relation.lower() == "without" for edge in inbound) or "no" in node.attributes:
            draft.dropped.add(index)
        is_thing = node.head.lower() in words("factual_pictures") and any(
            edge.relation.lower() in BESIDE for edge in inbound
        )
        if inbound and not is_thing and node.head.lower() in words("factual_left_out"):
            draft.dropped.add(index)
            for edge in inbound:
                said = deed(edge.relation.lower())
                draft.change_node(edge.subject, attributes=(*draft.nodes[edge.subject].attributes, *said))


def deed(relation: str) -> tuple[str, ...]:
    """The verb of a relation whose object is left out; taking a picture is "taking photo"."""
    spoken = [word for word in relation.split() if tag_of(word) not in (Tag.PREPOSITION, Tag.TO, Tag.OF)]
    if not spoken or tag_of(spoken[0]) not in VERB_TAGS:
        return ()
    return ("taking photo",) if spoken[0] in ("taking", "takes", "take") else (" ".join(spoken),)


def repeat_for_each_other(draft: Draft) -> None:
    """ "dogs next to each other": a dog next to a dog."""
    for index, node, said in draft.attributes():
        after = draft.place_of(node, said) + 1
        following = f"{draft.lower(after)} {draft.lower(after + 1)}"
        if following.startswith(("each other", "eachother", "one another")):
            draft.without(index, said)
            draft.add_edge(index, said, draft.add_node(node.head, after), after - 1)


def drop_stranded(draft: Draft) -> None:
    """A preposition without an object says nothing, but for some."""
    for index, _, said in draft.attributes():
        if said.lower() not in words("factual_said_prepositions") and all(
            tag_of(word) in (Tag.PREPOSITION, Tag.TO, Tag.OF) for word in said.lower().split()
        ):
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
    return first if last in ("colored", "coloured") and first in words("colours") else attribute


def dissolve(draft: Draft) -> None:
    """ "a body of water" is water."""
    dissolved = renamings("factual_dissolved")
    for edge in list(draft.edges):
        part = draft.nodes[edge.subject].head.lower()
        if edge.relation.lower() == "of" and part in dissolved and edge.subject not in draft.dropped:
            draft.merge(edge.subject, edge.object)
            said = draft.nodes[edge.object].attributes
            draft.change_node(edge.object, attributes=tuple(filter(None, (*said, dissolved[part]))))


def give_parts(draft: Draft) -> None:
    """ "blond haired man": the man has hair that is blond."""
    parts = renamings("factual_parts")
    for index, node, word in draft.attributes():
        part = parts.get(word.lower())
        token = draft.place_of(node, word)
        if part is None or token >= draft.head_start(node):
            continue
        said = tuple(other for other in node.attributes if draft.place_of(node, other) == token - 1)
        for attribute in (word, *said):
            draft.without(index, attribute)
        draft.add_edge(index, "have", draft.add_node(part, token, said), token)


def cover(draft: Draft) -> None:
    """ "snowy hill": there is snow on the hill."""
    coverings = renamings("factual_coverings")
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        if word.lower() in coverings and token < draft.head_start(node):
            covering, relation = coverings[word.lower()].split()
            draft.without(index, word)
            draft.add_edge(draft.add_node(covering, token), relation, index, token)


def place_in_scene(draft: Draft) -> None:
    """ "in the background" is a relation to the background; a place in the picture is left out."""
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        if token < draft.head_start(node):
            continue
        if word.lower() == "distance":
            continue
        if word.lower() in words("factual_scenes"):
            draft.without(index, word)
            draft.add_edge(draft.main_subject(index), "in", draft.add_node(word, token), token)
        elif all(part in words("places") | words("place_modifiers") for part in word.lower().split()):
            draft.without(index, word)
