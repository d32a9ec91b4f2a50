"""What happens to commands from outside: full disks, damaged pictures, signals."""

import errno
import os
import signal
from collections.abc import Iterable, Iterator
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from jvgn.storage.files import leftovers
from tests.errors.case import Bench, Case
from tests.errors.cases.configured_names import workflow
from tests.errors.mistakes import NOISE, after, written
from tests.errors.project import EXAMPLES, PICTURE


def full_disk(bench: Bench) -> list:
    def nothing_left(_: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    bench.patch.setattr("jvgn.storage.files.keep", nothing_left)
    return ["schema", bench.folder / "schema.json"]


def full_disk_of_the_workflow(bench: Bench) -> list:
    bench.patch.setattr("jvgn.storage.files.is_full", lambda _: True)
    return workflow({}, "results/evaluation.yaml")(bench)


def cleared_away(bench: Bench) -> list:
    """By a workflow that takes what is being written for a leftover."""
    output, written = bench.folder / "schema.json", Path.write_text

    def write(path: Path, text: str) -> None:
        written(path, text)
        for left in leftovers(output):
            left.unlink()

    bench.patch.setattr(Path, "write_text", write)
    return ["schema", output]


def stopped(bench: Bench) -> list:
    def stop() -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    bench.patch.setattr("jvgn.settings.configuration.configuration_schema", stop)
    return ["schema", bench.folder / "schema.json"]


def killed(bench: Bench) -> list:
    def kill_all_after_the_first(drawn: Iterator, *_: Any, **__: Any) -> Iterable:
        yield next(drawn)
        for process in active_children():
            process.kill()
        yield from drawn

    bench.patch.setattr("jvgn.shapes.world.tqdm", kill_all_after_the_first)
    settings = bench.write("settings.yaml", "train: 200")
    return ["world", "--settings", settings, "--folder", bench.folder / "world", "--threads", "2"]


CASES = [
    Case("…: cannot be written (…); see to the disk, then run it again", full_disk),
    Case(
        "…: cannot be written (…); see to the disk, then run it again", full_disk_of_the_workflow, program="snakemake"
    ),
    Case("…: another run cleared it away while it was written; wait for its end", cleared_away),
    Case("stopped by a signal; run it again", stopped),
    Case("a process was killed in its work, mostly because memory ran out; run it again, with fewer --threads", killed),
    Case("…: not as it was written; delete … and run the workflow again", after(EXAMPLES, written(PICTURE, NOISE))),
]
