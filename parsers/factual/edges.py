"""FACTUAL's habits with relations; `conventions` holds the table of them."""

import functools
import re
from dataclasses import replace

from parsers.factual.draft import LONG, Draft
from parsers.factual.nouns import modifier_noun
from parsers.factual.objects import VERB_TAGS
from parsers.scene_graph import Edge
from parsers.words.lemmas import verb_base
from parsers.words.lexicon import Tag, is_listed, renamings, tag_of, words
from parsers.words.spelling import respelled

POSSESSIVES = frozenset({"his", "her", "its", "their"})
SILENT = frozenset({"the", "a", "an", "this", "that", "one", "not"})
"""Words that a relation leaves out."""
DOING = frozenset({"doing", "does", "do", "performing", "performs", "perform", "practicing"})
PLACES = frozenset({"on", "in", "at", "with", "off", "over"})
WITH_MEANS = frozenset({"hit", "play", "touch", "cut", "catch", "paint"})
"""Deeds that are done with something."""
HAVING = frozenset({"with", "has", "have", "having", "had"})
LINED = re.compile(rf"((?:{'|'.join(sorted(HAVING))}) |)(?:lined up|(?:line|lines|lining)(?= on)) (.+)")
"""What is in a line: what comes first, if it is what somebody has."""
BESIDE_A_SEAT = frozenset({"next to", "beside", "near", "at", "by", "in front of"})
"""Where who sits, or is parked, does so too."""
PARKING = frozenset({"on", "in", "near", "beside", "along", "at", "by", "behind"})
SAYING_MORE = 7
"""So many words make a caption that leaves out what is only loosely related."""
FULL = 8
"""So many words make a caption in which who is "with" a beard has it."""
PARTICLES = frozenset({"down", "up", "out", "back", "over", "around", "off"})
"""Before a preposition they are left out, as in "laying down on"; "leading up to" keeps them."""


def lemmatise(draft: Draft) -> None:
    """Verbs in their base form, articles gone; of "about to hit", only the last verb."""
    for index, edge in enumerate(draft.edges):
        draft.edges[index] = replace(edge, relation=base_relation(edge.relation.lower()))


@functools.lru_cache(maxsize=1 << 14)
def base_relation(relation: str) -> str:
    spoken = [respelled(word) for word in relation.split() if word not in SILENT]
    for place in range(len(spoken) - 1, 0, -1):
        if spoken[place - 1] == "to" and tag_of(spoken[place]) in VERB_TAGS | {Tag.NOUN}:
            spoken = spoken[place:]
            break
    based = [verb_base(word) if tag_of(word) in VERB_TAGS else word for word in spoken]
    if len(based) >= 3 and based[1] in PARTICLES and based[2] not in ("of", "to") and tag_of(spoken[0]) in VERB_TAGS:
        del based[1]
    return " ".join(based) or relation


def say_once(draft: Draft) -> None:
    """ "talking to a woman next to him" is talking to her; where a thing is "with" another, the second words count."""
    for index, edge in enumerate(draft.edges):
        spoken = edge.relation.split()
        last = max(draft.nodes[edge.subject].head_token, draft.nodes[edge.object].head_token)
        first = sum(token < last for token in edge.tokens)
        if spoken[0].lower() not in HAVING and len(spoken) == len(edge.tokens) and 0 < first < len(spoken):
            draft.edges[index] = replace(edge, relation=" ".join(spoken[:first]))


def turn_passives(draft: Draft) -> None:
    """ "covered in": the preposition only says that the doer comes last."""
    for index, edge in enumerate(draft.edges):
        last = edge.relation.rpartition(" ")[2]
        if is_turned(draft, edge) and last in ("by", "in", "with"):
            draft.edges[index] = replace(edge, relation=edge.relation[: -len(last) - 1] or edge.relation)


def is_turned(draft: Draft, edge: Edge) -> bool:
    """Whether the subject stands after the relation, and the object before it."""
    return draft.nodes[edge.object].head_token < edge.tokens[0] < draft.nodes[edge.subject].head_token


def turn_of(draft: Draft) -> None:
    """ "leg of the man": the man has the leg; "plate of food": the food is on the plate."""
    containers = renamings("factual_containers")
    for index, edge in enumerate(draft.edges):
        if edge.relation != "of":
            continue
        whole = draft.nodes[edge.subject].head.lower()
        relation = containers.get(whole) or containers.get(whole.removesuffix("s"), "have")
        if is_listed(whole, "factual_holders"):
            draft.edges[index] = replace(edge, relation="have")
        else:
            draft.edges[index] = replace(edge, subject=edge.object, relation=relation, object=edge.subject)


def do_tricks(draft: Draft) -> None:
    """ "doing a trick on a skateboard" is one relation, "trick on"; so is "doing a skateboard trick"."""
    for index, edge in enumerate(draft.edges):
        trick = draft.nodes[edge.object]
        name = trick.head.lower().removesuffix("s")
        if name not in ("trick", "stunt") or edge.relation.lower() not in DOING or edge.object == draft.referent:
            continue
        means = modifier_noun(draft, trick)
        if means is not None:
            draft.without(edge.object, means)
            draft.change_node(edge.object, head=means, head_token=trick.head_token - 1)
            draft.edges[index] = replace(edge, relation=f"{name} on")
            continue
        draft.change_node(edge.object, attributes=())
        draft.merge(edge.object, edge.subject)
        for place, other in enumerate(draft.edges):
            if other.subject == edge.subject and other.relation.lower() in PLACES and other.tokens > edge.tokens:
                draft.edges[place] = replace(other, relation=f"{name} {other.relation.lower()}")


def lie_folded(draft: Draft) -> None:
    """What is "folded on a bed" is on it, and folded; but "parked cars on a street" are parked on it."""
    for index, edge in enumerate(draft.edges):
        verb, _, place = edge.relation.partition(" ")
        if verb == "fold" and place:
            draft.say(edge.subject, "folded")
            draft.edges[index] = replace(edge, relation=place)
        elif verb in PARKING and not place and "parked" in draft.nodes[edge.subject].attributes:
            draft.without(edge.subject, "parked")
            draft.edges[index] = replace(edge, relation=f"park {verb}")


def stand_in_line(draft: Draft) -> None:
    """What is "lined up on a shelf", or lines the side of a road, is in a line, and on the shelf or the side."""
    lined: dict[tuple[int, int], None] = {}
    for index, node, said in draft.attributes():
        if said.lower() == "lined up":
            draft.without(index, said)
            lined[index, draft.place_of(node, said)] = None
    for place, edge in enumerate(draft.edges):
        found = LINED.fullmatch(edge.relation.lower())
        if found:
            draft.edges[place] = replace(edge, relation=found[1] + found[2])
            lined[edge.object if found[1] else edge.subject, edge.tokens[0]] = None
    for who, token in lined:
        draft.add_edge(who, "in", draft.add_node("line", token), token)


def sit_beside(draft: Draft) -> None:
    """Who is "sitting on a bench next to a dog" sits next to the dog."""
    for index, edge in enumerate(draft.edges):
        if edge.relation not in BESIDE_A_SEAT:
            continue
        before = [other for other in draft.edges if other.subject == edge.subject and other.tokens < edge.tokens]
        seats = [verb for verb in (other.relation.partition(" ")[0] for other in before) if verb in ("sit", "park")]
        if seats:
            draft.edges[index] = replace(edge, relation=f"{seats[-1]} {edge.relation}")


def use_means(draft: Draft) -> None:
    """ "hitting a ball with a bat" is also hitting with a bat."""
    for index, edge in enumerate(draft.edges):
        if edge.relation != "with":
            continue
        deeds = [other for other in draft.edges if other.subject == edge.subject and other.relation in WITH_MEANS]
        if deeds and deeds[0].tokens < edge.tokens:
            draft.edges[index] = replace(edge, relation=f"{deeds[0].relation} with")


def relate_neighbours(draft: Draft) -> None:
    """ "a desk and a guitar", and nothing else, are next to each other; "the cars doors" are theirs."""
    said = [set(node.attributes) for node in draft.nodes]
    if draft.edges or draft.dropped or len(said) != 2 or said[0] & said[1]:
        return
    first, second = sorted((0, 1), key=lambda index: draft.nodes[index].head_token)
    end, start = draft.nodes[first].head_token, min(draft.nodes[second].tokens)
    if start == end + 1 and draft.lower(end).endswith("s"):
        draft.add_edge(first, "have", second, end)
    elif any(draft.lower(token) in ("and", ",", "&") for token in range(end + 1, start)):
        draft.add_edge(first, "next to", second, end + 1)


def turn_with(draft: Draft) -> None:
    """ "table with laptops on it": the laptops are on the table, and that is all."""
    for index, edge in enumerate(draft.edges):
        match = re.fullmatch(r"(?:with|have) (.+)", edge.relation)
        is_apart = edge.tokens[-1] - edge.tokens[0] >= len(edge.tokens)  # but "he has on jeans"
        if match and is_apart:
            draft.edges[index] = replace(edge, subject=edge.object, relation=match[1], object=edge.subject)


def turn_listed(draft: Draft) -> None:
    """Some relations FACTUAL says the other way round: of a "fruit filled bag", the bag is filled with fruit."""
    turned = renamings("factual_turned")
    for index, edge in enumerate(draft.edges):
        relation = turned.get(edge.relation)
        if relation is not None:
            draft.edges[index] = replace(edge, subject=edge.object, relation=relation, object=edge.subject)


def place_on(draft: Draft) -> None:
    """ "cake with a cherry on top": the cherry is on top of the cake, and that is all."""
    for index, edge in enumerate(draft.edges):
        place = said_place(draft, edge) if edge.relation.lower() in HAVING else None
        if place is not None:
            who, said = place
            relation = renamings("factual_place_relations")[said.lower()]
            draft.without(who, said)
            draft.edges[index] = replace(edge, subject=edge.object, relation=relation, object=edge.subject)


def said_place(draft: Draft, edge: Edge) -> tuple[int, str] | None:
    """A place named after what the relation leads to, and the node it was said of."""
    last = draft.nodes[edge.object].head_token
    for who in (edge.object, edge.subject):
        node = draft.nodes[who]
        for word in node.attributes:
            if word.lower() in renamings("factual_place_relations") and draft.place_of(node, word) > last:
                return who, word
    return None


def wear(draft: Draft) -> None:
    """ "man in a shirt" wears it, but he stays "in a jacket"; in long captions he wears whatever he is in."""
    is_long = len(draft.tokens) >= LONG or len(draft.edges) > 2
    for index, edge in enumerate(draft.edges):
        if not (draft.is_a(edge.subject, "animates") and draft.is_a(edge.object, "clothes")):
            continue
        worn = {"in": "factual_worn_in", "with": "factual_worn_with"}.get(edge.relation, "")
        is_on = draft.lower(draft.nodes[edge.object].head_token + 1) == "on" and edge.relation == "with"
        if is_on or (worn and (is_long or draft.is_a(edge.object, worn))):
            draft.edges[index] = replace(edge, relation="wear")


def clothe(draft: Draft) -> None:
    """In long captions, a man in white wears clothes that are white; words written in white on a sign are white."""
    for index, edge in enumerate(draft.edges):
        colour = draft.nodes[edge.object].head
        verb, _, preposition = edge.relation.rpartition(" ")
        if colour.lower() not in words("colours") or edge.object == draft.referent:
            continue
        if edge.relation in ("in", "wear", "dress in") and draft.is_a(edge.subject, "animates"):
            if len(draft.tokens) >= LONG:
                draft.say(edge.object, colour)
                draft.change_node(edge.object, head="clothes")
                draft.edges[index] = replace(edge, relation="wear")
        elif preposition == "in" and draft.is_a(edge.subject, "markings"):
            draft.say(edge.subject, colour)
            draft.dropped.add(edge.object)
            for place, other in enumerate(draft.edges):
                if verb and other.subject == edge.subject and other.relation in PLACES and other.tokens > edge.tokens:
                    draft.edges[place] = replace(other, relation=f"{verb} {other.relation}")


def have(draft: Draft) -> None:
    """ "with his hat" has it, as whoever more is said of has a beard; in long captions, whatever is with one."""
    says_more = len(draft.edges) > 2 or len(draft.tokens) >= FULL
    for index, edge in enumerate(draft.edges):
        is_worn = draft.is_a(edge.object, "body_parts") or draft.is_a(edge.object, "clothes")
        is_own = is_worn and draft.lower(edge.tokens[-1] + 1) in POSSESSIVES
        is_part = says_more and draft.is_a(edge.subject, "animates") and draft.is_a(edge.object, "body_parts")
        if edge.relation == "with" and (is_own or is_part or len(draft.tokens) >= LONG):
            draft.edges[index] = replace(edge, relation="have")


def rename_relations(draft: Draft) -> None:
    """Relations, and the prepositions that end them, in the words FACTUAL uses."""
    for index, edge in enumerate(draft.edges):
        draft.edges[index] = replace(edge, relation=renamed_relation(edge.relation))


def leave_out_loose(draft: Draft) -> None:
    """What a thing is for, from or like is no relation where a caption says more; both things stay."""
    for index, edge in enumerate(draft.edges):
        is_loose = edge.relation in words("factual_loose") or edge.relation.endswith((" for", " like"))
        is_said = edge.tokens[0] not in (*draft.nodes[edge.subject].tokens, *draft.nodes[edge.object].tokens)
        if is_loose and is_said and len(draft.tokens) >= SAYING_MORE:
            draft.cut.add(index)


@functools.lru_cache(maxsize=1 << 14)
def renamed_relation(relation: str) -> str:
    table = renamings("factual_relations")
    pattern = "|".join(re.escape(written) for written in sorted(table, key=len, reverse=True))
    return re.sub(rf"(?<![^ ])(?:{pattern})(?![^ ])", lambda match: table[match[0]], relation)
