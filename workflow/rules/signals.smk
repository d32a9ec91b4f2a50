"""Signals: what Snakemake does when it is told to end.

Its own answer to SIGTERM waits for a lock. While it selects jobs, the thread that would have to answer holds that lock
itself, and all would stand still for ever.
"""

import signal
from threading import Thread, current_thread, main_thread


def heed_signals():
    """SIGTERM is answered as Snakemake does, but by a thread of its own, which can wait."""
    answer = signal.getsignal(signal.SIGTERM)
    if not callable(answer) or current_thread() is not main_thread():
        return

    def answer_apart(*received):
        Thread(target=answer, args=received, daemon=True).start()

    signal.signal(signal.SIGTERM, answer_apart)
