"""Worker processes: they end with the process that started them, and a killed one is reported in one line."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process

from parsers.errors import UserError


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
