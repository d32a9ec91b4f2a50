"""Signals that are heard while the main thread waits, and those that come too late.

Python answers a signal between two steps of its main thread. One that comes after the last step before a wait is
answered when the wait has ended, which may be never. At once, though, Python writes its number into a pipe, if it is
given one, and that another thread can read.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

END = b"\0"
"""No signal has this number. That the pipe is closed would not be read: children may hold it open."""


class Listener:
    """A thread that calls `hear` with the number of every signal to which Python has an answer, until it is closed."""

    def __init__(self, hear: Callable[[int], None]) -> None:
        """To be called, as `close` is, by the main thread."""
        self._reading, self._writing = os.pipe()
        self._hear = hear
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        spare_children()
        os.set_blocking(self._writing, False)
        self._before = signal.set_wakeup_fd(self._writing, warn_on_full_buffer=False)

    def _listen(self) -> None:
        while (number := os.read(self._reading, 1)) != END:
            self._hear(number[0])

    def close(self) -> None:
        """`hear` is not being called, and will not be."""
        signal.set_wakeup_fd(self._before)
        os.write(self._writing, END)
        self._thread.join()
        os.close(self._writing)
        os.close(self._reading)


@cache
def spare_children() -> None:
    """A forked child has the pipe as well, and what it is signalled would be heard here."""
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))


@contextmanager
def undisturbed() -> Iterator[None]:
    """What would end the command is not heard until the block ends, which it does soon."""
    if threading.current_thread() is not threading.main_thread():  # which alone hears signals
        yield
        return
    answers = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, answer in answers.items():
            signal.signal(number, answer or signal.SIG_DFL)
