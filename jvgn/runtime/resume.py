"""Stop and resume a training: signals that ask it to stop, and the saved state from which a rerun goes on.

The state is a `torch.save` file of plain tensors and numbers, read with `weights_only=True`, followed by its SHA-256 in
64 digits: `torch.load` ignores these, and does not notice a changed byte. The state holds a fingerprint of all inputs
of the training, its code included. A state with another fingerprint, or a damaged one, is not used: the training starts
again.
"""

import hashlib
import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from jvgn.storage.code_slices import fingerprint
from jvgn.storage.files import replacing, sha256
from jvgn.storage.weights import load_checkpoint
from parsers.errors import UserError

log = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT)
DIGITS = 64


class Interrupted(UserError):
    """A signal stopped the work after its state was saved."""


class Interruption:
    """Whether a signal has come.

    SIGTERM may come several times, from a scheduler and from torchrun; all are only noted. A second SIGINT has its
    usual effect: a person at a keyboard does not want to wait.
    """

    def __init__(self) -> None:
        self.has_come = False
        self._before = {number: signal.getsignal(number) for number in SIGNALS}

    def note(self, number: int, _: FrameType | None) -> None:
        self.has_come = True
        if number == signal.SIGINT:
            signal.signal(number, self._before[signal.SIGINT])

    def restore(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


@contextmanager
def watched() -> Iterator[Interruption]:
    """Note SIGTERM and SIGINT until the block ends, so that the work can stop at a step from which it can resume."""
    interruption = Interruption()
    for number in SIGNALS:
        signal.signal(number, interruption.note)
    try:
        yield interruption
    finally:
        interruption.restore()


def ignore_signals(_: int) -> None:
    """Ignore signals in a worker process, which a terminal or a scheduler signals too: its parent ends it."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


class TrainingState:
    """The saved state at `path` of a training by `module` with these inputs."""

    def __init__(self, path: Path, module: str, *depends_on: str) -> None:
        self.path = path
        self.fingerprint = fingerprint(module, *depends_on, torch.__version__)

    def save(self, **state: Any) -> None:
        with replacing(self.path) as temporary:
            torch.save({"fingerprint": self.fingerprint, **state}, temporary)
            with temporary.open("ab") as file:
                file.write(sha256(temporary).encode())

    def load(self) -> dict[str, Any] | None:
        """Return the saved state, or None if there is no usable one."""
        if not self.path.exists():
            return None
        try:
            self.check()
            state = load_checkpoint(self.path)
        except (OSError, ValueError, UserError) as error:
            log.warning("%s: unreadable (%s); training starts again", self.path, error)
            return None
        if not isinstance(state, dict) or state.get("fingerprint") != self.fingerprint:
            log.warning("%s: saved with other settings, inputs or code; training starts again", self.path)
            return None
        return state

    def check(self) -> None:
        """Raise a ValueError if a byte of the file has changed."""
        content = self.path.read_bytes()
        if hashlib.sha256(content[:-DIGITS]).hexdigest().encode() != content[-DIGITS:]:
            raise ValueError("wrong checksum")

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
