"""Stanza's option `tags: lexicon`: the lexicon corrects the tagger."""

import pytest

from parsers.trees.stanza_backend import WordClass, corrected

CASES = [
    ("brown hay on ground", "ADJ INTJ ADP NOUN", "ADJ NOUN ADP NOUN"),
    ("man has hat", "NOUN AUX NOUN", "NOUN VERB NOUN"),
    ("the left dog", "DET VERB NOUN", "DET NOUN NOUN"),
    ("man in front of dog", "NOUN ADP NOUN ADP NOUN", "NOUN ADP NOUN ADP NOUN"),
    ("man is in hat", "PROPN AUX ADV NOUN", "NOUN AUX ADP NOUN"),
]


@pytest.mark.parametrize(("text", "tagged", "expected"), CASES)
def test_the_lexicon_corrects_the_tagger(text, tagged, expected):
    before = [WordClass(upos, "?", "?") for upos in tagged.split()]
    after = corrected(text.split(), before)
    assert " ".join(word.upos for word in after) == expected
    for old, new in zip(before, after, strict=True):
        assert new is old if new.upos == old.upos else new.xpos != "?"
