"""What people ask of parsers: graphs drawn, scored, compared, set side by side."""

import sys

from parsers.factual import scorer
from tests.errors.case import Bench, Case

GOLD = 'caption,scene_graph\na dog,"( dog , is , brown )"\n'
CURE = "give a file in FACTUAL's format"


def gold(text: str | bytes, *command):
    """A command given a file of captions and their graphs."""
    return lambda bench: [*(command or ["score"]), bench.write("gold.csv", text)]


def figures(*options):
    return gold(GOLD, "figures", "--backend", "lexical", *options)


def without_simplemma(bench: Bench):
    bench.patch.setitem(sys.modules, "simplemma", None)
    for name in ("lemma", "lemmatiser"):  # what other tests have looked up already
        bench.patch.setattr(scorer, name, getattr(scorer, name).__wrapped__)
    return gold(GOLD)(bench)


def page(bench: Bench):
    return figures("--into", bench.write("page.md", "# Figures\n"))(bench)


def compared(text: str | bytes):
    return lambda bench: ["compare", "lexical", "lexical", bench.write("sentences.txt", text)]


CASES = [
    Case(
        "there are no conventions …; there are: written, factual",
        lambda bench: ["graph", "a dog", "--conventions", "visual"],
    ),
    Case(
        "…: graphs are drawn as …; choose one of these endings",
        lambda bench: ["graph", "a dog", "--output", "dog.png"],
    ),
    Case(
        "…: there is no such file; give a CSV with the columns caption and scene_graph",
        lambda bench: ["score", "none.csv"],
        "parsers",
    ),
    Case(f"…: expected the columns caption and scene_graph; {CURE}", gold("text,graph\na,b\n"), "parsers"),
    Case(f"…: cannot be read (…); {CURE}", lambda bench: ["score", bench.unreadable], "parsers"),
    Case(f"…: not a CSV in UTF-8 (…); {CURE}", gold(b"caption,scene_graph\n\xff,\n"), "parsers"),
    Case(
        f"…: line …: expected a caption and its scene_graph, found only …; {CURE}",
        gold("caption,scene_graph\na dog\n"),
        "parsers",
    ),
    Case(f"…: has no caption; {CURE}", gold("caption,scene_graph\n"), "parsers"),
    Case(
        "caption …: expected a graph like ( man , hold , bat ), found …",
        gold("caption,scene_graph\na dog,dog\n"),
        "parsers",
    ),
    Case("scoring compares lemmas: pip install simplemma", without_simplemma, "parsers"),
    Case("rows …: expected start:stop or start:stop:step, such as 7::10", figures("--rows", "7"), "parsers"),
    Case("rows …: there is none of them among …", figures("--rows", "7:9"), "parsers"),
    Case("…: cannot be read (…); give a Markdown file", figures("--into", "none.md"), "parsers"),
    Case("…: has no place for the table; write the lines … and … where it shall stand", page, "parsers"),
    Case(
        "…: there is no such file; give an expressions.parquet, a CSV with a column caption, or a text file with a"
        " sentence on each line",
        lambda bench: ["compare", "lexical", "lexical", "none.txt"],
        "parsers",
    ),
    Case("…: not a text in UTF-8 (…); give one sentence on each line", compared(b"\xff\n"), "parsers"),
    Case(
        "…: cannot be read (…); give one sentence on each line",
        lambda bench: ["compare", "lexical", "lexical", bench.unreadable],
        "parsers",
    ),
    Case("…: has no sentence; give one sentence on each line", compared("\n\n"), "parsers"),
]
