"""Slips of the pen: mended only where the word is unfamiliar and a listed one is a letter away."""

import pytest

from parsers.words.spelling import respelled


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("buiding", "building"),
        ("behnd", "behind"),
        ("shrit", "shirt"),
        ("giraffee", "giraffe"),
        ("weaing", "wearing"),
        ("yelow", "yellow"),
    ],
)
def test_a_word_one_letter_away_from_a_listed_one_is_read_as_that_one(written, meant):
    assert respelled(written) == meant


@pytest.mark.parametrize(
    "word", ["giraffe", "skatepark", "cot", "xyzzy", "7-up", "cafés", "", "Shrit", "bandana", "parka", "racer"]
)
def test_a_familiar_or_short_or_strange_word_stays_as_it_is(word):
    assert respelled(word) == word
