"""The calibration of "not found" on probabilities that are known, and by `jvgn evaluate --absent`."""

import numpy as np
import pytest

from jvgn.evaluation.absent_expressions import Doubted, calibration, doubted
from jvgn.evaluation.expression_accuracy import AskedExpression, Grounded
from parsers import parse

CUP, DOG = (
    AskedExpression(image_id=image, file_name="", expression=text, referent=note)
    for image, text, note in ((1, "the cup", 10), (2, "the dog", 20))
)
BOX = {10: np.array([0, 0, 9, 9.0]), 20: np.array([20, 20, 40, 40.0])}


def rows(*questions):
    return [Doubted(CUP, kind, probability) for kind, probability in questions]


def test_each_expression_is_asked_of_every_image_and_counts_by_what_is_there():
    def ground(asked):
        probability = 0.1 if asked.image_id == asked.referent // 10 else 0.9
        return Grounded(parse(asked.expression), np.zeros((1, 4)), np.array([[0, 0, 9, 9.0]]), probability)

    images = {1: {5}, 2: {6}, 3: {5}}
    found = list(doubted([CUP, DOG], images, {10: 5, 20: 6}.__getitem__, BOX.__getitem__, ground))
    kinds = [(one.expression.expression, one.kind, one.not_found) for one in found]
    # The dog is in its own image, but no region covers it: that question is left out.
    assert kinds == [
        ("the cup", "present", 0.1),
        ("the dog", "absent", 0.9),
        ("the cup", "absent", 0.9),
        ("the cup", "undecided", 0.9),
        ("the dog", "absent", 0.9),
    ]


def test_present_and_absent_questions_have_the_same_weight():
    found = calibration(rows(("present", 0.2), *[("absent", 0.8)] * 8, *[("absent", 0.4)] * 2))
    assert found["accuracy"] == pytest.approx(100 * (0.5 + 0.5 * 0.8))
    expected = -0.5 * np.log(0.8) - 0.5 * (0.8 * np.log(0.8) + 0.2 * np.log(0.4))
    assert found["log_loss"] == pytest.approx(expected, abs=1e-4)
    assert (found["present"]["not_found"], found["absent"]["not_found"]) == (0, 80)
    low, middle, high = found["reliability"]
    assert (low["n"], low["frequency"]) == (1, 0)
    assert (middle["probability"], middle["frequency"]) == (0.4, 1)
    assert (high["n"], high["frequency"]) == (8, 1)


def test_undecided_questions_do_not_count():
    questions = [("present", 0.1), ("absent", 0.9)]
    plain, more = calibration(rows(*questions)), calibration(rows(*questions, *[("undecided", 0.7)] * 5))
    assert more["undecided"]["not_found"] == 100
    assert {key: plain[key] for key in ("accuracy", "log_loss", "reliability")} == {
        key: more[key] for key in ("accuracy", "log_loss", "reliability")
    }
