"""Spelling correction: only of unfamiliar words that are one letter away from a known one."""

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
def test_familiar_short_and_unusual_words_stay_unchanged(word):
    assert respelled(word) == word
