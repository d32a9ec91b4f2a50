"""What docs/errors.md lists is what users see: each error is raised on the command line, and none is left out."""

import os
from importlib import import_module
from pkgutil import iter_modules

import pytest
from click.testing import CliRunner

from jvgn.cli import main as jvgn
from parsers.__main__ import main as parsers
from parsers.corenlp_jars import main as corenlp_jars
from tests.errors import cases
from tests.errors.case import Bench
from tests.errors.catalogue import ROOT, covers, entries, raised
from tests.errors.workflow_run import run_snakemake

PROGRAMS = {"jvgn": jvgn, "parsers": parsers, "corenlp_jars": corenlp_jars}
ENTRIES = entries()
CASES = [
    pytest.param(case, id=f"{module.name}-{case.message}")
    for module in iter_modules(cases.__path__)
    for case in import_module(f"{cases.__name__}.{module.name}").CASES
]


def said(case, arguments, folder):
    """The exit code, and what a user sees of the mistake."""
    if case.program == "snakemake":
        return run_snakemake(["--cores", "1", "--directory", str(folder), *arguments], ROOT, folder / "snakemake.log")
    ran = CliRunner().invoke(PROGRAMS[case.program], arguments)
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return ran.exit_code, ran.stderr


@pytest.mark.parametrize("case", CASES)
def test_the_error_is_raised_on_the_command_line(case, tmp_path, monkeypatch, request):
    [entry] = [entry for entry in ENTRIES if entry.message == case.message]
    monkeypatch.chdir(tmp_path)
    arguments = [os.fspath(part) for part in case.arrange(Bench(tmp_path, monkeypatch, request.getfixturevalue))]
    exit_code, output = said(case, arguments, tmp_path)
    assert exit_code == 1, output
    assert "Traceback" not in output
    lines = [line.strip().removeprefix("Error: ") for line in output.splitlines()]
    assert any(entry.matches(line) for line in lines), output


def test_every_error_of_the_page_has_a_case():
    shown = {case.values[0].message for case in CASES}
    assert [entry.message for entry in ENTRIES if entry.message not in shown] == []


def test_every_error_that_the_code_raises_is_on_the_page():
    unlisted = [place for place in raised() if not any(covers(entry, place) for entry in ENTRIES)]
    assert unlisted == []


def test_no_error_is_listed_twice():
    messages = [entry.message for entry in ENTRIES]
    assert len(messages) == len(set(messages))
