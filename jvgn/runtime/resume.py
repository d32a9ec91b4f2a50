"""Stop and resume a training: signals that ask it to stop, and the saved state from which a rerun goes on.

The state is a `torch.save` file of plain tensors and numbers, read with `weights_only=True`, followed by its SHA-256 in
64 digits: `torch.load` ignores these, and does not notice a changed byte. The state holds the settings of its training
and the checksums of its inputs. It does not depend on the code: an edited comment must not cost a day of training. If
the state does not fit, the training starts again and keeps the old state under another name.
"""

import hashlib
import logging
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from jvgn.storage.files import replacing, sha256
from jvgn.storage.weights import load_checkpoint
from parsers.errors import UserError

log = logging.getLogger(__name__)

SIGNALS = (signal.SIGTERM, signal.SIGINT)
DIGITS = 64
FORMAT = 1
"""Increase it when older states no longer fit the code: other tensors, other steps, another meaning."""


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
    """The saved state at `path` of a training that depends on these values: settings, checksums of inputs."""

    def __init__(self, path: Path, depends_on: Mapping[str, Any]) -> None:
        self.path = path
        self.depends_on = {"format": FORMAT, **depends_on}
        self.is_in_the_way = False
        """Whether the file at `path` belongs to another training."""

    def save(self, **state: Any) -> None:
        self.set_aside()
        with replacing(self.path) as temporary:
            torch.save({"depends_on": self.depends_on, **state}, temporary)
            with temporary.open("ab") as file:
                file.write(sha256(temporary).encode())

    def load(self) -> dict[str, Any] | None:
        """Return the saved state, or None if there is no usable one."""
        if not self.path.exists():
            return None
        try:
            state = self.read()
        except (OSError, ValueError, UserError) as error:
            kept_as = self.kept_as
            log.warning("%s: %s; training starts again, and the file is kept as %s", self.path, error, kept_as)
            self.is_in_the_way = True
            return None
        return state

    def read(self) -> dict[str, Any]:
        """Return the saved state; raise a ValueError if it is damaged or does not fit."""
        content = self.path.read_bytes()
        if hashlib.sha256(content[:-DIGITS]).hexdigest().encode() != content[-DIGITS:]:
            raise ValueError("wrong checksum")
        state = load_checkpoint(self.path)
        if not isinstance(state, dict) or not isinstance(state.get("depends_on"), dict):
            raise ValueError("not a training state of this version")
        if changed := differences(state["depends_on"], self.depends_on):
            raise ValueError(f"saved with another {', '.join(changed)}")
        return state

    def set_aside(self) -> None:
        """Rename the state of another training, so that it is not overwritten."""
        if self.is_in_the_way:
            self.path.rename(self.kept_as)
            self.is_in_the_way = False

    @property
    def kept_as(self) -> Path:
        """The first free name for a state that does not fit."""
        names = (self.path.with_name(f"{self.path.stem}.{number}{self.path.suffix}") for number in count(1))
        return next(name for name in names if not name.exists())

    def remove(self) -> None:
        self.set_aside()
        self.path.unlink(missing_ok=True)


def differences(before: Mapping[str, Any], now: Mapping[str, Any], within: str = "") -> list[str]:
    """Return the keys whose values differ, with dots where mappings are nested: `settings.epochs (20, now 30)`."""
    found = []
    for key in sorted(before.keys() | now.keys()):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            found += differences(old, new, f"{within}{key}.")
        elif old != new:
            is_checksum = isinstance(new, str) and len(new) == DIGITS
            found.append(f"{within}{key}" if is_checksum else f"{within}{key} ({old}, now {new})")
    return found
