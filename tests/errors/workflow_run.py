"""Snakemake's command line in a forked process: its modules are loaded once, and what a case has patched holds."""

import os
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest

PATIENCE = 120


def run_snakemake(arguments: list[str], start: Path, log: Path) -> tuple[int, str]:
    """The exit code, and all that was said; Snakemake starts in the folder `start`."""
    import snakemake.cli  # noqa: F401

    process = get_context("fork").Process(target=speak_into, args=(log, start, arguments))
    process.start()
    process.join(PATIENCE)
    if process.exitcode is None:
        process.kill()
        process.join()
        pytest.fail(f"Snakemake has not ended within {PATIENCE} s: {log.read_text()}")
    return process.exitcode, log.read_text()


def speak_into(log: Path, start: Path, arguments: list[str]) -> None:
    from snakemake.cli import main

    said = os.open(log, os.O_WRONLY | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(said, stream)
    # Those that pytest has put in place go elsewhere.
    sys.stdout, sys.stderr = (os.fdopen(stream, "w", buffering=1) for stream in (1, 2))
    os.chdir(start)
    main(arguments)
