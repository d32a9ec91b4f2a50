"""The parsers that read trees: stanza, and files in CoNLL-U."""

import sys

import pytest

from tests.errors.case import Bench, Case


def stanza(*options: str):
    return lambda bench: ["graph", "a dog", "--backend", "stanza", *(f"--option={option}" for option in options)]


def without_stanza(bench: Bench):
    bench.patch.setitem(sys.modules, "stanza", None)
    return stanza()(bench)


def other_folder(bench: Bench):
    pytest.importorskip("stanza")
    bench.write("models/readme.txt", "")
    return stanza(f"models={bench.folder / 'models'}")(bench)


def no_folder(bench: Bench):
    pytest.importorskip("stanza")
    return stanza(f"models={bench.folder / 'none'}")(bench)


def broken_models(bench: Bench):
    pytest.importorskip("stanza")
    for name in ("tagger.pt", "parser.pt", "vectors.pt"):
        bench.write(f"models/{name}", "not a model")
    return stanza(f"models={bench.folder / 'models'}")(bench)


def without_network(bench: Bench):
    """stanza asks for its list of models first."""

    def refused(**given):
        raise ConnectionError("network is unreachable")

    bench.patch.setattr(pytest.importorskip("stanza"), "Pipeline", refused)
    return stanza()(bench)


def conllu(path):
    return ["graph", "a dog", "--backend", "conllu", "--option", f"parses={path}"]


def parses(text: str | bytes):
    """A sentence asked of this file."""
    return lambda bench: conllu(bench.write("parses.conllu", text))


def words(*rows: tuple[str, str, str]) -> str:
    """A sentence in CoNLL-U: each word's number, form and head."""
    return "".join(f"{number}\t{form}\t{form}\tX\t_\t_\t{head}\tdep\t_\t_\n" for number, form, head in rows)


CURE = "give a file in CoNLL-U, one sentence for each expression"

CASES = [
    Case("the stanza parser needs stanza: pip install stanza", without_stanza),
    Case("the stanza parser's tags are lexicon or model, found …", stanza("tags=mine")),
    Case("the stanza parser's graphs are tree or agreed, found …", stanza("graphs=both")),
    Case("…: expected resources.json and en/, or …; see the option models", other_folder),
    Case("…: there is no such folder of stanza's models; …", no_folder),
    Case("the stanza parser: … cannot be loaded (…); …", broken_models),
    Case("the stanza parser: its English model cannot be downloaded (…); …", without_network),
    Case(f"…: there is no such file; {CURE}", lambda bench: conllu("none.conllu")),
    Case(f"…: cannot be read (…); {CURE}", lambda bench: conllu(bench.unreadable)),
    Case(f"…: it is not text in UTF-8 (…); {CURE}", parses(b"\xff\xfe")),
    Case(f"…: line …: expected … columns separated by tabs, found …; {CURE}", parses("1 a dog")),
    Case(f"…: line …: expected word …, found …; {CURE}", parses(words(("2", "dog", "0")))),
    Case(f"…: line …: the head of … is …, expected a number; {CURE}", parses(words(("1", "dog", "_")))),
    Case(f"…: line …: the range … does not start at word …; {CURE}", parses(words(("2-3", "man's", "_")))),
    Case(
        f"…: line …: the range …-… has … words; {CURE}",
        parses(words(("1-2", "man's", "_"), ("1", "man", "0"))),
    ),
    # A range without its words, before a sentence that is whole.
    Case(
        f"…: line …: the range …-… has … words; {CURE}",
        parses(words(("1-2", "man's", "_")) + "\n" + words(("1", "the", "2"), ("2", "dog", "0"))),
    ),
    Case("…: line …: word … (…) has the head …, but there are … words", parses(words(("1", "dog", "7")))),
    Case("…: line …: word … (…) is its own head", parses(words(("1", "dog", "0"), ("2", "cat", "2")))),
    Case(
        "…: line …: word … (…) is a second root; the first is word …",
        parses(words(("1", "dog", "0"), ("2", "cat", "0"))),
    ),
    Case(
        "…: line …: word … (…) is in a cycle of heads, or hangs from one",
        parses(words(("1", "dog", "2"), ("2", "cat", "1"))),
    ),
    Case("…: it has no sentence …; add its parse, its words as they are here", parses(words(("1", "cat", "0")))),
]
