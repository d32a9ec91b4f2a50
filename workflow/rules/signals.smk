"""Signals: what Snakemake does when it is told to end.

Its own answer to SIGTERM waits for a lock. While it selects jobs, the thread that would have to answer holds that lock
itself, and all would stand still for ever; while it waits for jobs, it may not hear the signal before one has ended.
"""

import signal
from threading import current_thread, main_thread

from jvgn.storage.listening import Listener


def heed_signals():
    """SIGTERM is answered as Snakemake does, but by a thread of its own, which hears it at once and can wait."""
    answer = signal.getsignal(signal.SIGTERM)
    if not callable(answer) or current_thread() is not main_thread():
        return

    def answer_apart(number):
        if number == signal.SIGTERM:
            answer(number, None)

    signal.signal(signal.SIGTERM, leave_to_listener)
    Listener(answer_apart)


def leave_to_listener(number, frame):
    """The main thread does nothing."""
