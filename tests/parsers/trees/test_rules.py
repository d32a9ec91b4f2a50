"""Every row of the tables of rules and passes is proved by its own example."""

import pytest

from parsers.trees import passes, tree_graph
from parsers.trees.dependencies import Dependencies
from parsers.trees.matcher import matches
from parsers.trees.passes import PASSES, rewrite
from parsers.trees.rules import RULES
from parsers.trees.tree import read_tree
from parsers.trees.tree_graph import Found, read


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_alone_emits_what_its_row_says(rule):
    sentence = Dependencies(read_tree(rule.tree))
    rewrite(sentence)
    found = Found()
    tree_graph.apply(rule, sentence, found)
    assert emitted(sentence, found) == {rule.expected}
    assert " ".join(sentence.tokens) == rule.example


def emitted(sentence, found):
    def text(tokens):
        return " ".join(sentence.tokens[index] for index in tokens)

    def name(unit):
        return text(sentence.units[unit].tokens)

    edges = {f"{name(subject)} -{text(label)}-> {name(object_)}" for subject, label, object_ in found.edges}
    attributes = {f"{name(noun)}({text(label)})" for noun, labels in found.attributes.items() for label in labels}
    return edges | attributes | {f"*{name(head)}" for head in found.heads}


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
def test_each_pass_is_needed_for_its_example(step, form, monkeypatch):
    tree = read_tree(step.tree)
    assert form(read(tree)) == step.expected
    monkeypatch.setattr(passes, "PASSES", tuple(other for other in PASSES if other is not step))
    assert form(read(tree)) != step.expected


TREES = [
    (
        "pier/NOUN/1/compound man/NOUN/3/nsubj is/AUX/3/aux walking/VERB/-1/root on/ADP/3/obl",
        "*pier; man | man -walking on-> pier",
    ),
    (
        "star/NOUN/1/compound right/NOUN/-1/root of/ADP/4/case the/DET/4/det ring/NOUN/1/nmod",
        "*star; ring | star -right of-> ring",
    ),
    (
        "a/DET/1/det lot/NOUN/-1/root of/ADP/4/case big/ADJ/4/amod dogs/NOUN/1/nmod",
        "*dogs(lot, big)",
    ),
    ("second/ADJ/1/amod guy/NOUN/-1/root from/ADP/3/case left/NOUN/1/nmod", "*guy(second, left)"),
    ("man/NOUN/-1/root with/ADP/3/case no/DET/3/det hat/NOUN/0/nmod", "*man; hat(no) | man -with-> hat"),
    (
        "plate/NOUN/-1/root of/ADP/2/case food/NOUN/0/nmod sitting/VERB/0/acl on/ADP/5/case table/NOUN/3/obl",
        "*plate; food; table | plate -of-> food, plate -sitting on-> table",
    ),
    (
        "line/NOUN/-1/root of/ADP/2/case cars/NOUN/0/nmod parked/VERB/0/acl on/ADP/5/case road/NOUN/3/obl",
        "*line; cars; road | line -of-> cars, cars -parked on-> road",
    ),
    (
        "line/NOUN/-1/root of/ADP/2/case cars/NOUN/0/nmod on/ADP/4/case road/NOUN/0/nmod",
        "*line; cars; road | line -of-> cars, cars -on-> road",
    ),
    (
        "mirror/NOUN/-1/root on/ADP/2/case wall/NOUN/0/nmod above/ADP/4/case sink/NOUN/2/nmod",
        "*mirror; wall; sink | mirror -on-> wall, mirror -above-> sink",
    ),
    ("man/NOUN/-1/root without/ADP/2/case hat/NOUN/0/nmod", "*man; hat | man -without-> hat"),
    ("the/DET/2/det yellow/ADJ/2/amod one/NOUN/-1/root", "*one(yellow)"),
    (
        "dog/NOUN/-1/root which/PRON/2/nsubj chases/VERB/0/acl:relcl cats/NOUN/2/obj",
        "*dog; cats | dog -chases-> cats",
    ),
    ("far/ADJ/1/amod right/NOUN/2/compound suitcase/NOUN/-1/root", "*suitcase(far right)"),
    ("two/NUM/1/nummod dogs/NOUN/-1/root", "*dogs(two)"),
    (
        "cup/NOUN/-1/root in/ADP/2/case man/NOUN/5/nmod:poss '/PUNCT/5/punct s/PART/5/case hand/NOUN/0/nmod",
        "*cup; man; hand | cup -in-> hand, man -' s-> hand",
    ),
]


@pytest.mark.parametrize(("tree", "expected"), TREES)
def test_passes_and_rules_turn_a_tree_into_its_graph(tree, expected, form):
    assert form(read(read_tree(tree))) == expected


def test_names_of_rules_and_passes_are_unique():
    names = [row.name for row in (*RULES, *PASSES)]
    assert len(set(names)) == len(names)


PATHS = [
    ("a:NOUN", [{"a": 0}, {"a": 2}]),
    ("^a:*", [{"a": 0}]),
    ("a:NOUN >acl b:VERB >obj c:NOUN", [{"a": 0, "b": 1, "c": 2}]),
    ("c:NOUN <obj b:VERB <acl a:*", [{"c": 2, "b": 1, "a": 0}]),
    ("a:NOUN|VERB !>acl", [{"a": 1}, {"a": 2}]),
    ("a:* >amod|obj b:*", [{"a": 1, "b": 2}]),
    ("a:*@animates", [{"a": 0}]),
    ("a:NOUN@!animates", [{"a": 2}]),
    ("a:VERB >acl b:*", []),
]


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_a_path_matches_where_its_notation_says(path, expected):
    sentence = Dependencies(read_tree("woman/NOUN/-1/root holding/VERB/0/acl umbrella/NOUN/1/obj"))
    assert list(matches(path, sentence)) == expected
