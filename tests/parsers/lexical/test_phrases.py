"""Patterns of phrases and relations, and the words that they skip."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.lexical.phrases import NO_PHRASE, PHRASE, RELATION, matches

PLAIN = {
    PHRASE: re.compile(PHRASE.pattern.removesuffix(f"|{NO_PHRASE}")),
    RELATION: re.compile(RELATION.pattern.removesuffix("|(?P<nothing>[XZ]+)")),
}
"""The patterns without the part that skips words."""
TAGS = ["DAXNCK", "DMALKNX", "BXZVGTPA", "DXZAMLKCSN", "DMALNnVGgEPTOCKBRHSIpXZWQF"]


@settings(deadline=None, max_examples=1000)
@given(tags=st.sampled_from(TAGS).flatmap(lambda letters: st.text(letters, max_size=20)))
def test_skipping_words_changes_no_match(tags):
    for pattern, plain in PLAIN.items():
        assert "nothing" not in plain.groupindex
        assert [match.span() for match in matches(pattern, tags)] == [match.span() for match in plain.finditer(tags)]
