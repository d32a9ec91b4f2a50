"""The state of an interrupted training, from which a rerun goes on.

A `torch.save` file of plain tensors and numbers, read with `weights_only=True`, and behind it the SHA-256 of it in 64
digits: `torch.load` passes over these, and over a changed byte too. It carries a fingerprint of all that the training
depends on, its code included; a state under another fingerprint, or a damaged one, is left alone, and the training
starts anew.
"""

import hashlib
import logging
from pathlib import Path
from typing import Any

import torch

from jvgn.storage.code import fingerprint
from jvgn.storage.files import replacing, sha256
from jvgn.storage.weights import load_checkpoint
from parsers.errors import UserError

log = logging.getLogger(__name__)

DIGITS = 64


class TrainingState:
    """The state at `path` of a training by this module that depends on these words."""

    def __init__(self, path: Path, module: str, *depends_on: str) -> None:
        self.path = path
        self.fingerprint = fingerprint(module, *depends_on, torch.__version__)

    def save(self, **state: Any) -> None:
        with replacing(self.path) as temporary:
            torch.save({"fingerprint": self.fingerprint, **state}, temporary)
            with temporary.open("ab") as file:
                file.write(sha256(temporary).encode())

    def load(self) -> dict[str, Any] | None:
        """The saved state, or None: there is none that belongs to this training."""
        if not self.path.exists():
            return None
        try:
            self.check()
            state = load_checkpoint(self.path)
        except (OSError, ValueError, UserError) as error:
            log.warning("%s cannot be read (%s): training starts anew", self.path, error)
            return None
        if not isinstance(state, dict) or state.get("fingerprint") != self.fingerprint:
            log.warning("%s belongs to other settings, inputs or code: training starts anew", self.path)
            return None
        return state

    def check(self) -> None:
        """A ValueError, unless the file is as it was saved."""
        content = self.path.read_bytes()
        if hashlib.sha256(content[:-DIGITS]).hexdigest().encode() != content[-DIGITS:]:
            raise ValueError("it is not as it was saved")

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
