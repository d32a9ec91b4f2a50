"""Two processes that train together, forked from the test: torchrun would import everything again."""

import multiprocessing
import os
import socket
from collections.abc import Callable


def in_two_processes(function: Callable, *arguments: object) -> None:
    """Call the function in two processes, which find each other as they do under torchrun."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    fork = multiprocessing.get_context("fork")
    children = [fork.Process(target=run_as, args=(rank, port, function, arguments)) for rank in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]


def run_as(rank: int, port: int, function: Callable, arguments: tuple) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    function(*arguments)
