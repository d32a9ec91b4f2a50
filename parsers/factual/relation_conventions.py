"""FACTUAL's conventions for relations; `conventions` holds the table of them."""

import functools
import re
from dataclasses import replace

from parsers.factual.draft import LONG, Draft
from parsers.scene_graph import Edge
from parsers.words.lexicon import VERB_TAGS, Tag, is_listed, renamings, tag_of, verb_base
from parsers.words.spelling import respelled

SILENT = frozenset({"the", "a", "an", "this", "that", "one", "not"})
"""Words that a relation leaves out."""
PARTICLES = frozenset({"down", "up", "out", "back", "over", "around", "off"})
"""Left out before a preposition, as in "laying down on"; "leading up to" keeps them."""


def lemmatise(draft: Draft) -> None:
    """Put verbs into their base form and leave out articles; of "about to hit", keep the last verb."""
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


def shorten_passives(draft: Draft) -> None:
    """ "covered in": drop the preposition, which only says that the agent comes last."""
    for index, edge in enumerate(draft.edges):
        last = edge.relation.rpartition(" ")[2]
        if is_inverted(draft, edge) and last in ("by", "in", "with"):
            draft.edges[index] = replace(edge, relation=edge.relation[: -len(last) - 1] or edge.relation)


def is_inverted(draft: Draft, edge: Edge) -> bool:
    """Return whether the subject stands after the relation, and the object before it."""
    return draft.nodes[edge.object].head_token < edge.tokens[0] < draft.nodes[edge.subject].head_token


def invert_of(draft: Draft) -> None:
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


def invert_with(draft: Draft) -> None:
    """ "table with laptops on it": the laptops are on the table, and "with" is left out."""
    for index, edge in enumerate(draft.edges):
        match = re.fullmatch(r"(?:with|have) (.+)", edge.relation)
        is_apart = edge.tokens[-1] - edge.tokens[0] >= len(edge.tokens)  # but "he has on jeans"
        if match and is_apart:
            draft.edges[index] = replace(edge, subject=edge.object, relation=match[1], object=edge.subject)


def wear_clothes(draft: Draft) -> None:
    """ "man in a shirt" wears it, "man in a jacket" does not; in long captions people wear all clothes."""
    is_long = len(draft.tokens) >= LONG or len(draft.edges) > 2
    for index, edge in enumerate(draft.edges):
        if not (draft.is_a(edge.subject, "animates") and draft.is_a(edge.object, "clothes")):
            continue
        worn = {"in": "factual_worn_in", "with": "factual_worn_with"}.get(edge.relation, "")
        is_on = draft.lower(draft.nodes[edge.object].head_token + 1) == "on" and edge.relation == "with"
        if is_on or (worn and (is_long or draft.is_a(edge.object, worn))):
            draft.edges[index] = replace(edge, relation="wear")


def rename_relations(draft: Draft) -> None:
    """Replace relations, and the prepositions that end them, by FACTUAL's words for them."""
    for index, edge in enumerate(draft.edges):
        draft.edges[index] = replace(edge, relation=renamed_relation(edge.relation))


@functools.lru_cache(maxsize=1 << 14)
def renamed_relation(relation: str) -> str:
    table = renamings("factual_relations")
    pattern = "|".join(re.escape(written) for written in sorted(table, key=len, reverse=True))
    return re.sub(rf"(?<![^ ])(?:{pattern})(?![^ ])", lambda match: table[match[0]], relation)
