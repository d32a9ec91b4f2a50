"""Remarks about an answer of the rules: words that no rule read, and parts that have no box of their own."""

import re
from collections.abc import Iterator, Sequence

from jvgn.rules.category_words import VIEWERS
from jvgn.rules.nouns import Noun, is_placeholder
from jvgn.rules.rule_potentials import RulePotentials
from jvgn.rules.scene import Scene
from parsers.guarantees import left_out
from parsers.scene_graph import SceneGraph
from parsers.words.lexicon import Tag, tag_of
from parsers.words.negation import NO


def notes(scene: Scene, graph: SceneGraph, rules: RulePotentials, region_K: Sequence[int]) -> Iterator[str]:
    """Yield a sentence for each remark; `region_K` is the answer.

    A detector with an open vocabulary reads the attributes itself, and finds boxes of parts.
    """
    if scene.fit_KN is not None:
        return
    unread = [text for node, noun in enumerate(rules.nouns) for text in unread_attributes(graph, node, noun, rules)]
    unread += [graph.tokens[token] for token in left_out(graph) if says_more(graph.tokens[token].lower())]
    if unread:
        listed = ", ".join(f"“{text}”" for text in dict.fromkeys(unread))
        yield f"no rule reads {listed}; the answer does not depend on it"
    for node, noun in enumerate(rules.nouns):
        if noun.kind == "part" and region_K[node] < len(scene):
            phrase = " ".join(graph.tokens[token] for token in graph.nodes[node].tokens)
            yield f"“{phrase}” has no box of its own; the box is that of its owner"


def unread_attributes(graph: SceneGraph, node: int, noun: Noun, rules: RulePotentials) -> Iterator[str]:
    """Yield the attributes of a node that neither its noun nor a rule reads."""
    read = {NO, *noun.word.split()} | ({"other"} if is_placeholder(graph.nodes[node].head.lower()) else set())
    for one in rules.contributions:
        if one.node == node or (one.edge is not None and node == graph.edges[one.edge].object):
            read.update(split(one.words))
    for attribute in graph.nodes[node].attributes:
        if not read & set(split(attribute)):
            yield attribute


def says_more(word: str) -> bool:
    """Return whether a word outside of the graph should have been in it: "on" of "on the left" need not be."""
    return tag_of(word) not in (Tag.PREPOSITION, Tag.ADVERB) and word not in VIEWERS


def split(text: str) -> list[str]:
    return re.split(r"[ _]", text.lower())
