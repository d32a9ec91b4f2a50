"""Negation is a field of the graph; FACTUAL's normal form leaves out what is absent."""

import pytest

from parsers import parse
from parsers.lexical.tagger import tag
from parsers.words.lexicon import Tag


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("man not wearing a hat", "*man; hat | man -!wearing-> hat"),
        ("the cat that is not red", "*cat(!red)"),
        ("the cat that isn't red", "*cat(!red)"),
        ("man with no hat", "*man; hat | man -!with-> hat"),
        ("man without a hat", "*man; hat | man -!without-> hat"),
        ("a plant with no leaves sticking out of the snow",
         "*plant; leaves; snow | plant -!with-> leaves, plant -sticking out of-> snow"),
    ],
)  # fmt: skip
def test_a_sentence_keeps_its_negation(sentence, expected, form):
    assert form(parse(sentence)) == expected


@pytest.mark.parametrize("sentence", ["tree without leaves", "tree with no leaves"])
def test_factual_leaves_out_absent_objects(sentence, form):
    assert form(parse(sentence, conventions="factual")) == "*tree"


def test_a_negation_that_a_tokeniser_cut_is_one_word():
    assert [word.tag for word in tag(["it", "isn", "'", "t", "red"])][1] is Tag.NEGATION
