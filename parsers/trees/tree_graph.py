"""A dependency tree -> the scene graph: the passes, then the rules, then the guarantees."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from parsers.guarantees import guaranteed
from parsers.scene_graph import Edge, Node, SceneGraph
from parsers.trees.dependencies import Dependencies
from parsers.trees.matcher import Rule, matches
from parsers.trees.passes import rewrite
from parsers.trees.rules import RULES
from parsers.trees.tree import Tree
from parsers.trees.word_passes import NOUNS
from parsers.words.lexicon import words

EDGE = re.compile(r"\{(\w+)\} -(.+)-> \{(\w+)\}")
ATTRIBUTE = re.compile(r"\{(\w+)\}\((.+)\)")
NAME = re.compile(r"\{(\w+)\}")
MOST_WORDS, MOST_BELOW = 2000, 300
"""Time grows with the square of the words, and with the cube of the dependents of one word."""
MARK = re.compile(r"(?<=.)['’]s$")


@dataclass
class Found:
    """The findings of the rules in a sentence; nouns are units, words are tokens."""

    attributes: dict[int, set[tuple[int, ...]]] = field(default_factory=dict)
    edges: set[tuple[int, tuple[int, ...], int]] = field(default_factory=set)
    heads: list[int] = field(default_factory=list)
    qualifiers: set[int] = field(default_factory=set)
    """Units that are an attribute."""


def read(tree: Tree) -> SceneGraph:
    if is_contrived(tree):
        return guaranteed([word.text for word in tree.words], [], [], 0)  # counted as a fallback
    sentence = Dependencies(tree)
    rewrite(sentence)
    found = Found()
    for rule in RULES:
        apply(rule, sentence, found)
    return graph_of(sentence, found)


def is_contrived(tree: Tree) -> bool:
    """Return whether the tree is so large that it would take minutes."""
    most_below = max(Counter(word.head for word in tree.words).values())
    return len(tree.words) > MOST_WORDS or most_below > MOST_BELOW


def apply(rule: Rule, sentence: Dependencies, found: Found) -> None:
    edge, attribute = EDGE.fullmatch(rule.emits), ATTRIBUTE.fullmatch(rule.emits)
    for match in matches(rule.path, sentence):
        named = {name: sentence.stands_for.get(unit, unit) for name, unit in match.items()}
        if edge:
            subject, label, object_ = edge.groups()
            found.edges.add((named[subject], tokens(sentence, match, label), named[object_]))
        elif attribute:
            noun, label = attribute.groups()
            found.attributes.setdefault(named[noun], set()).add(tokens(sentence, match, label))
            found.qualifiers |= {match[name] for name in NAME.findall(label)}
        else:
            found.heads.append(named[NAME.findall(rule.emits)[0]])


def tokens(sentence: Dependencies, match: Mapping[str, int], label: str) -> tuple[int, ...]:
    return tuple(sorted(token for name in NAME.findall(label) for token in spoken(sentence, match[name])))


def graph_of(sentence: Dependencies, found: Found) -> SceneGraph:
    ends = {end for subject, _, object_ in found.edges for end in (subject, object_)}
    nouns = {unit for unit in sentence.units if sentence.upos(unit) in NOUNS}
    nouns -= set(sentence.stands_for)
    chosen = sorted(ends | (nouns - found.qualifiers) | set(found.heads[:1]) | (set(found.attributes) & nouns))
    place = {unit: index for index, unit in enumerate(chosen)}
    nodes = [node(sentence, unit, found.attributes.get(unit, ())) for unit in chosen]
    edges = [
        Edge(place[subject], relation(sentence, subject, label), place[object_], label)
        for subject, label, object_ in found.edges
    ]
    referent = place[found.heads[0]] if found.heads else 0
    return guaranteed(sentence.tokens, nodes, edges, referent)


def node(sentence: Dependencies, unit: int, attributes: Iterable[tuple[int, ...]]) -> Node:
    head = sentence.units[unit].tokens
    said = sorted(attributes)
    used = sorted({*head, *(token for attribute in said for token in attribute)})
    text = MARK.sub("", written(sentence, head)) or written(sentence, head)
    return Node(text, head[-1], tuple(written(sentence, label) for label in said), tuple(used))


def relation(sentence: Dependencies, subject: int, label: tuple[int, ...]) -> str:
    """Return the words of an edge; if "man's" is one word, only 's."""
    text = written(sentence, label)
    mark = MARK.search(text)
    return mark.group() if mark and label == sentence.units[subject].tokens else text


def spoken(sentence: Dependencies, unit: int) -> tuple[int, ...]:
    """Return the tokens that a unit adds to a label; of "on the left", only "left"."""
    tokens = sentence.units[unit].tokens
    places = words("places") | words("place_modifiers")
    if sentence.upos(unit) != "LOCATION":
        return tokens
    return tuple(token for token in tokens if sentence.tokens[token].lower() in places) or tokens


def written(sentence: Dependencies, chosen: Iterable[int]) -> str:
    return " ".join(sentence.tokens[index] for index in chosen)
