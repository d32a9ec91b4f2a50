"""Mistakes that any command may meet."""

from tests.errors.case import Bench, Case


def world_below_a_file(bench: Bench) -> list:
    return ["world", "--settings", bench.write("settings.yaml", "{}"), "--folder", bench.write("file", "")]


CASES = [
    Case("…: is a folder, expected a file; give another name", lambda bench: ["schema", bench.folder]),
    Case("…: cannot be written (…); give a folder you may write to", world_below_a_file),
]
