"""Each rule's example is its test; and the promises of the potentials as a whole."""

import numpy as np
import pytest

from jvgn.grounding.rule_grounder import RuleGrounder
from jvgn.rules.rule_list import RULES, Rule
from jvgn.rules.rule_potentials import rule_potentials
from jvgn.rules.scene import Scene
from jvgn.settings.run import RuleSettings
from parsers import parse

EXAMPLES = [(rule, sentence) for rule in RULES for sentence in (rule.example, *rule.also)]


@pytest.mark.parametrize(("rule", "sentence"), EXAMPLES, ids=[f"{rule.name}: {text}" for rule, text in EXAMPLES])
def test_the_example_of_a_rule_finds_its_region_by_that_rule(rule: Rule, sentence: str) -> None:
    answer = RuleGrounder().answer(rule.scene(), sentence)
    referent = answer.groundings[answer.graph.referent]
    assert referent.region == rule.meant
    assert rule.name in {one.rule for one in answer.contributions}


def scene(*names: str) -> Scene:
    box_N4 = np.array([[60 * place, 10, 60 * place + 50, 90] for place in range(len(names))], dtype=np.float32)
    return Scene(box_N4.reshape(-1, 4), names, np.ones(len(names)), (60 * len(names) + 1, 100))


@pytest.mark.parametrize("names", [("zebra",), ("zebra", "zebra", "zebra"), ()])
def test_a_thing_that_is_not_there_is_not_found_and_never_certain(names: tuple[str, ...]) -> None:
    answer = RuleGrounder().answer(scene(*names), "man on the bench")
    for found, marginal_M in zip(answer.groundings, answer.marginal_KN, strict=True):
        assert found.region is None
        assert found.box is None
        assert marginal_M[-1] > 0.5
        assert names == () or marginal_M.max() < 1


def test_even_a_single_fitting_region_is_not_certain() -> None:
    (found,) = RuleGrounder().ground(scene("dog"), "the dog")
    assert found.region == 0
    assert found.marginal < 0.995


def test_contributions_add_up_to_the_potentials() -> None:
    graph = parse("the small dog between the man in red and the other one")
    found = rule_potentials(scene("dog", "person", "dog", "person"), graph)
    for node, unary_M in enumerate(found.unary_KM):
        np.testing.assert_allclose(sum(one.logit for one in found.contributions if one.node == node), unary_M)
    for edge, pairwise_MM in enumerate(found.pairwise_EMM):
        own = [one.logit for one in found.contributions if one.edge == edge]
        np.testing.assert_allclose(np.sum(own, axis=0), pairwise_MM)


def test_between_a_plural_is_between_two_of_them() -> None:
    answer = RuleGrounder().answer(scene("dog", "cup", "dog", "cup", "dog"), "the cup between two dogs")
    assert answer.region_K[answer.graph.referent] in (1, 3)
    outside = scene("cup", "dog", "cup", "dog")
    assert RuleGrounder().ground(outside, "the cup between two dogs")[0].region == 2


def test_whoever_faces_the_camera_is_not_for_that_reason_the_nearest() -> None:
    boxes = np.array([[10, 40, 30, 60], [60, 10, 120, 100]], dtype=np.float32)
    two = Scene(boxes, ("person", "person"), np.ones(2), (200, 100))
    rules = {one.rule for one in RuleGrounder().answer(two, "the man facing the camera").contributions}
    assert "toward" in rules
    far, near = RuleGrounder(RuleSettings(size=0.0)).answer(two, "the man facing the camera").marginal_KN[0][:2]
    np.testing.assert_allclose(far, near)


def test_the_order_of_regions_changes_nothing() -> None:
    sentence, order = "the second cup left of the dog", np.array([2, 0, 3, 1])
    first = scene("cup", "cup", "cup", "dog")
    moved = Scene(first.box_N4[order], tuple(np.array(first.names)[order]), first.score_N, first.size)
    before, after = (RuleGrounder().answer(one, sentence).marginal_KN for one in (first, moved))
    np.testing.assert_allclose(before[:, [*order, 4]], after, atol=1e-6)


def test_a_group_that_is_left_out_says_nothing() -> None:
    graph = parse("the dog left of the man")
    found = rule_potentials(scene("dog", "person"), graph, RuleSettings(without=("relations", "differences")))
    assert not found.pairwise_EMM.any()


@pytest.mark.parametrize(
    ("sentence", "names", "meant"),
    [
        ("the fridges", ("oven", "refrigerator"), 1),
        ("the children", ("dog", "person"), 1),
        ("the computer monitor", ("laptop", "tv"), 1),
        ("the bar stool", ("couch", "chair"), 1),
        ("the furniture", ("person", "couch"), 1),
        ("the triangle", ("circle", "triangle"), 1),
        ("the cross", ("ring", "cross"), 1),
        ("the ring", ("cross", "ring"), 1),
        ("the cup next to the other one on the right", ("cup", "cup"), 0),
        ("the bannana", ("cup", "banana"), 1),
        ("the lap top", ("cup", "laptop"), 1),
        ("the guy", ("dog", "man"), 1),
        ("the car", ("tree", "automobile"), 1),
        ("the woman", ("man", "woman"), 1),
        ("the person", ("dog", "office worker"), 1),
        ("the man with glasses", ("cup", "person"), 1),
        ("the cup that is not on the left", ("cup", "cup"), 1),
        ("the smallest of the two dogs", ("cup", "dog"), 1),
    ],
)
def test_nouns_find_their_categories(sentence: str, names: tuple[str, ...], meant: int) -> None:
    answer = RuleGrounder().answer(scene(*names), sentence)
    assert answer.region_K[answer.graph.referent] == meant
