"""`python -m parsers score`: graphs against graphs that people wrote."""

import pytest
from click.testing import CliRunner

from parsers import parse
from parsers.__main__ import main
from parsers.errors import UserError
from parsers.factual import scorer
from parsers.factual.scorer import Score, length_class, tuples_of_graph, tuples_of_text

GOLD = "caption,scene_graph\n"


@pytest.fixture
def _plain_lemmas(monkeypatch):
    """Words are their own lemmas: these tests need no lemmatiser."""
    scorer.lemma.cache_clear()
    monkeypatch.setattr(scorer, "lemmatiser", lambda: lambda word, language: word)
    yield
    scorer.lemma.cache_clear()


pytestmark = pytest.mark.usefixtures("_plain_lemmas")


def test_a_written_graph_counts_as_its_tuples():
    assert tuples_of_text("( man , hold , bat ) , ( bat , is , red ) , ( sky )") == (
        {("man",), ("bat",), ("sky",)},
        {("bat", "red")},
        {("man", "hold", "bat")},
    )


def test_a_parsed_graph_counts_as_its_tuples():
    graph = parse("a man holding a red bat", conventions="factual")
    assert tuples_of_graph(graph) == tuples_of_text("( man , hold , bat ) , ( bat , is , red )")


def test_scores_of_captions_are_averaged_and_kinds_are_pooled():
    score = Score()
    score.add(tuples_of_text("( man , hold , bat )"), tuples_of_text("( man , hold , bat )"))
    score.add(tuples_of_text("( dog , is , red )"), tuples_of_text("( dog , is , big )"))
    assert score.f1 == pytest.approx((100 + 50) / 2)
    assert [tally.f1 for tally in score.kinds] == [pytest.approx(100), 0, pytest.approx(100)]


@pytest.mark.parametrize(
    ("words", "bounds"), [(0, (1, 4)), (4, (1, 4)), (5, (5, 6)), (9, (7, 9)), (13, (10, 13)), (40, (14, None))]
)
def test_captions_are_classed_by_their_number_of_words(words, bounds):
    assert length_class("word " * words) == bounds


def test_the_command_prints_all_captions_and_each_length(tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text(GOLD + 'a red bat,"( bat , is , red )"\na man is holding a red bat,"( man , hold , bat )"\n')
    result = CliRunner().invoke(main, ["score", str(gold)])
    assert result.exit_code == 0
    lines = [line.split() for line in result.output.splitlines()]
    assert lines[1][:3] == ["all", "2", "92.86"]
    assert [line[:2] for line in lines[2:7]] == [["1-4", "1"], ["5-6", "0"], ["7-9", "1"], ["10-13", "0"], ["14+", "0"]]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"sentence\na dog\n", "caption and scene_graph"),
        (b"caption,scene_graph\na dog,( dog )\na cat\n", "line 3: expected a caption and its scene_graph"),
        (b"caption,scene_graph\na dog,dog\n", "expected a graph like"),
        (b"caption,scene_graph\n\xff,( dog )\n", "not a CSV in UTF-8"),
    ],
)
def test_a_file_in_another_format_is_an_error(tmp_path, content, problem):
    gold = tmp_path / "gold.csv"
    gold.write_bytes(content)
    result = CliRunner().invoke(main, ["score", str(gold)])
    assert result.exit_code == 1 and problem in result.output


def test_without_the_lemmatiser_the_error_says_what_to_install(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setitem(__import__("sys").modules, "simplemma", None)
    scorer.lemmatiser.cache_clear()
    with pytest.raises(UserError, match="pip install simplemma"):
        scorer.lemmatiser()
    scorer.lemmatiser.cache_clear()
