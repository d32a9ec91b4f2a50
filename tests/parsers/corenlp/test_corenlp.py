"""CoreNLP's answers as graphs, and errors of its Java process, without Java."""

import json
import logging
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import corenlp
from parsers.corenlp.process import Answer, CoreNLP, java, pieces
from parsers.errors import UserError
from parsers.scene_graph import first_loop

# Sentence: what CoreNLP answered (tags; roots; dependencies; nodes; relations), our graph with repair, and without.
CASES = {
    "the cat sitting on the small mat": (
        "DT NN VBG IN DT JJ NN; 1; 1 det 0, 1 acl 2, 6 case 3, 6 det 4, 6 amod 5, 2 obl:on 6; 1, 6 5; 1 sit 6",
        "*cat; mat(small) | cat -sitting on-> mat",
        "*cat; mat(small) | cat -sitting-> mat",
    ),
    "a man stands in front of a bus": (
        "DT NN VBZ IN NN IN DT NN; 2; 1 det 0, 2 nsubj 1, 7 case 3, 3 fixed 4, 3 fixed 5, 2 obl:in_front_of 7; 1, 7;"
        " 1 stand 7",
        "*man; bus | man -stands in front of-> bus",
        "*man; bus | man -stands-> bus",
    ),
    "elephant next to a house": (
        "NN RB IN DT NN; 0; 4 case 1, 1 fixed 2, 4 det 3, 0 obl:next_to 4; 0, 4; 0 obl:next_to 4",
        "*elephant; house | elephant -next to-> house",
        "*elephant; house | elephant -obl:next to-> house",
    ),
    "two people standing next to a horse": (
        "CD NNS VBG RB IN DT NN; 1; 1 nummod 0, 1 acl 2, 2 advmod 3, 6 case 4, 6 det 5, 2 obl:to 6; 1, 6; 1 stand 6",
        "*people; horse | people -standing next to-> horse",
        "*people; horse | people -standing-> horse",
    ),
    "a man sits on a chair and a table": (
        "DT NN VBZ IN DT NN CC DT NN; 2; 2 nsubj 1, 5 case 3, 2 obl:on 5, 8 cc 6, 2 obl:on 8, 5 conj:and 8; 1, 5, 8;"
        " 1 sit 5, 1 sit 8",
        "*man; chair; table | man -sits on-> chair, man -sits on-> table",
        "*man; chair; table | man -sits-> chair, man -sits-> table",
    ),
    "a bear surrounded by grass": (
        "DT NN VBN IN NN; 1; 1 det 0, 1 acl 2, 4 case 3, 2 obl:agent 4; 1, 4; 1 surround 4",
        "*bear; grass | grass -surrounded by-> bear",
        "*bear; grass | bear -surrounded-> grass",
    ),
    "The grass was eaten by a lot of horses": (
        "DT NN VBD VBN IN DT NN IN NNS; 3; 1 det 0, 3 nsubj:pass 1, 3 aux:pass 2, 6 case 4, 8 det:qmod 5, 5 fixed 6,"
        " 5 fixed 7, 3 obl:agent 8; 1, 8; 8 eat 1",
        "*grass; horses | horses -eaten by-> grass",
        "*grass; horses | horses -eaten-> grass",
    ),
    "bus parked on side of street": (
        "NN VBN IN NN IN NN; 1; 1 nsubj:pass 0, 3 case 2, 1 obl:on 3, 5 case 4, 3 nmod:of 5; 0, 3, 5; 3 of 5",
        "*bus; side; street | bus -parked on-> side, side -of-> street",
        "*bus; side; street | side -of-> street",
    ),
    "a glass and a drink": (
        "DT NN CC DT NN; 1; 1 det 0, 4 cc 2, 4 det 3, 1 conj:and 4; 1, 4; ",
        "*glass; drink",
        "*glass; drink",
    ),
    "man holding a cup": (  # read as if the cup were a time; no word says so
        "NN NN DT NN; 1; 1 compound 0, 3 det 2, 1 obl:tmod 3; 1, 3; 1 obl:tmod 3",
        "*man holding; cup",
        "*man holding; cup | man holding -obl:tmod-> cup",
    ),
}
# These are the same with and without.
PLAIN_CASES = {
    "man": ("NN; 0; ; ; ", "*man"),
    "a woman is smiling": ("DT NN VBZ VBG; 3; 1 det 0, 3 nsubj 1, 3 aux 2; 1 3; ", "*woman(smiling)"),
    "a boy with tennis rackets": (
        "DT NN IN NN NNS; 1; 1 det 0, 4 case 2, 4 compound 3, 1 nmod:with 4; 1, 4; 1 with 4",
        "*boy; tennis rackets | boy -with-> tennis rackets",
    ),
    "the house is in front of the hill": (
        "DT NN VBZ IN NN IN DT NN; 7; 1 det 0, 7 nsubj 1, 7 cop 2, 7 case 3, 3 fixed 4, 3 fixed 5, 7 det 6; 1, 7;"
        " 1 in_front_of 7",
        "*house; hill | house -in front of-> hill",
    ),
    "there is a dog on the couch": (
        "EX VBZ DT NN IN DT NN; 1; 1 expl 0, 3 det 2, 1 nsubj 3, 6 case 4, 6 det 5, 3 nmod:on 6; 3, 6; 3 on 6",
        "*dog; couch | dog -on-> couch",
    ),
    "these are boxes above the road": (
        "DT VBP NNS IN DT NN; 2; 2 nsubj 0, 2 cop 1, 5 case 3, 2 nmod:above 5; 2, 5; 2 above 5",
        "*boxes; road | boxes -above-> road",
    ),
    "a man picks a ball up": (
        "DT NN VBZ DT NN RP; 2; 2 nsubj 1, 2 compound:prt 5, 2 obj 4; 1, 4; 1 pick_up 4",
        "*man; ball | man -picks up-> ball",
    ),
    "the man 's watch": (
        "DT NN POS NN; 3; 1 det 0, 3 nmod:poss 1, 1 case 2; 1, 3; 1 have 3",
        "man; *watch | man -'s-> watch",
    ),
    "the man's watch": (
        "DT NN POS NN; 3; 1 det 0, 3 nmod:poss 1, 1 case 2; 1, 3; 1 have 3",
        "man; *watch | man -'s-> watch",
    ),
    "the man ' s watch": (
        "DT NN POS NN; 3; 1 det 0, 3 nmod:poss 1, 1 case 2; 1, 3; 1 have 3",
        "man; *watch | man -' s-> watch",
    ),
    "a dog with its bone": (
        "DT NN IN PRP$ NN; 1; 4 nmod:poss 1, 4 case 2, 1 nmod:with 4; 1, 4; 1 have 4, 1 with 4",
        "*dog; bone | dog -with-> bone",
    ),
    "big man on and under the table": (  # CoreNLP makes two men of it, and says only of one that he is big
        "JJ NN IN CC IN DT NN; 1; 1 amod 0, 1 conj:and 1, 6 case 2, 4 cc 3, 2 conj:and 4, 1 nmod:on 6, 1 nmod:under 6;"
        " 1 0, 1, 6; 1 on 6, 1 under 6",
        "*man(big); table | man -on under-> table",
    ),
    "plate on a table with food on it": (  # CoreNLP takes "it" for the plate, which closes a loop
        "NN IN DT NN IN NN IN PRP; 0; 5 nmod:on 0, 3 case 1, 0 nmod:on 3, 5 case 4, 3 nmod:with 5, 0 case 6; 0, 3, 5;"
        " 0 on 3, 3 with 5, 5 on 0",
        "*plate; table; food | plate -on-> table, table -with-> food",
    ),
}
FALLBACKS = {
    "the": ("DT; 0; ; ; ", "*the"),
    "run fast": ("VB RB; 0; 0 advmod 1; ; ", "*run fast"),
    "big dog": ("JJ NN; 1; ; ; ", "*dog"),
}


def line(short: str) -> str:
    """The answer as CoreNLP's Java writes it; `_` in a relation's name is a blank."""
    tags, roots, dependencies, nodes, relations = [part.strip() for part in short.split(";")]

    def triples(text: str) -> list[list[object]]:
        words = [triple.split() for triple in text.split(",") if triple.strip()]
        return [[int(first), name, int(last)] for first, name, last in words]

    numbers = [list(map(int, node.split())) for node in nodes.split(",") if node.strip()]
    return json.dumps(
        {
            "tags": tags.split(),
            "roots": list(map(int, roots.split())),
            "dependencies": triples(dependencies),
            "nodes": [[node, attributes] for node, *attributes in numbers],
            "relations": [[first, name.replace("_", " "), last] for first, name, last in triples(relations)],
        }
    )


def graph_of(sentence: str, short: str, repair: bool = True):
    tokens = tuple(sentence.split())
    return corenlp.graph(tokens, pieces(tokens), Answer.of(line(short)), repair)


@pytest.mark.parametrize("sentence", CASES)
def test_repair_restores_prepositions(sentence, form):
    short, repaired, unrepaired = CASES[sentence]
    assert form(graph_of(sentence, short)) == repaired
    assert form(graph_of(sentence, short, repair=False)) == unrepaired


@pytest.mark.parametrize("sentence", PLAIN_CASES)
def test_graphs_are_in_the_sentences_words_and_about_its_head(sentence, form):
    short, expected = PLAIN_CASES[sentence]
    assert form(graph_of(sentence, short)) == form(graph_of(sentence, short, repair=False)) == expected


@pytest.mark.parametrize("sentence", FALLBACKS)
def test_an_empty_graph_is_the_head_noun_or_the_whole_expression(sentence, form):
    short, expected = FALLBACKS[sentence]
    found = graph_of(sentence, short)
    assert form(found) == expected and found.is_fallback


@pytest.mark.parametrize(("sentence", "tokens"), [("the man's watch", (1,)), ("the man ' s watch", (2, 3))])
def test_edges_point_to_our_tokens_however_they_are_split(sentence, tokens):
    (edge,) = graph_of(sentence, PLAIN_CASES[sentence][0]).edges
    assert edge.tokens == tokens


@pytest.mark.parametrize(
    ("tokens", "spelled"),
    [
        ("the man's dogs’ bones", "the man 's dogs ' bones"),
        ("man ' s", "man 's"),
        ("isn't 's s '", "isn't 's s '"),
        (["", "a b", "tab\there", "new\nline", "\u2028", "half\ud83d"], "_ ab tab_here new_line _ half_"),
    ],
)
def test_tokens_are_spelled_as_corenlp_spells_words(tokens, spelled):
    found = pieces(tokens.split() if isinstance(tokens, str) else tokens)
    assert " ".join(piece.spelled for piece in found) == spelled


WORDS = 7
PLACES = st.integers(0, WORDS - 1)
NAMES = st.sampled_from(
    ["nsubj", "acl", "obl:on", "obl:agent", "obj", "nmod:of", "nmod:poss", "case", "compound", "cop"]
)
ANSWERS = st.builds(
    Answer,
    st.lists(st.sampled_from(["NN", "NNS", "VBG", "IN", "DT", "POS", "PRP$"]), min_size=WORDS, max_size=WORDS),
    st.lists(PLACES, max_size=2),
    st.lists(st.tuples(PLACES, NAMES, PLACES), max_size=12).map(tuple),
    st.just(tuple((place, ((place + 1) % WORDS,)) for place in range(WORDS))) | st.just(()),
    st.lists(st.tuples(PLACES, st.sampled_from(["sit", "have", "on", "obl:on"]), PLACES), max_size=8).map(tuple),
)


@given(ANSWERS, st.booleans())
def test_any_answer_gives_a_whole_graph(answer, repair):
    tokens = ("man's", "on", "the", "by", "'", "s", "dog")
    answer = answer if answer.nodes else Answer(answer.tags, answer.roots, answer.dependencies)
    sentence = pieces(tokens)
    assert len(sentence) == WORDS
    graph = corenlp.graph(tokens, sentence, answer, repair)
    assert graph.nodes and first_loop(len(graph.nodes), [(edge.subject, edge.object) for edge in graph.edges]) is None
    for part in (*graph.nodes, *graph.edges):
        assert part.tokens and list(part.tokens) == sorted(set(part.tokens))
        assert set(part.tokens) <= set(range(len(tokens)))
    assert all(node.head_token in node.tokens for node in graph.nodes)
    assert all(edge.relation for edge in graph.edges)
    assert graph.referent in range(len(graph.nodes))


JAVA = """#!{python}
# Stands in for Java: every word is an object. Some words make trouble.
import json, sys
print("warming up", file=sys.stderr)
for line in sys.stdin:
    words = line.rstrip("\\n").split("\\t")
    if words == ["die"]:
        print("Terminating due to java.lang.OutOfMemoryError", file=sys.stderr)
        sys.exit(3)
    if "hang" in words:
        print(json.dumps({{"problem": "no parse was found in time"}}), flush=True)
    else:
        places = list(range(len(words)))
        graph = {{"tags": ["NN"] * len(words), "roots": [0], "dependencies": [], "relations": []}}
        print(json.dumps(graph | {{"nodes": [[place, []] for place in places]}}), flush=True)
"""


@pytest.fixture
def fake_java(tmp_path) -> Path:
    path = tmp_path / "java"
    path.write_text(JAVA.format(python=sys.executable))
    path.chmod(0o755)
    return path


def heads(graphs):
    return [[node.head for node in graph.nodes] for graph in graphs]


def test_many_sentences_stream_through_one_process(fake_java):
    process = CoreNLP(str(fake_java), [])
    sentences = [("dog", str(index)) for index in range(20_000)]  # more than the pipes hold
    assert heads(corenlp.parse_many(process, True, sentences)) == [list(sentence) for sentence in sentences]
    first = process.process
    assert heads(corenlp.parse_many(process, True, [("cat",), ()])) == [["cat"], [""]]
    assert process.process is first
    process.stop(first)


def test_a_sentence_that_fails_is_reported_and_falls_back(fake_java, caplog):
    process = CoreNLP(str(fake_java), [])
    with caplog.at_level(logging.WARNING):
        graphs = corenlp.parse_many(process, True, [("cat",), ("hang", "the", "dog"), ("bird",)])
    assert heads(graphs) == [["cat"], ["dog"], ["bird"]] and [graph.is_fallback for graph in graphs] == [
        False,
        True,
        False,
    ]
    assert caplog.messages == [
        "CoreNLP gave no graph for 'hang the dog': no parse was found in time; one node covers the sentence"
    ]
    process.stop(process.process)


def test_a_java_that_ends_is_an_error_with_its_last_output_and_starts_again(fake_java):
    process = CoreNLP(str(fake_java), [])
    with pytest.raises(UserError, match=r"ended with code 3 at 'die'; its last words: .*OutOfMemoryError"):
        process.answers([["cat"], ["die"], *[["cat"]] * 20_000])
    assert process.process is None
    assert len(process.answers([["cat"]])) == 1
    process.stop(process.process)


def test_a_java_without_a_compiler_says_to_install_a_jdk(tmp_path):
    path = tmp_path / "java"
    path.write_text("#!/bin/sh\necho 'FindException: Module jdk.compiler not found' >&2\nexit 1\n")
    path.chmod(0o755)
    with pytest.raises(UserError, match="install a JDK"):
        CoreNLP(str(path), []).answers([["cat"]])


def test_without_java_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    with pytest.raises(UserError, match="needs Java: install a JDK"):
        java()
