"""The conllu backend finds the user's trees by their words and checks the file line by line."""

import pytest

from parsers import parse
from parsers.errors import UserError

LINES = """
# text = woman holding an umbrella
1	woman	woman	NOUN	NN	_	0	root	_	_
2	holding	hold	VERB	VBG	_	1	acl	_	_
3	an	a	DET	DT	_	4	det	_	_
4	umbrella	umbrella	NOUN	NN	_	2	obj	_	_

1	the	the	DET	DT	_	2	det	_	_
2-3	man's	_	_	_	_	_	_	_	_
2	man	man	NOUN	NN	_	4	nmod:poss	_	_
3	's	's	PART	POS	_	2	case	_	_
3.1	left	leave	VERB	VBD	_	_	_	_	_
4	watch	watch	NOUN	NN	_	0	root	_	_
"""


@pytest.fixture
def parses(tmp_path):
    path = tmp_path / "parses.conllu"

    def write(text: str = LINES) -> str:
        path.write_text(text, encoding="utf8")
        return str(path)

    return write


def test_a_sentence_is_found_by_its_words(parses, form):
    graph = parse("woman holding an umbrella", backend="conllu", parses=parses())
    assert form(graph) == "*woman; umbrella | woman -holding-> umbrella"


@pytest.mark.parametrize("tokens", [("the", "man", "'s", "watch"), ("the", "man's", "watch")])
def test_a_word_that_is_parsed_as_two_is_found_in_either_form(parses, form, tokens):
    graph = parse("", tokens=tokens, backend="conllu", parses=parses())
    assert graph.tokens == tokens
    assert form(graph) == "man; *watch | man -'s-> watch"


def test_windows_line_ends_and_a_missing_last_line_end_are_accepted(parses, form):
    path = parses(LINES.strip().replace("\n", "\r\n"))
    assert form(parse("woman holding an umbrella", backend="conllu", parses=path)).startswith("*woman; umbrella")


BROKEN = [
    ("1\twoman\twoman", "line 1: expected 10 columns separated by tabs, found 3"),
    ("2\twoman\t_\tNOUN\t_\t_\t0\troot\t_\t_", "line 1: expected word 1, found '2'"),
    ("1\twoman\t_\tNOUN\t_\t_\t_\troot\t_\t_", "line 1: the head of 'woman' is '_', expected a number"),
    ("\n\n1\twoman\t_\tNOUN\t_\t_\t5\troot\t_\t_", "line 3: word 1 .'woman'. has the head 5, but there are 1 words"),
    ("1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_", "line 1: word 1 .'a'. is in a cycle"),
    ("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_", "line 1: word 2 .'b'. is a second root"),
    ("1\ta\t_\tX\t_\t_\t1\troot\t_\t_", "line 1: word 1 .'a'. is its own head"),
    ("2-3\ta\t_\t_\t_\t_\t_\t_\t_\t_", "line 1: the range '2-3' does not start at word 1"),
    (
        "1-3\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2-4\tbc\t_\t_\t_\t_\t_\t_\t_\t_",
        "line 3: the range '2-4' is within another",
    ),
    ("1-9\ta\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tX\t_\t_\t0\troot\t_\t_", "line 1: the range 1-9 has 1 words"),
]


@pytest.mark.parametrize(("text", "problem"), BROKEN)
def test_a_broken_file_is_an_error_that_names_the_file_and_the_line(parses, text, problem):
    path = parses(text)
    with pytest.raises(UserError, match=f"parses.conllu: {problem}"):
        parse("woman", backend="conllu", parses=path)


def test_an_error_about_a_missing_sentence_names_the_sentence_and_the_file(parses):
    path = parses()
    with pytest.raises(UserError, match=r"parses\.conllu: no sentence 'a cat'"):
        parse("a cat", backend="conllu", parses=path)


def chain(heads):
    lines = [f"{word}\tdog\tdog\tNOUN\t_\t_\t{head}\tconj\t_\t_" for word, head in enumerate(heads, start=1)]
    return "\n".join(lines)


@pytest.mark.parametrize("heads", [range(2001), [0, *[1] * 301]])
def test_a_tree_that_would_take_minutes_gives_a_fallback(parses, heads):
    graph = parse("", tokens=["dog"] * len(heads), backend="conllu", parses=parses(chain(heads)))
    assert graph.is_fallback
    assert len(graph.nodes) == 1
