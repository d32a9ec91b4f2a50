"""Tools that draw graphs, compare parsers, and measure their quality and speed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from parsers import parse
from parsers.__main__ import main
from parsers.parser import Parser, load_backend
from parsers.scene_graph import Edge, Node, SceneGraph
from parsers.tools.differences import compare, differences
from parsers.tools.graph_drawing import drawn, places, remarks
from parsers.tools.sentences import read_sentences

HOSTILE = SceneGraph(
    ('<b>"&', "\x01\x00", "\\", "]]>", "\ud800"),
    (Node('<b>"&', 0, ("\x01\x00", "\\"), (0, 1, 2)), Node("\ud800", 4, (), (4,))),
    (Edge(1, "]]>", 0, (3,)),),
    0,
)
LONG = parse(" on the ".join(f"table{number}" for number in range(1500)))


def run(*arguments):
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("a dog", ["* dog"]),
        ("the white truck in front of the yellow one", ["* truck (white)", "  └─ in front of → one (yellow)"]),
        (
            "the man's gold watch on a small table near a lamp",
            ["* watch (gold)", "  ├─ 's ← man", "  └─ on → table (small)", "     └─ near → lamp"],
        ),
    ],
)
def test_a_graph_is_drawn_as_a_tree_from_its_referent(sentence, expected):
    assert drawn(parse(sentence)) == expected


def test_the_drawing_in_the_documentation_is_the_one_that_is_drawn():
    document = (Path(__file__).parents[3] / "docs/parsers.md").read_text()
    sentence, expected = re.search(r'^\$ jvgn graph "(.*)"\n(.*?)^```', document, re.M | re.S).groups()
    assert drawn(parse(sentence)) == expected.splitlines()


def test_nodes_that_nothing_connects_are_drawn_below():
    nodes = tuple(Node(head, index, (), (index,)) for index, head in enumerate("abc"))
    graph = SceneGraph(tuple("abcd"), nodes, (Edge(2, "d", 0, (3,)),), 1)
    assert drawn(graph) == ["* b", "  c", "  └─ d → a"]


def test_remarks_mention_what_the_drawing_does_not_show():
    assert remarks(parse("a very tall man")) == ["left out: very"]
    assert remarks(parse("sitting there")) == ["no phrase was found: the node covers the whole sentence"]
    assert remarks(parse("a tall man")) == []


@pytest.mark.parametrize("graph", [HOSTILE, LONG, parse("a man in a hat and a dog with a man's hat")])
def test_every_node_and_edge_is_drawn_once(graph):
    tree = places(graph)
    assert sorted(place.node for place in tree) == list(range(len(graph.nodes)))
    assert sorted(id(place.edge) for place in tree if place.edge) == sorted(map(id, graph.edges))
    assert len(drawn(graph)) == len(graph.nodes)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ("a red dog on a mat", ("the same graph",)),
        ("a red dog by a mat", ("other edges",)),
        ("a big dog on a mat", ("other nodes",)),
        ("a red dog by a rug", ("other nodes", "other edges")),
    ],
)
def test_two_graphs_differ_in_referent_nodes_or_edges(other, expected):
    assert differences(parse("a red dog on a mat"), parse(other)) == expected


def test_another_referent_is_a_difference():
    graph = parse("a dog on a mat")
    other = SceneGraph(graph.tokens, graph.nodes, graph.edges, 1)
    assert differences(graph, other) == ("another referent",)


@pytest.fixture
def backwards(monkeypatch):
    """A second parser, which takes the last node for the referent and loses the edges of short sentences."""

    def parse_many(sentences):
        graphs = load_backend("lexical")(sentences)
        return [SceneGraph(g.tokens, g.nodes, () if len(g.tokens) < 6 else g.edges, len(g.nodes) - 1) for g in graphs]

    loaded = Parser.load
    monkeypatch.setattr(Parser, "load", lambda self: parse_many if self.backend == "backwards" else loaded(self))
    return Parser("backwards")


def test_a_comparison_counts_differences_and_shows_examples_side_by_side(backwards):
    sentences = [tuple(text.split()) for text in ("a dog", "a cat on a mat", "the old cat on the old mat")]
    lines = list(compare((Parser("lexical"), backwards), sentences, examples=1))
    assert lines[0] == "3 distinct sentences, read by lexical and backwards"
    assert [re.split(r"\s{2,}", line.strip()) for line in lines[1:5]] == [
        ["the same graph", "1", "33.3%"],
        ["another referent", "2", "66.7%"],
        ["other nodes", "0", "0.0%"],
        ["other edges", "1", "33.3%"],
    ]
    assert lines[5:] == [
        "",
        "another referent: a cat on a mat",
        "  lexical          backwards",
        "  ───────          ─────────",
        "  * cat            * mat",
        "    └─ on → mat      cat",
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.txt", "a dog\n\na cat 's tail\na dog\n"), ("a.csv", "caption,scene_graph\na dog,\na cat 's tail,\n")],
)
def test_sentences_are_read_from_text_and_csv_files(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    assert read_sentences(tmp_path / name) == [("a", "dog"), ("a", "cat", "'s", "tail")]


def test_figures_equal_those_of_an_independent_scorer(tmp_path):
    """The independent scorer reads the same captions in the same form and shares no code with ours."""
    root = Path(__file__).parents[3]
    shared = root / os.environ.get("JVGN_SHARED", "../shared")
    scorer, gold = shared / "tools/score_graphs.py", shared / "data/factual/dev.csv"
    if not (scorer.exists() and gold.exists()):
        pytest.skip(f"there is no {scorer}; set JVGN_SHARED to the folder that holds tools/ and data/")
    options = ["--gold", gold, "--backend", "lexical", "--options", '{"conventions": "factual"}']
    theirs = subprocess.run(
        [sys.executable, scorer, *options], check=True, capture_output=True, text=True, cwd=root, timeout=300
    ).stdout
    kinds = re.findall(r"^\w+ +P +[\d.]+ +R +[\d.]+ +F +([\d.]+)$", theirs, re.M)
    expected = [re.search(r"F1 ([\d.]+)", theirs)[1], *kinds]
    (line,) = [line for line in run("figures", gold, "--backend", "lexical").output.splitlines() if "| all |" in line]
    assert [cell.strip() for cell in line.split("|")][4:8] == expected
