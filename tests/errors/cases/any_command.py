"""Mistakes that any command may meet."""

from tests.errors.case import Case

CASES = [
    Case("…: is a folder, expected a file; give another name", lambda bench: ["schema", bench.folder]),
]
