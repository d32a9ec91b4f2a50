"""One error of the catalogue, and how a user comes to see it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Bench:
    """Where a case lays out its files. `fixture` gives what tests share by name, such as `small_world`."""

    folder: Path
    patch: pytest.MonkeyPatch
    fixture: Callable[[str], Any]

    @property
    def unreadable(self) -> Path:
        """A file that is there, whoever asks, and whose first byte cannot be read."""
        path = Path("/proc/self/mem")
        if not path.exists():
            pytest.skip("needs Linux: /proc has a file that cannot be read")
        return path

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@dataclass(frozen=True)
class Case:
    """`message` is an entry's of docs/errors.md; `arrange` makes the mistake and returns the command's arguments."""

    message: str
    arrange: Callable[[Bench], list[Any]]
    program: str = "jvgn"
    """`jvgn`, `parsers` (`python -m parsers`), `corenlp_jars` (`python -m parsers.corenlp.jars`), `snakemake`, or
    `explorer`: what its page asks of its server, as the arguments of `tests.errors.explorer_page.ask`."""
