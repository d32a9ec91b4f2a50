"""What docs/errors.md lists is what users see: each error is raised on the command line, and none is left out."""

import os
from importlib import import_module
from pkgutil import iter_modules

import pytest
from click.testing import CliRunner

from tests.errors import cases
from tests.errors.case import Bench
from tests.errors.catalogue import ROOT, covers, entries, raised
from tests.errors.explorer_page import ask
from tests.errors.programs import PROGRAMS
from tests.errors.workflow_run import run_snakemake

ENTRIES = entries()
CASES = [
    pytest.param(case, id=f"{module.name}-{case.message}")
    for module in iter_modules(cases.__path__)
    for case in import_module(f"{cases.__name__}.{module.name}").CASES
]


def said(case, arguments, bench):
    """The exit code, and what a user sees of the mistake."""
    if case.program == "snakemake":
        directory = ["--cores", "1", "--directory", str(bench.folder)]
        return run_snakemake([*directory, *arguments], ROOT, bench.folder / "snakemake.log")
    if case.program == "explorer":
        return ask(bench.fixture("explorer_page"), *arguments)
    ran = CliRunner().invoke(PROGRAMS[case.program], arguments)
    if ran.exception is not None and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return ran.exit_code, ran.stderr


@pytest.mark.parametrize("case", CASES)
def test_the_error_is_raised_on_the_command_line(case, tmp_path, monkeypatch, request):
    [entry] = [entry for entry in ENTRIES if entry.message == case.message]
    monkeypatch.chdir(tmp_path)
    bench = Bench(tmp_path, monkeypatch, request.getfixturevalue)
    exit_code, output = said(case, [os.fspath(part) for part in case.arrange(bench)], bench)
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
