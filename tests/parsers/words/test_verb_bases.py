"""Base forms of verbs, from the lists and from Brill's lexicon."""

import pytest

from parsers.errors import UserError
from parsers.words import lexicon
from parsers.words.lexicon import brill_tag, verb_base


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("sitting", "sit"),
        ("rolling", "roll"),
        ("has", "have"),
        ("worn", "wear"),
        ("carries", "carry"),
        ("crosses", "cross"),
        ("skated", "skate"),
        ("whispering", "whisper"),
        ("celebrating", "celebrate"),
        ("table", "table"),
        ("zorbing", "zorbing"),
    ],
)
def test_verbs_have_their_base_form(form, base):
    assert verb_base(form) == base


def test_the_lexicon_knows_the_most_frequent_tag_of_a_word():
    assert (brill_tag("elephant"), brill_tag("ornate"), brill_tag("xyzzy")) == ("NN", "JJ", "")


def test_without_the_lexicon_the_error_says_what_to_install(monkeypatch):
    def missing(name: str) -> None:
        raise lexicon.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(lexicon.metadata, "distribution", missing)
    with pytest.raises(UserError, match="pip install textblob"):
        lexicon.brill_tags.__wrapped__()
