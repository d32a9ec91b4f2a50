"""FACTUAL's normal form: the example of each convention proves it, and the graph stays whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import parse
from parsers.factual import conventions
from parsers.factual.conventions import CONVENTIONS, factual
from parsers.scene_graph import SceneGraph, first_loop
from parsers.words.lexicon import renamings, words

VOCABULARY = sorted(
    {
        word
        for name in ("animates", "clothes", "body_parts", "prepositions", "verbs", "places", "pronouns", "colours")
        for entry in words(name)
        for word in entry.split()
    }
    | {"the", "of", "no", "both", "'s", "he", "with", "in", "on", "it", "and", "each", "other", "haired", "word"}
)


@pytest.mark.parametrize("convention", CONVENTIONS, ids=lambda convention: convention.name)
def test_a_convention_does_what_its_example_says(convention, form):
    assert form(parse(convention.example, conventions="factual")) == convention.expected
    assert form(parse(convention.example)) != convention.expected


CASES = [
    ("a plate of food", "*plate; food | food -on-> plate"),
    ("bowl of soup", "*bowl; soup | bowl -have-> soup"),
    ("tree branch", "tree; *branch | tree -have-> branch"),
    ("bathroom sink", "bathroom; *sink | sink -in-> bathroom"),
    ("cheese pizza", "cheese; *pizza | cheese -on-> pizza"),
    ("wire fence", "wire; *fence | fence -make of-> wire"),
    ("ham slice", "*ham(slice)"),
    ("area rug", "*rug"),
    ("the lead elephant", "*elephant"),
    ("a man about to strike a ball", "*man; ball | man -hit-> ball"),
    ("surfbords by a moniter", "*surfboards; monitor | surfboards -by-> monitor"),
    ("a sailor hat", "*hat(sailor)"),
    ("a man in blue", "*man; blue | man -in-> blue"),
    ("a stop sign on the corner of a road", "*stop sign; road | stop sign -in corner of-> road"),
    ("a teapot lid", "*lid"),
    ("camouflage pants", "*pants(camouflage)"),
    ("people in the same direction", "*people"),
    ("the top shelf", "*shelf"),
    ("a screen used to", "*screen"),
    ("a red train at the train station", "*train(red); train; station | train -at-> station, station -for-> train"),
    ("a cat from a house", "*cat; house | cat -from-> house"),
    (
        "the man on the left in a black hat is holding a big red umbrella",
        "*man(on the left); hat(black); umbrella(big, red) | man -wear-> hat, man -hold-> umbrella",
    ),
    ("man in a jacket", "*man; jacket | man -in-> jacket"),
    ("man in black", "*man; black | man -in-> black"),
    ("the birds red feathers", "bird; *feathers(red) | bird -have-> feathers"),
    ("cream colored door", "*door(cream colored)"),
    ("a woman walking in a red coat", "*woman(walking); coat(red) | woman -wear-> coat"),
    ("a man and a dog next to each other", "*man; dog | man -next to-> dog"),
    ("people on the beach in the distance", "*people(in the distance); beach | people -on-> beach"),
    ("metal pole", "*pole(metal)"),
    ("the word stop on a sign", "*word; sign | word -on-> sign"),
    ("a group of people", "*people(group of)"),
    ("the man 's watch", "man; *watch | man -have-> watch"),
    ("boy holding up his hand", "*boy; hand | boy -hold-> hand"),
    ("cat laying down on a rug", "*cat; rug | cat -lay on-> rug"),
    ("steps leading up to the door", "*steps; door | steps -lead up to-> door"),
    ("a lamp to the left of the bed", "*lamp; bed | lamp -at the left of-> bed"),
    ("a green colored wood bench", "*bench(green, wooden)"),
    ("long sleeve shirt", "sleeve(long); *shirt | shirt -have-> sleeve"),
    ("bear surrounded by grass", "*bear; grass | grass -surround-> bear"),
    ("a napkin with a knife and fork on it", "*napkin; knife; fork | knife -on-> napkin, fork -on-> napkin"),
]


@pytest.mark.parametrize(("sentence", "expected"), CASES)
def test_a_sentence_has_its_normal_form(sentence, expected, form):
    assert form(parse(sentence, conventions="factual")) == expected


def assert_whole(graph: SceneGraph) -> None:
    assert 0 <= graph.referent < len(graph.nodes)
    assert first_loop(len(graph.nodes), [(edge.subject, edge.object) for edge in graph.edges]) is None
    for part in (*graph.nodes, *graph.edges):
        assert part.tokens and all(0 <= index < len(graph.tokens) for index in part.tokens)


@given(st.lists(st.sampled_from(VOCABULARY), max_size=14))
def test_any_sequence_of_known_words_has_a_whole_normal_form(tokens):
    graph = parse("", tokens=tokens, conventions="factual")
    assert_whole(graph)
    assert graph == parse("", tokens=tokens, conventions="factual")


@pytest.mark.parametrize("convention", CONVENTIONS, ids=lambda convention: convention.name)
def test_no_convention_can_be_left_out(convention, form, monkeypatch):
    others = tuple(other for other in CONVENTIONS if other is not convention)
    monkeypatch.setattr(conventions, "CONVENTIONS", others)
    assert form(parse(convention.example, conventions="factual")) != convention.expected


def test_without_conventions_the_normal_form_is_the_written_graph(monkeypatch):
    monkeypatch.setattr(conventions, "CONVENTIONS", ())
    for convention in CONVENTIONS:
        assert factual(parse(convention.example)) == parse(convention.example)


def test_a_renaming_may_be_empty():
    assert renamings("factual_heads")["he"] == "man"
    assert renamings("factual_attributes")["lot"] == ""
