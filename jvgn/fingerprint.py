"""What an interrupted computation depends on, in one word: another word, and it starts anew."""

import hashlib
import json
import sys
from pathlib import Path

from parsers.files import sha256

OUTSIDE = {
    "jvgn.__main__",
    "jvgn.cli",
    "jvgn.command_options",
    "jvgn.ground_commands",
    "jvgn.region_commands",
    "jvgn.source_commands",
    "jvgn.stage_commands",
}
"""Modules that call a stage and are no part of it."""


def fingerprint(*depends_on: str) -> str:
    """Of these words, and of the project's modules that are loaded."""
    parts = [*depends_on, *(sha256(file) for file in loaded_code())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def loaded_code() -> list[Path]:
    """The files of the project's modules that are loaded, by name."""
    modules = {
        name: module.__file__
        for name, module in sys.modules.items()
        if name.split(".")[0] in ("jvgn", "parsers") and name not in OUTSIDE
    }
    return [Path(file) for _, file in sorted(modules.items()) if file]
