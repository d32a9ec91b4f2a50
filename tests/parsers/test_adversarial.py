"""Any text gives a valid graph in both conventions, without an exception and in seconds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jvgn.views.graph_picture import as_json, dot, svg
from parsers import parse
from parsers.scene_graph import SceneGraph, first_loop
from parsers.tools.graph_drawing import drawn

SECONDS = {"written": 1, "factual": 3}
"""Time limit for a sentence, by conventions."""

PIECES = st.sampled_from(
    [
        *("man", "woman's", "dogs", "left", "red", "two", "holding", "is", "it", "which", "one", "each other", "both"),
        *("of the", "in", "on", "to the left of", "and", "or", "with", "without", "no", "not", "by", "'s", "s'", "’s"),
        *(",", ",,", ".", "-", "--", "'", '"', "(", ")", "/", "&", "_", "\\", "\x00", "\x1b[31m", "\t", "\r\n"),
        *(
            "\u200b",
            "\u200d",
            "\ufeff",
            "\u202e",
            "שלום",
            "مرحبا",
            "猫",
            "👩‍👩‍👧",
            "🇫🇷",
            "é",
            "e\u0301",
            "İ",
            "ß",
            "ﬁ",
            "Ⅷ",
            "½",
        ),
        *("1", "2.5", "3rd", "1,000", "a" * 300),
    ]
)

LONG = {
    "prepositions": "in on of with to by under over near behind",
    "commas": ", " * 10,
    "of the": "leg of the",
    "and": "and man and",
    "possessives": "man's dog's",
    "only possessives": "'s",
    "pronouns": "it which he one who",
    "verbs": "is sitting holding covered by",
    "adjectives": "big red old",
    "nouns": "kitchen table lamp",
    "relative clauses": "man who holds a dog that has a",
    "each other": "dogs beside each other and",
    "negation": "no not without",
    "ordinals": "second 3rd from left",
    "right to left": "שלום عربى \u202e",
    "pictures": "👩‍👩‍👧 🇫🇷 \u200d",
    "controls": "\x00 \x1b \x7f",
    "captions": "a man in a red hat holding an umbrella next to the woman's dog , which is on the left side of",
}
"""Pieces that are repeated until there are 2,000 words."""


def assert_whole(graph: SceneGraph) -> None:
    assert graph.nodes and 0 <= graph.referent < len(graph.nodes)
    for part in (*graph.nodes, *graph.edges):
        assert part.tokens and all(0 <= index < len(graph.tokens) for index in part.tokens)
    assert all(0 <= node.head_token < len(graph.tokens) for node in graph.nodes)
    assert all(edge.subject != edge.object for edge in graph.edges)
    assert first_loop(len(graph.nodes), [(edge.subject, edge.object) for edge in graph.edges]) is None


@pytest.mark.parametrize("conventions", SECONDS)
@given(
    text=st.text(max_size=120)
    | st.lists(PIECES, max_size=25).map(" ".join)
    | st.lists(PIECES, max_size=25).map("".join)
)
def test_any_text_gives_a_whole_graph_that_can_be_drawn(conventions, text):
    graph = parse(text, conventions=conventions)
    assert_whole(graph)
    assert drawn(graph) and svg(graph) and dot(graph) and as_json(graph)


@pytest.mark.parametrize("conventions", SECONDS)
@given(tokens=st.lists(PIECES | st.text(max_size=8), max_size=20))
def test_any_tokens_give_a_whole_graph(conventions, tokens):
    assert_whole(parse("", tokens=tokens, conventions=conventions))


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    """Word lists are read on first use, which is not to be timed."""
    for conventions in SECONDS:
        parse("a dog", conventions=conventions)


@pytest.mark.parametrize("conventions", SECONDS)
@pytest.mark.parametrize("name", LONG)
def test_two_thousand_words_are_parsed_in_seconds(name, conventions):
    text = " ".join((LONG[name].split() * 2000)[:2000])
    start = time.process_time()  # of the processor: the machine may be busy with something else
    graph = parse(text, conventions=conventions)
    assert time.process_time() - start < SECONDS[conventions]
    assert_whole(graph)
