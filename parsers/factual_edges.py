"""FACTUAL's habits with relations; `conventions` holds the table of them."""

import functools
import re
from dataclasses import replace

from parsers.draft import Draft
from parsers.factual_objects import VERB_TAGS
from parsers.lemmas import verb_base
from parsers.lexicon import is_listed, renamings, tag_of
from parsers.scene_graph import Edge
from parsers.spelling import respelled

POSSESSIVES = frozenset({"his", "her", "its", "their"})
SILENT = frozenset({"the", "a", "an", "this", "that", "one", "not"})
"""Words that a relation leaves out."""
LONG = 14
"""So many words make a caption that FACTUAL's annotators write out: they put "have" for "with"."""
PARTICLES = frozenset({"down", "up", "out", "back", "over", "around", "off"})
"""Before a preposition they are left out: "laying down on"."""


def lemmatise(draft: Draft) -> None:
    """Verbs in their base form, articles gone; of "about to hit", only the last verb."""
    for index, edge in enumerate(draft.edges):
        draft.edges[index] = replace(edge, relation=base_relation(edge.relation.lower()))


@functools.lru_cache(maxsize=1 << 14)
def base_relation(relation: str) -> str:
    spoken = [respelled(word) for word in relation.split() if word not in SILENT]
    for place in range(len(spoken) - 1, 0, -1):
        if spoken[place - 1] == "to" and tag_of(spoken[place]) in VERB_TAGS:
            spoken = spoken[place:]
            break
    based = [verb_base(word) if tag_of(word) in VERB_TAGS else word for word in spoken]
    if len(based) >= 3 and based[1] in PARTICLES and based[2] != "of" and tag_of(spoken[0]) in VERB_TAGS:
        del based[1]
    return " ".join(based) or relation


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


def turn_with(draft: Draft) -> None:
    """ "table with laptops on it": the laptops are on the table, and that is all."""
    for index, edge in enumerate(draft.edges):
        match = re.fullmatch(r"(?:with|have) (.+)", edge.relation)
        if match:
            draft.edges[index] = replace(edge, subject=edge.object, relation=match[1], object=edge.subject)


def wear(draft: Draft) -> None:
    """ "man in a shirt" wears it, but he stays "in a jacket"; in long captions he wears whatever he is in."""
    is_long = len(draft.tokens) >= LONG
    for index, edge in enumerate(draft.edges):
        if not (draft.is_a(edge.subject, "animates") and draft.is_a(edge.object, "clothes")):
            continue
        worn = {"in": "factual_worn_in", "with": "factual_worn_with"}.get(edge.relation, "")
        if edge.relation == "have on" or (worn and (is_long or draft.is_a(edge.object, worn))):
            draft.edges[index] = replace(edge, relation="wear")


def have(draft: Draft) -> None:
    """ "with his hat" has it; in long captions, whatever is with one."""
    for index, edge in enumerate(draft.edges):
        is_own = draft.lower(edge.tokens[-1] + 1) in POSSESSIVES or len(draft.tokens) >= LONG
        if edge.relation == "with" and is_own:
            draft.edges[index] = replace(edge, relation="have")


def rename_relations(draft: Draft) -> None:
    """Relations, and the prepositions that end them, in the words FACTUAL uses."""
    for index, edge in enumerate(draft.edges):
        draft.edges[index] = replace(edge, relation=renamed_relation(edge.relation))


@functools.lru_cache(maxsize=1 << 14)
def renamed_relation(relation: str) -> str:
    table = renamings("factual_relations")
    pattern = "|".join(re.escape(written) for written in sorted(table, key=len, reverse=True))
    return re.sub(rf"(?<![^ ])(?:{pattern})(?![^ ])", lambda match: table[match[0]], relation)
