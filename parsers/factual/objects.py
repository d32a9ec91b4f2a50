"""FACTUAL's habits with objects and attributes; `conventions` holds the table of them."""

from dataclasses import replace

from parsers.factual.draft import Draft
from parsers.words.lexicon import Tag, is_listed, renamings, tag_of, words
from parsers.words.spelling import respelled

VERB_TAGS = frozenset("VGgEvzqs")
"""The tags of words that can be a verb's form."""
BESIDE = frozenset({"on", "beside", "next to", "above", "under", "below", "near", "behind", "with", "hanging on"})
"""What relates an object to a picture that is an object too."""
ALONG_A_SIDE = frozenset({"on", "over", "off", "across", "down", "up", "beside"})
"""What is so related to a side of a thing is on it."""
ONLOOKERS = frozenset({"i", "we", "you"})
EACH_OTHER = ("each other", "eachother", "one another", "by side")


def spell(draft: Draft) -> None:
    """Slips of the pen are mended."""
    for index, node in enumerate(draft.nodes):
        attributes = tuple(respelled_words(word) for word in node.attributes)
        draft.change_node(index, head=respelled_words(node.head), attributes=attributes)
    draft.lowered = [respelled(word) for word in draft.lowered]


def respelled_words(text: str) -> str:
    return " ".join(respelled(word) if word.islower() else word for word in text.split())


def resolve_pronouns(draft: Draft) -> None:
    """ "he" is the person or animal named before; who only looks at the picture is not in it."""
    for index, node in enumerate(draft.nodes):
        if node.head.lower() in ONLOOKERS:
            draft.dropped.add(index)
        elif node.head.lower() in words("subject_pronouns"):
            heads = enumerate(other.head.rpartition(" ")[2] for other in draft.nodes[:index])
            earlier = next((other for other, head in heads if is_listed(head, "animates")), None)
            if earlier is not None:
                draft.merge(index, earlier)
        if node.head.lower() in ("one", "ones", "another") and index:
            subjects = [edge.subject for edge in draft.edges if edge.object == index]
            draft.change_node(index, head=draft.nodes[subjects[0] if subjects else 0].head)


def mention_quotations(draft: Draft) -> None:
    """On a "stop" sign, or one that says "stop", there are words; on a "42" bus, a number."""
    quotations = {index for index, node in enumerate(draft.nodes) if draft.is_quoted(draft.head_start(node), node.head)}
    for index, node, text in draft.attributes():
        first = draft.place_of(node, text) - len(text.split()) + 1
        if draft.is_quoted(first, text):
            draft.without(index, text)
            if node.head.lower() not in words("factual_quoting"):
                draft.add_edge(draft.add_node(name_of_text(text), first), "on", index, first)
    for place, edge in enumerate(draft.edges):
        is_said = edge.relation.lower() in words("factual_saying") and not draft.is_a(edge.subject, "animates")
        if edge.object in quotations and is_said:
            draft.edges[place] = replace(edge, subject=edge.object, relation="on", object=edge.subject)
    for index in quotations:
        draft.change_node(index, head=name_of_text(draft.nodes[index].head))


def name_of_text(text: str) -> str:
    return "number" if text.isdigit() else "words"


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
    """ "two dogs next to each other": a dog next to a dog; "a man and a dog next to each other": the man to the dog."""
    for index, node, said in draft.attributes():
        after = draft.place_of(node, said) + 1
        following = f"{draft.lower(after)} {draft.lower(after + 1)}"
        if not following.startswith(EACH_OTHER) or said not in draft.nodes[index].attributes:
            continue
        others = [other for other, them in enumerate(draft.nodes) if other != index and said in them.attributes]
        relation = f"{said} by side with" if following == "by side" else said
        for place in (index, *others):
            draft.without(place, said)
        for number in [word for word in node.attributes if tag_of(word.lower()) is Tag.NUMBER]:
            draft.without(index, number)
        for other in others[:1] or [draft.add_node(node.head, after)]:
            draft.add_edge(index, relation, other, after - 1)


def dissolve(draft: Draft) -> None:
    """ "a body of water" is water; what is on its "sunny side" is on the side of it."""
    dissolved = renamings("factual_dissolved")
    for edge in list(draft.edges):
        part = draft.nodes[edge.subject].head.lower()
        if edge.relation.lower() != "of" or part not in dissolved or edge.subject in draft.dropped:
            continue
        for index, other in enumerate(draft.edges):
            if other.object == edge.subject:
                draft.edges[index] = replace(other, relation=through(other.relation.lower(), part))
        draft.merge(edge.subject, edge.object)
        said = draft.nodes[edge.object].attributes
        draft.change_node(edge.object, attributes=tuple(filter(None, (*said, dissolved[part]))))


def through(relation: str, part: str) -> str:
    """A relation to a part, as a relation to the whole: what hangs over the side of a tub hangs on the side of it, and
    who touches the top of a head touches "on top of" the head.
    """
    if relation in ("taking", "takes", "take"):
        return "take photo of"
    *before, last = relation.split()
    if part not in words("factual_sides_of"):
        return relation
    if last in ALONG_A_SIDE:
        return " ".join((*before, "on", part, "of"))
    return f"{relation} on {part} of" if tag_of(last) in VERB_TAGS else relation


def give_parts(draft: Draft) -> None:
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
            draft.without(index, attribute)
        draft.add_edge(index, "have", draft.add_node(part, token, (kind,) if kind else before), token)


def cover(draft: Draft) -> None:
    """ "snowy hill": there is snow on the hill."""
    coverings = renamings("factual_coverings")
    for index, node, word in draft.attributes():
        token = draft.place_of(node, word)
        if word.lower() in coverings and token < draft.head_start(node):
            covering, relation = coverings[word.lower()].split()
            draft.without(index, word)
            draft.add_edge(draft.add_node(covering, token), relation, index, token)
