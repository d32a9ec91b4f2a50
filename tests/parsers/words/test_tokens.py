"""What a sentence quotes, and what only looks like a quotation."""

import pytest

from parsers import parse
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
def test_what_is_quoted(sentence):
    words = tokenise(sentence)
    found = [" ".join(words[place] for place in quotation.inside) for quotation in quotations_in(words)]
    assert found == SENTENCES[sentence]


def test_marks_of_two_characters_are_one_token_in_datasets():
    (quotation,) = quotations_in(["a", "``", "keep", "off", "''", "sign"])
    assert quotation.inside == (2, 3)


def test_many_marks_take_time_with_their_number():
    graph = parse('a "b" ' * 700)
    assert max(max(node.tokens) for node in graph.nodes) < len(graph.tokens)
