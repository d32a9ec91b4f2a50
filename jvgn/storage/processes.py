"""Processes that share the work of one: it alone is signalled, and none outlives it; one that is killed is told of."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process

from parsers.errors import Killed


@contextmanager
def workers(processes: int, prepare: Callable[[], None] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Yields so many of them, each of which has called `prepare`."""
    # Threads do not survive a fork, and Arrow has some.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=begin, initargs=(prepare,))
    others = active_children()
    try:
        with deaths_named():
            yield pool
    except Killed:
        # They do not heed the signal with which the pool ends them, and may wait for ever for what the killed one held.
        for process in active_children():
            if process not in others:
                process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def deaths_named() -> Iterator[None]:
    """A process that was killed in its work, ours or one in which torch reads ahead, is told of as such."""
    try:
        yield
    except (BrokenProcessPool, RuntimeError) as error:
        if isinstance(error, BrokenProcessPool) or str(error).startswith("DataLoader worker"):
            raise Killed from error
        raise


def begin(prepare: Callable[[], None] | None) -> None:
    # A terminal or a scheduler signals all processes: the first one decides.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    if prepare:
        prepare()


def end_with_parent() -> None:
    """Without it, a process would wait for ever for the work of one that was killed."""
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
