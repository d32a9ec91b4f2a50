"""The processes of a session, as Linux tells of them."""

from collections.abc import Iterator
from pathlib import Path

STATE, SESSION, RESIDENT = 0, 3, 21
"""Places behind the name in /proc/PID/stat: the last is how many pages of the process are in memory."""


def processes_of(session: int) -> Iterator[tuple[int, list[str]]]:
    """The number of each process, and what stands behind its name."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[SESSION]) == session:
            yield int(file.parent.name), fields
