"""The real CoreNLP, if Java and its jars are there: in JVGN_CORENLP, or in resources/corenlp."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jvgn.graphs.parsing import EXPRESSIONS
from jvgn.graphs.tables import read_edges, read_nodes
from jvgn.storage.parquet import write_table
from parsers import parse
from parsers.corenlp.jars import class_path
from parsers.corenlp.process import MOST_WORDS
from parsers.errors import UserError
from parsers.parser import load_backend
from parsers.words.lexicon import verb_base

ROOT = Path(__file__).parents[3]
FOLDER = Path(os.environ.get("JVGN_CORENLP", ROOT / "resources/corenlp")).absolute()

# Stanford's own regression sentences, with their expected graphs: nodes with attributes, then relations, as lemmas.
REGRESSIONS = {
    "A man is riding a horse.": "man; horse | man -ride-> horse",
    "A woman is smiling.": "woman(smile)",
    "The man is a rider.": "man(rider)",
    "A smart woman.": "woman(smart)",
    "The man is tall.": "man(tall)",
    "A tall woman is in the cold house.": "woman(tall); house(cold) | woman -in-> house",
    "The man's watch.": "man; watch | man -have-> watch",
    "The grass was eaten by a lot of horses.": "grass; horse | horse -eat-> grass",
    "A cat eating a fish.": "cat; fish | cat -eat-> fish",
}
WRITTEN = {
    "a cat sitting on a mat": "*cat; mat | cat -sitting on-> mat",
    "two red men ride brown horses": "*men(red); horses(brown) | men -ride-> horses",
    "man": "*man",
    "the brown horses are big animals with long tails": "*horses(brown, animals); animals(big); tails(long) |"
    " animals -with-> tails",
    "the chair next to the dog": "*chair; dog | chair -next to-> dog",
    "": "*",
}


@pytest.fixture(scope="module")
def folder() -> str:
    if shutil.which("java") is None or shutil.which("javac") is None:
        pytest.skip("CoreNLP needs a JDK, which is missing")
    try:
        class_path(FOLDER)
    except UserError as error:
        pytest.skip(str(error))
    return str(FOLDER)


def as_lemmas(text: str) -> str:
    """A graph's line as Stanford writes it: base forms, active verbs, `have` for the possessive ending."""
    text = text.replace("*", "").replace("-'s->", "-have->").replace(" by->", "->").replace("horses", "horse")
    for word in ("riding", "smiling", "eaten", "eating"):
        text = text.replace(word, verb_base(word))
    return text


@pytest.mark.parametrize("sentence", REGRESSIONS)
def test_stanfords_regression_sentences_give_its_graphs(folder, form, sentence):
    assert as_lemmas(form(parse(sentence, backend="corenlp", folder=folder))) == REGRESSIONS[sentence]


@pytest.mark.parametrize("sentence", WRITTEN)
def test_graphs_are_in_the_sentences_words(folder, form, sentence):
    tokens = sentence.split()
    assert form(parse(sentence, backend="corenlp", tokens=tokens, folder=folder)) == WRITTEN[sentence]


@pytest.mark.parametrize(
    "tokens", [["(", ")", "\\", '"', "'", "’", "é", "\U0001f600"], ["a\tb", "\n", "", "dog"], ["."]]
)
def test_any_tokens_are_kept_and_tied_to_the_graph(folder, tokens):
    graph = parse("", backend="corenlp", tokens=tokens, folder=folder)
    assert graph.tokens == tuple(tokens) and graph.nodes


def test_a_graph_depends_on_its_own_sentence_alone(folder):
    sentences = [tuple(text.split()) for text in (*WRITTEN, *REGRESSIONS)]
    backend = load_backend("corenlp", folder=folder)
    assert backend is load_backend("corenlp", folder=folder)
    assert backend(sentences) == backend(sentences[::-1])[::-1] == [backend([tokens])[0] for tokens in sentences]


def test_a_very_long_sentence_is_reported_and_falls_back(folder, caplog):
    graph = load_backend("corenlp", folder=folder)([("dog",) * (MOST_WORDS + 1)])[0]
    assert graph.is_fallback and graph.nodes[0].head == "dog"
    assert f"it has {MOST_WORDS + 1} words, and at most {MOST_WORDS} are parsed" in caplog.text


PARSES_FOR_LONG = """
import sys
from pathlib import Path
from parsers.corenlp.process import CoreNLP, java
from parsers.corenlp.jars import class_path
corenlp = CoreNLP(java(), class_path(Path(sys.argv[1])))
corenlp.answers([["dog"]])
print(corenlp.process.pid, flush=True)
corenlp.answers([["a", "dog", "on", "a", "mat", "and"] * 4 + ["cat"]] * 1000)
"""


def test_java_ends_after_python_was_killed(folder):
    command = [sys.executable, "-c", PARSES_FOR_LONG, folder]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as python:
        java = int(python.stdout.readline())
        time.sleep(2)  # until the pipe is full
        python.kill()
    deadline = time.monotonic() + 20  # for the sentence at hand; those in the pipe would take minutes
    while is_running(java) and time.monotonic() < deadline:
        time.sleep(0.2)
    if is_running(java):
        os.kill(java, signal.SIGKILL)
        pytest.fail("Java still runs")


def is_running(process: int) -> bool:
    """A process without a parent may stay as a zombie where nothing collects those."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_jvgn_parse_writes_tables_with_corenlp(folder, tmp_path):
    (tmp_path / "resources").mkdir()
    (tmp_path / "resources/corenlp").symlink_to(folder)  # the default folder
    sentences = ["the man 's watch", "man", "a cat sitting on a mat"]
    columns = {"expression_id": [7, 8, 9], "tokens": [text.split() for text in sentences]}
    write_table(tmp_path / "expressions.parquet", columns, EXPRESSIONS)
    files = ["expressions.parquet", "nodes.parquet", "edges.parquet", "coverage.json"]
    command = [sys.executable, "-m", "jvgn", "parse", "--backend", "corenlp", *files]
    run = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    nodes = read_nodes(tmp_path / "nodes.parquet").to_pylist()
    assert [(row["expression_id"], row["head"], row["head_token"], row["is_referent"]) for row in nodes] == [
        (7, "man", 1, False), (7, "watch", 3, True), (8, "man", 0, True), (9, "cat", 1, True), (9, "mat", 5, False),
    ]  # fmt: skip
    edges = read_edges(tmp_path / "edges.parquet").to_pylist()
    assert [(row["relation"], row["tokens"]) for row in edges] == [("'s", [2]), ("sitting on", [2, 3])]
    counts = json.loads((tmp_path / "coverage.json").read_text())
    assert (counts["expressions"], counts["fallbacks"], counts["edges"]) == (3, 1, 2)
