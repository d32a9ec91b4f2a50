"""Quotations in a sentence, and what only looks like one."""

import pytest

from parsers.words.tokens import quotations_in, tokenise

SENTENCES = {
    'a sign that says "keep off"': ["keep off"],
    "a sign that says “keep off”": ["keep off"],
    "a sign that says `` keep off ''": ["keep off"],
    'a "stop" sign near a "yield" sign': ["stop", "yield"],
    '"42" on a bus': ["42"],
    '"a man on a bench"': [],
    '. "a man on a bench" .': [],
    'a 19" tv next to a 21" monitor': [],
    "the boys' hats and the dogs' owners' car": [],
    'a sign "': [],
    'an empty "" sign': [],
    'a sign " . "': [],
    '"': [],
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_quotations_are_found(sentence):
    words = tokenise(sentence)
    found = [" ".join(words[place] for place in quotation.inside) for quotation in quotations_in(words)]
    assert found == SENTENCES[sentence]


def test_quotation_marks_of_two_characters_are_recognised():
    (quotation,) = quotations_in(["a", "``", "keep", "off", "''", "sign"])
    assert quotation.inside == (2, 3)
