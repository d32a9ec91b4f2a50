"""The explorer's answers are those of the Grounder, also for edited graphs."""

from dataclasses import replace

import numpy as np
import pytest

from jvgn.settings.base import validated
from jvgn.views.explorer.answers import Asked, answer
from parsers.tools.verbalisation import Relation, Thing, worded

SENTENCE = "the red cup on a box left of a disc"


def asked(**values):
    return validated(Asked, {"picture": "7", "text": SENTENCE} | values, "the question")


def graph_of(answered):
    """The graph of an answer, as the page would send it back."""
    return {
        "nodes": [{"head": node["head"], "attributes": list(node["attributes"])} for node in answered["nodes"]],
        "edges": [{key: edge[key] for key in ("subject", "relation", "object")} for edge in answered["edges"]],
        "referent": answered["referent"],
    }


def beliefs(answered):
    return [(node["before"], node["after"]) for node in answered["nodes"]]


def test_a_sentence_is_grounded_as_the_grounder_does(grounder, pictures, tmp_path):
    answered = answer(grounder, pictures, asked())
    plain = grounder.answer(tmp_path / "7.png", SENTENCE)
    assert answered["tokens"] == tuple(SENTENCE.split()) and not answered["edited"]
    assert answered["size"] == (48, 40)
    np.testing.assert_allclose(answered["regions"], plain.box_N4, atol=0.05)
    np.testing.assert_allclose([before for before, _ in beliefs(answered)], plain.unary_KN, atol=1e-6)
    np.testing.assert_allclose([after for _, after in beliefs(answered)], plain.marginal_KN, atol=1e-6)


def test_a_graph_that_was_not_changed_gives_exactly_the_plain_grounding(grounder, pictures):
    plain = answer(grounder, pictures, asked())
    assert answer(grounder, pictures, asked(graph=graph_of(plain))) == plain


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda graph: graph["nodes"][0].update(attributes=[]), "cup on box left of disc"),
        (lambda graph: graph["nodes"][1].update(head="disc"), "red cup on disc left of disc"),
        (lambda graph: graph["edges"][0].update(relation="left of"), "red cup left of box left of disc"),
        (lambda graph: graph["edges"][0].update(subject=1, object=0), "box left of disc on red cup"),
        (lambda graph: graph.update(referent=2), "red cup on box left of disc"),
        (lambda graph: graph["edges"].pop(), "red cup on box disc"),
        (lambda graph: graph["nodes"].append({"head": "cup"}), "red cup on box left of disc cup"),
    ],
)
def test_an_edited_graph_is_grounded_with_its_own_words(grounder, pictures, change, said):
    graph = graph_of(answer(grounder, pictures, asked()))
    change(graph)
    answered = answer(grounder, pictures, asked(graph=graph))
    assert answered["edited"] and " ".join(answered["tokens"]) == said
    assert answered["referent"] == graph["referent"]
    written = worded(
        [Thing(node["head"], tuple(node.get("attributes", ()))) for node in graph["nodes"]],
        [Relation(edge["subject"], edge["relation"], edge["object"]) for edge in graph["edges"]],
        graph["referent"],
    )
    plain = grounder.answer(pictures["7"].image, written)
    np.testing.assert_allclose([after for _, after in beliefs(answered)], plain.marginal_KN, atol=1e-6)
    assert beliefs(answered) != beliefs(answer(grounder, pictures, asked()))


def test_the_referent_is_the_runs_for_a_sentence_and_the_persons_for_a_graph(grounder, pictures):
    """Where the run takes the node that nothing points to, a graph that was not touched still counts as such."""
    settings = grounder.trained.settings.model_copy(update={"referent": "in_degree"})
    grounder.trained = grounder.answerer.trained = replace(grounder.trained, settings=settings)
    plain = answer(grounder, pictures, asked(text="the box left of a cup"))
    turned = graph_of(plain) | {"edges": [{"subject": 1, "relation": "left of", "object": 0}]}
    assert not answer(grounder, pictures, asked(text="the box left of a cup", graph=graph_of(plain)))["edited"]
    assert answer(grounder, pictures, asked(graph=turned))["referent"] == 0


def test_messages_lead_from_the_beliefs_before_to_those_after(grounder, pictures):
    answered = answer(grounder, pictures, asked())
    believed = [before for before, _ in beliefs(answered)]
    pairs = [(message["source"], message["target"]) for message in answered["messages"]]
    assert pairs == [(2, 1), (1, 0), (0, 1), (1, 2)]
    for message in answered["messages"]:
        np.testing.assert_allclose(message["before"], believed[message["target"]], atol=2e-6)
        assert sum(message["says"]) == pytest.approx(1, abs=1e-5)
        believed[message["target"]] = message["after"]
    np.testing.assert_allclose(believed, [after for _, after in beliefs(answered)], atol=2e-6)


def test_unknown_words_are_named(grounder, pictures):
    assert answer(grounder, pictures, asked(text="the zebra on a box"))["unknown"] == ("zebra", "a")


def test_what_the_run_cannot_know_is_said(grounder, pictures):
    (doubt,) = answer(grounder, pictures, asked(text="the zebra on a box"))["doubts"]
    assert "“zebra”" in doubt
    assert answer(grounder, pictures, asked(text="the cup on the box"))["doubts"] == ()


def test_a_single_region_is_certain_by_construction_and_says_so(grounder, pictures):
    found = grounder.answer(pictures["7"].image, "the cup")
    alone = replace(
        found, box_N4=found.box_N4[:1], unary_KN=np.ones((1, 1)), marginal_KN=np.ones((1, 1)), region_K=(0,)
    )
    assert ["one region" in doubt for doubt in alone.doubts] == [True]
    assert found.doubts == ()


def test_a_sentence_without_an_object_is_marked(grounder, pictures):
    assert answer(grounder, pictures, asked(text="of the of"))["fallback"]
    assert not answer(grounder, pictures, asked())["fallback"]
