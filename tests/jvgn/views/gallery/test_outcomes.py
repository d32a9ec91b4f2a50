import re
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from jvgn.views.gallery.outcomes import SHARES, choose, misread, referent_table, with_outcomes


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


def test_the_choice_has_some_of_every_outcome_and_spreads_over_images():
    rows = [
        {"expression_id": number, "image_id": number // 5, "outcome": outcome, "gain": number % 7}
        for outcome in SHARES
        for number in range(200)
    ]
    chosen = choose(pd.DataFrame(rows))
    assert chosen["outcome"].value_counts().to_dict() == SHARES
    assert chosen[chosen["outcome"] == "broken"]["image_id"].is_unique


def test_other_outcomes_fill_the_places_of_a_rare_one():
    rows = [
        {"expression_id": number, "image_id": number, "outcome": "right" if number < 300 else "broken", "gain": 0.0}
        for number in range(303)
    ]
    chosen = choose(pd.DataFrame(rows))
    assert chosen["outcome"].value_counts().to_dict() == {"right": sum(SHARES.values()) - 3, "broken": 3}
    assert chosen["expression_id"].is_unique


def test_a_referent_is_judged_by_the_region_that_the_run_chose():
    rows = {
        "expression_id": [1, 1, 2],
        "is_referent": [True, False, True],
        "unary_correct": [False, None, True],
        "correct": [True, None, False],
        "unary": [0.2, 0.5, 0.0],
        "marginal": [0.8, 0.5, 0.3],
    }
    found = referent_table(pd.DataFrame(rows), pd.Series({2: True, 1: False}))
    assert found["expression_id"].tolist() == [1, 2]
    assert found["before"].tolist() == [False, True] and found["after"].tolist() == [True, False]
    assert found["covered"].tolist() == [False, True] and found["sure"].tolist() == [0.8, 0.3]
    assert found["gain"].tolist() == [pytest.approx(np.log(4)), np.inf]
