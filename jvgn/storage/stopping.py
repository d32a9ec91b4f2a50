"""SIGTERM ends a command as an error does: what it has begun to write is removed, and it says why it ends.

Stages that can go on later where they were stopped watch for signals themselves (`jvgn.runtime.resume`).
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from types import FrameType

from jvgn.storage.listening import Listener
from parsers.errors import UserError

UNHEARD = 0.2
"""Seconds after which a signal that has come to nothing is sent again."""


class Stopped(BaseException):
    """The signal has come. No error: nobody who expects errors shall take it for one, and go on."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Until the block ends, SIGTERM ends it."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    before = signal.signal(signal.SIGTERM, stop)
    try:
        with closing(Listener(partial(remind, threading.get_ident()))):
            yield
    except Stopped as stopped:
        raise UserError("stopped by a signal; run it again") from stopped
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def stop(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # it is ending already
    raise Stopped


def remind(thread: int, number: int) -> None:
    """The thread has the signal again, if it did not hear it. That is listened to as well, and so on until it hears."""
    time.sleep(UNHEARD)
    if number == signal.SIGTERM and signal.getsignal(number) is stop:
        signal.pthread_kill(thread, number)
