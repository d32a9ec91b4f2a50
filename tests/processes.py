"""Processes of a session, read from /proc."""

from collections.abc import Iterator
from pathlib import Path

STATE, SESSION, RESIDENT = 0, 3, 21
"""Fields after the name in /proc/PID/stat; RESIDENT counts pages in memory."""


def processes_of(session: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the id of each process and its fields."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[SESSION]) == session:
            yield int(file.parent.name), fields
