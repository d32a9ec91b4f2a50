"""SIGTERM and SIGINT as a wish to stop soon: the work goes on to a point from which it can be taken up again."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from parsers.errors import UserError

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Interrupted(UserError):
    """The work was stopped by a signal, and what is done is saved."""


class Interruption:
    """Whether a signal has come. A second SIGINT does what it always did: someone at a keyboard will not wait.

    SIGTERM is noted however often it comes: under a scheduler, from it and from torchrun.
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
    """Signals are noted until the block ends."""
    interruption = Interruption()
    # Whoever listens for signals that come to nothing would send one again after it was noted.
    listening = signal.set_wakeup_fd(-1)
    for number in SIGNALS:
        signal.signal(number, interruption.note)
    try:
        yield interruption
    finally:
        interruption.restore()
        signal.set_wakeup_fd(listening, warn_on_full_buffer=False)


def ignore_signals(_: int) -> None:
    """For worker processes, which a terminal or a scheduler signals too: their parent decides when they end."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
