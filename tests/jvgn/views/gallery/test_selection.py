import re
from importlib.resources import files
from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from jvgn.model import NodeBeliefs
from jvgn.views.gallery.selection import SHARES, choose, misread, referents, with_outcomes


@pytest.mark.parametrize(
    "before, after, covered, sure, lost, outcome",
    [
        (False, True, True, 0.9, False, "corrected"),
        (True, True, True, 0.5, False, "ambiguous"),
        (True, True, True, 0.9, False, "right"),
        (True, True, True, 0.9, True, "right"),
        (False, False, False, 0.9, True, "missing region"),
        (False, False, True, 0.9, True, "parse"),
        (True, False, True, 0.9, False, "broken"),
        (False, False, True, 0.9, False, "wrong referent"),
    ],
)
def test_an_expression_shows_the_first_outcome_that_holds(before, after, covered, sure, lost, outcome):
    row = {"expression_id": [4], "before": [before], "after": [after], "covered": [covered], "sure": [sure]}
    assert with_outcomes(pd.DataFrame(row), {4} if lost else set())["outcome"].item() == outcome


def test_the_page_explains_every_outcome():
    script = (files("jvgn.views.gallery") / "page/gallery.js").read_text(encoding="utf8")
    explained = re.search(r"const OUTCOMES = {(.*?)};", script, re.S)[1]
    assert re.findall(r'^ *"([a-z ]+)":', explained, re.M) == list(SHARES)


def test_a_graph_is_misread_if_it_lacks_an_object_or_has_another_referent():
    mentions = [(1, 0, True), (1, 3, False), (2, 0, True), (2, 3, False), (3, 0, True)]
    nodes = [(1, 0, True), (1, 3, False), (2, 0, False), (2, 3, True), (3, 1, True)]
    columns = ["expression_id", "head_token", "is_referent"]
    assert misread(pd.DataFrame(nodes, columns=columns), pd.DataFrame(mentions, columns=columns)) == {2, 3}


def test_without_gold_mentions_no_graph_is_called_misread():
    columns = ["expression_id", "head_token", "is_referent"]
    assert misread(pd.DataFrame([(1, 0, True)], columns=columns), pd.DataFrame([], columns=columns)) == set()


def test_the_choice_has_some_of_every_outcome_and_spreads_over_images():
    rows = [
        {"expression_id": number, "image_id": number // 5, "outcome": outcome, "gain": number % 7}
        for outcome in SHARES
        for number in range(200)
    ]
    chosen = choose(pd.DataFrame(rows))
    assert chosen["outcome"].value_counts().to_dict() == SHARES
    assert chosen[chosen["outcome"] == "broken"]["image_id"].is_unique


def test_what_one_outcome_lacks_others_make_up_for():
    rows = [
        {"expression_id": number, "image_id": number, "outcome": "right" if number < 300 else "broken", "gain": 0.0}
        for number in range(303)
    ]
    chosen = choose(pd.DataFrame(rows))
    assert chosen["outcome"].value_counts().to_dict() == {"right": sum(SHARES.values()) - 3, "broken": 3}
    assert chosen["expression_id"].is_unique


@pytest.mark.parametrize(("decoding", "after", "sure"), [("marginal", False, 0.6), ("map", True, 0.4)])
def test_an_outcome_is_that_of_the_region_in_which_the_run_grounds(decoding, after, sure):
    batch = SimpleNamespace(
        referent_S=torch.tensor([0]), right_SN=torch.tensor([[False, True]]), row_S=torch.tensor([7])
    )
    log_KN = torch.tensor([[0.6, 0.4]]).log()
    found = referents(batch, NodeBeliefs(log_KN, log_KN, map_K=torch.tensor([1])), decoding).iloc[0]
    assert (found["before"], found["after"], found["sure"]) == (False, after, pytest.approx(sure))
