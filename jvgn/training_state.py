"""The state of an interrupted training, from which a rerun goes on.

A `torch.save` file of plain tensors and numbers, read with `weights_only=True`. It carries a fingerprint of all that
the training depends on, its code included; a state under another fingerprint, or a damaged one, is left alone, and
the training starts anew.
"""

import hashlib
import json
import logging
import pickle
import sys
from pathlib import Path
from typing import Any

import torch

from parsers.files import replacing, sha256

log = logging.getLogger(__name__)

OUTSIDE = {"jvgn.__main__", "jvgn.cli", "jvgn.stage_commands"}
"""Modules that call a training and are no part of it."""


class TrainingState:
    """The state at `path` of the training that depends on these words, and on the project's modules it has loaded."""

    def __init__(self, path: Path, *depends_on: str) -> None:
        self.path = path
        parts = [*depends_on, torch.__version__, *(sha256(file) for file in loaded_code())]
        self.fingerprint = hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def save(self, **state: Any) -> None:
        with replacing(self.path) as temporary:
            torch.save({"fingerprint": self.fingerprint, **state}, temporary)

    def load(self) -> dict[str, Any] | None:
        """The saved state, or None: there is none that belongs to this training."""
        if not self.path.exists():
            return None
        try:
            state = torch.load(self.path, map_location="cpu", weights_only=True)
        except (OSError, RuntimeError, EOFError, pickle.UnpicklingError) as error:
            log.warning("%s cannot be read (%s): training starts anew", self.path, error)
            return None
        if not isinstance(state, dict) or state.get("fingerprint") != self.fingerprint:
            log.warning("%s belongs to other settings, inputs or code: training starts anew", self.path)
            return None
        return state

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


def loaded_code() -> list[Path]:
    """The files of the project's modules that are loaded, by name."""
    modules = {
        name: module.__file__
        for name, module in sys.modules.items()
        if name.split(".")[0] in ("jvgn", "parsers") and name not in OUTSIDE
    }
    return [Path(file) for _, file in sorted(modules.items()) if file]
