"""What docs/errors.md lists is what users see: each error is raised on the command line, and none is left out."""

import os
from importlib import import_module
from pkgutil import iter_modules

import pytest
from click.testing import CliRunner

from tests.errors import cases
from tests.errors.case import Bench
from tests.errors.catalogue import (
    BROKEN_FILE_CURE,
    MESSAGES,
    ROOT,
    WORDLESS,
    Raised,
    covers,
    entries,
    raised,
    workflow_files,
    workflow_functions,
)
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
    spelled_out = [place for place in raised() if place.has_words]
    assert [place for place in spelled_out if not any(covers(entry, place) for entry in ENTRIES)] == []


def test_every_error_that_is_worded_elsewhere_is_known_by_its_place():
    assert sorted(place.place for place in raised() if not place.has_words) == sorted(place for place, _ in WORDLESS)
    assert {message for _, message in WORDLESS} <= {entry.message for entry in ENTRIES}


def test_a_message_without_words_covers_no_entry():
    wordless = [Raised("here", message) for message in ("…", "…: …; …", f"…: …; {BROKEN_FILE_CURE}")]
    assert not any(covers(entry, place) for entry in ENTRIES for place in wordless)


def test_no_file_with_rules_makes_errors_of_its_own():
    functions = workflow_functions()
    assert [path.name for path in functions if "WorkflowError(" in path.read_text()]
    rules = [path for path in workflow_files() if path not in functions]
    assert [path.name for path in rules if any(f"{name}(" in path.read_text() for name in MESSAGES)] == []


def test_no_error_is_listed_twice():
    messages = [entry.message for entry in ENTRIES]
    assert len(messages) == len(set(messages))
