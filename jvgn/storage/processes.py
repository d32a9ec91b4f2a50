"""Worker processes and signals.

Workers end with the process that started them; a killed one is reported in one line. A training notes signals that ask
it to stop, and stops at a step from which it can resume.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from types import FrameType

from parsers.errors import UserError

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def workers(processes: int, prepare: Callable[[], None] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes, each of which has called `prepare`."""
    # Arrow's threads do not survive a fork.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=begin, initargs=(prepare,))
    try:
        with killed_workers_named():
            yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def killed_workers_named() -> Iterator[None]:
    """Report a worker of ours, or of torch's loader, that was killed."""
    try:
        yield
    except (BrokenProcessPool, RuntimeError) as error:
        if isinstance(error, BrokenProcessPool) or str(error).startswith("DataLoader worker"):
            raise UserError(
                "a worker process was killed, probably because memory ran out; run it again with fewer --threads"
            ) from error
        raise


def begin(prepare: Callable[[], None] | None) -> None:
    # A terminal or a scheduler signals all processes: the first one decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    if prepare:
        prepare()


def end_with_parent() -> None:
    """Exit when the parent ends: a worker would wait forever for the work of a killed one."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


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
