"""The stanza backend: its errors, and its graphs with a small model.

Also Stanford's regression sentences, from hand-written trees without any model.
"""

import os
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from jvgn.shapes.expressions import sample_outlines, sample_pair_outlines, tell, tell_twice
from jvgn.shapes.world import Plan, sample_image
from parsers import parse
from parsers.errors import UserError
from parsers.factual.conventions import factual
from parsers.factual.scorer import tuples_of_graph, tuples_of_text
from parsers.parser import load_backend
from parsers.trees.conllu import first_problem
from parsers.trees.dependencies import ROOT
from parsers.trees.stanza_backend import WordClass, corrected, load_trees, tree_of
from parsers.trees.tree_graph import read
from parsers.words.tokens import tokenise

SHARED = Path(__file__).parents[3] / os.environ.get("JVGN_SHARED", "../shared")

STANFORD = [
    (
        "A man is riding a horse",
        "A/DET/1/det man/NOUN/3/nsubj is/AUX/3/aux riding/VERB/-1/root a/DET/5/det horse/NOUN/3/obj",
        "( man , ride , horse )",
    ),
    (
        "A woman is smiling",
        "A/DET/1/det woman/NOUN/3/nsubj is/AUX/3/aux smiling/VERB/-1/root",
        "( woman , is , smile )",
    ),
    (
        "The man is a rider",
        "The/DET/1/det man/NOUN/4/nsubj is/AUX/4/cop a/DET/4/det rider/NOUN/-1/root",
        "( man , is , rider )",
    ),
    ("A smart woman", "A/DET/2/det smart/ADJ/2/amod woman/NOUN/-1/root", "( woman , is , smart )"),
    ("The man is tall", "The/DET/1/det man/NOUN/3/nsubj is/AUX/3/cop tall/ADJ/-1/root", "( man , is , tall )"),
    (
        "A tall woman is in the cold house",
        "A/DET/2/det tall/ADJ/2/amod woman/NOUN/7/nsubj is/AUX/7/cop in/ADP/7/case the/DET/7/det cold/ADJ/7/amod"
        " house/NOUN/-1/root",
        "( woman , is , tall ) , ( woman , in , house ) , ( house , is , cold )",
    ),
    (
        "The man 's watch",
        "The/DET/1/det man/NOUN/3/nmod:poss 's/PART/1/case watch/NOUN/-1/root",
        "( man , have , watch )",
    ),
    (
        "The grass was eaten by a lot of horses",
        "The/DET/1/det grass/NOUN/3/nsubj:pass was/AUX/3/aux:pass eaten/VERB/-1/root by/ADP/6/case a/DET/6/det"
        " lot/NOUN/3/obl of/ADP/8/case horses/NOUN/6/nmod",
        "( horse , eat , grass )",
    ),
    (
        "A cat eating a fish",
        "A/DET/1/det cat/NOUN/-1/root eating/VERB/1/acl a/DET/4/det fish/NOUN/2/obj",
        "( cat , eat , fish )",
    ),
]
CAPTIONS = (
    "the second guy from left", "man on the far right in a red hat", "a lot of horses", "two of the men on a bench",
    "the man that is not wearing a hat", "a laptop sitting on top of a desk", "umbrella held by a woman", "left", "man",
    "a woman wearing a coat and a hat and holding an umbrella", "the bench the woman is sitting on", 
    "a table with a cup on it",
)  # fmt: skip


@pytest.fixture(scope="module")
def models() -> str:
    pytest.importorskip("stanza", reason="stanza is not installed")
    folder = SHARED / "data" / "stanza_en"
    if not folder.exists():
        pytest.skip(f"there is no {folder}; set JVGN_SHARED to the folder that holds data/stanza_en")
    return str(folder)


@pytest.mark.parametrize(("sentence", "tree", "expected"), STANFORD)
def test_trees_of_stanfords_sentences_give_stanfords_graphs(sentence, tree, expected, read_tree):
    graph = read(read_tree(tree))
    assert " ".join(graph.tokens) == sentence
    assert tuples_of_graph(factual(graph)) == tuples_of_text(expected)


@pytest.mark.parametrize(("sentence", "tree", "expected"), STANFORD)
def test_a_model_gives_stanfords_graphs_of_its_sentences(sentence, tree, expected, models):
    for text in (sentence, sentence + "."):
        graph = parse(text, backend="stanza", models=models, conventions="factual")
        assert tuples_of_graph(graph) == tuples_of_text(expected)


def test_a_tree_does_not_depend_on_the_sentences_parsed_with_it(models):
    trees = load_trees(models=models)
    sentences = [tokenise(text) for text in CAPTIONS]
    together = list(trees(sentences))
    shuffled = random.Random(0).sample(range(len(sentences)), len(sentences))
    mixed = list(trees([sentences[index] for index in shuffled] + [("a",) * 60]))
    assert together == [next(trees([sentence])) for sentence in sentences]
    assert [together[index] for index in shuffled] == mixed[:-1]


def test_tokens_are_kept_as_they_are(models):
    for tokens in (["the", "man's", "watch"], ["a b", "", " ", "dog"], [""], [], ["dog"] * 450):
        graph = parse("", tokens=tokens, backend="stanza", models=models)
        assert graph.tokens == (tuple(tokens) or ("",))
        assert graph.nodes


def test_stanza_and_lexical_agree_on_sentences_of_the_shapes_world(models):
    sentences = []
    for seed in range(24):
        pairs = seed % 3 == 0
        outlines, words = (sample_pair_outlines, tell_twice) if pairs else (sample_outlines, tell)
        plan = Plan("test", 1, 6, 2 if pairs else 5, outlines, words)
        _, expressions = sample_image(plan, np.random.default_rng(seed))
        sentences += [expression.sentence.tokens for expression in expressions]
    found = load_backend("stanza", models=models)(sentences)
    wanted = load_backend("lexical")(sentences)
    different = [" ".join(graph.tokens) for graph, other in zip(found, wanted, strict=True) if graph != other]
    assert len(sentences) > 90 and not different


TAGS = [
    ("brown hay on ground", "ADJ INTJ ADP NOUN", "ADJ NOUN ADP NOUN"),
    ("man has hat", "NOUN AUX NOUN", "NOUN VERB NOUN"),
    ("the left dog", "DET VERB NOUN", "DET NOUN NOUN"),
    ("man in front of dog", "NOUN ADP NOUN ADP NOUN", "NOUN ADP NOUN ADP NOUN"),
    ("man is in hat", "PROPN AUX ADV NOUN", "NOUN AUX ADP NOUN"),
]


@pytest.mark.parametrize(("text", "tagged", "expected"), TAGS)
def test_the_lexicon_corrects_the_tagger(text, tagged, expected):
    before = [WordClass(upos, "?", "?") for upos in tagged.split()]
    after = corrected(text.split(), before)
    assert " ".join(word.upos for word in after) == expected
    for old, new in zip(before, after, strict=True):
        assert new is old if new.upos == old.upos else new.xpos != "?"


def test_pieces_of_a_long_sentence_are_one_tree():
    class Word:
        upos, deprel = "NOUN", "dep"

        def __init__(self, head: int) -> None:
            self.head = head

    tree = tree_of(("a", "b", "c", "d"), [[Word(0), Word(1)], [Word(2), Word(0)]])
    assert [word.head for word in tree.words] == [ROOT, 0, 3, 0]
    assert first_problem([word.head for word in tree.words]) is None


def test_without_stanza_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(UserError, match="pip install stanza"):
        load_trees(models="anywhere")


def test_an_error_about_a_folder_without_models_names_the_expected_files(tmp_path):
    pytest.importorskip("stanza")
    with pytest.raises(UserError, match=r"expected resources.json and en/, or tagger.pt, parser.pt, vectors.pt"):
        load_trees(models=str(tmp_path))


def test_stanza_gets_the_options_for_the_given_models(monkeypatch, tmp_path):
    stanza = pytest.importorskip("stanza")
    asked = []
    monkeypatch.setattr(stanza, "Pipeline", lambda **options: asked.append(options))
    (tmp_path / "en").mkdir()
    (tmp_path / "resources.json").write_text("{}")
    load_trees(models=str(tmp_path))
    assert all(options["dir"] == str(tmp_path) and options["download_method"] is None for options in asked)
    asked.clear()
    load_trees()
    assert all("dir" not in options and "download_method" not in options for options in asked)
    assert all(options["tokenize_pretokenized"] for options in asked)


def test_without_a_network_the_error_says_what_to_do(monkeypatch):
    stanza = pytest.importorskip("stanza")

    def unreachable(**options):
        raise ConnectionError("no route\nto host")

    monkeypatch.setattr(stanza, "Pipeline", unreachable)
    with pytest.raises(UserError, match=r"cannot be downloaded \(no route\); give models=FOLDER"):
        load_trees()
