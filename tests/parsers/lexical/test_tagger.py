"""Tokens and tags; the example of each choice between tags proves it."""

import pytest

from parsers.lexical.tagger import CHOICES, tag
from parsers.words.lexicon import Tag, tag_of
from parsers.words.tokens import tokenise


def tags(text: str) -> str:
    return "".join(word.tag for word in tag(tokenise(text)))


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.name)
def test_a_choice_does_what_its_example_says(choice):
    assert tags(choice.example) == choice.tags
    assert choice.tag in choice.tags


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The man's t-shirt.", ("The", "man", "'s", "t-shirt", ".")),
        ("isn't it 2.5 m, wide?", ("isn't", "it", "2.5", "m", ",", "wide", "?")),
        ("the dogs’ café’s sign", ("the", "dogs", "’", "café", "’s", "sign")),
        ("  ", ("",)),
    ],
)
def test_typed_text_is_cut_into_words_and_marks(text, tokens):
    assert tokenise(text) == tokens


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("hexagon", Tag.NOUN),
        ("zorbs", Tag.PLURAL),
        ("squirting", Tag.POSTURE),
        ("camouflaged", Tag.PARTICIPLE),
        ("brightly", Tag.ADVERB),
        ("leafless", Tag.ADJECTIVE),
        ("blue-eyed", Tag.ADJECTIVE),
        ("42", Tag.NUMBER),
        ("...", Tag.PUNCTUATION),
    ],
)
def test_the_ending_gives_the_tag_of_an_unknown_word(word, expected):
    assert tag_of(word) is expected


def test_places_are_one_word_and_relate_only_before_of():
    assert tags("man on the far left") == "NF"
    assert tags("man on the far left of the picture") == "NF"
    assert tags("man on the left side of the bus") == "NPDN"
    assert tags("man on the left car") == "NPDLN"


def test_words_that_a_tokeniser_cut_are_one_word():
    assert tags("a zebra ' s head") == "DNSN"
    assert tags("it isn ' t red") == "IZA"
    assert tags("a t - shirt") == "DN"
