"""A parser is named on a command line or in a settings file, and a wrong option is named too."""

import errno
import inspect
import os

import click
import pytest
from click.testing import CliRunner

from jvgn.cli.errors import CommandGroup
from jvgn.graphs.parsing import read_parser
from jvgn.settings.parser import ParserSettings
from parsers.errors import UserError
from parsers.parser import BACKENDS, Parser, check_options, named_parser


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("lexical", [], Parser("lexical")),
        ("stanza", ["models=a=b"], Parser("stanza", {"models": "a=b"})),
        ("corenlp:repair=false,folder=here", [], Parser("corenlp", {"repair": False, "folder": "here"})),
        ("corenlp:repair=false", ["repair=true"], Parser("corenlp", {"repair": True})),
    ],
)
def test_a_command_line_names_a_parser_and_its_options(name, options, expected):
    assert named_parser(name, options) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("backend: lexical", Parser("lexical")),
        ("backend: stanza\nmodels: null", Parser("stanza")),
        ("backend: corenlp\nfolder: a b\nrepair: false", Parser("corenlp", {"folder": "a b", "repair": False})),
    ],
)  # fmt: skip
def test_a_settings_file_names_a_parser_and_its_options(tmp_path, content, expected):
    (tmp_path / "settings.yaml").write_text(content)
    assert read_parser(tmp_path / "settings.yaml") == expected


def test_every_backend_can_be_configured():
    variants = ParserSettings.model_json_schema()["discriminator"]["mapping"]
    assert {*BACKENDS, "graphs"} == set(variants)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"parses": "x", "modles": "x"}, "'modles'; its options are: parses, strict"),
        ({}, "'parses'; its options are"),
        ({"parses": True}, "parses: expected a text, found true"),
    ],
)
def test_options_that_a_backend_does_not_take_are_named(options, problem):
    def load(parses: str, strict: bool = True): ...

    with pytest.raises(UserError, match=f"the parser mine: .*{problem}"):
        check_options("mine", inspect.signature(load), options)


def ran(problem: Exception):
    @click.group(cls=CommandGroup)
    def main(): ...

    @main.command()
    def fail():
        raise problem

    return CliRunner().invoke(main, ["fail"])


def test_an_error_of_the_operating_system_is_one_line_that_names_the_path():
    result = ran(PermissionError(errno.EACCES, os.strerror(errno.EACCES), "a/b"))
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: a/b: ") and result.stderr.count("\n") == 1


def test_an_error_of_the_program_is_not_hidden():
    problem = RuntimeError("of torch's")
    assert ran(problem).exception is problem
