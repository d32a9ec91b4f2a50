"""Opens files of regions in another process first: damaged or contrived ones can keep HDF5's library busy for ever, or
end the process that reads them.

`python -m jvgn.regions.trial` is that process: it reads a path a line, in hexadecimal digits, and answers with a line
once it has opened the file and looked at all that tells of its content. One that is fine is not tried again.
"""

import os
import resource
import select
import subprocess
import sys
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path

from parsers.errors import BrokenFile, UserError

SECONDS = 4
"""Of the processor's time; an honest file takes some thousandths of one."""
PATIENCE = 120.0
"""Seconds for a disk that is far away."""
TRIES = 2
"""A process may also have been ended from outside: the next one tells whether it was the file."""
FINE = b"fine\n"
CURE = "if the workflow made it, delete it and run the workflow again"
"""Of a broken file of regions, which may also be the user's own."""


class Helper:
    """The other process, of this one."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "jvgn.regions.trial"],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        weakref.finalize(self, stop, self.process)

    @property
    def is_at_work(self) -> bool:
        return self.owner == os.getpid() and self.process.poll() is None

    def answer(self, path: Path) -> bytes | None:
        """What the process says of the file: nothing, if that has ended it, and None, if it does not speak."""
        assert self.process.stdin and self.process.stdout
        with suppress(BrokenPipeError):
            self.process.stdin.write(os.fsencode(path.resolve()).hex().encode() + b"\n")
            self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        return self.process.stdout.readline() if ready else None


def stop(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()


class Trials:
    """What has been tried, here and in the processes that this one was forked from."""

    def __init__(self) -> None:
        self.fine: set[tuple[str, int, int]] = set()
        self.helper: Helper | None = None
        self.lock = threading.Lock()

    def check(self, path: Path) -> None:
        found = path.stat()
        version = (str(path.resolve()), found.st_size, found.st_mtime_ns)
        with self.lock:
            if version in self.fine:
                return
            self.attempt(path)
            self.fine.add(version)

    def attempt(self, path: Path) -> None:
        for _ in range(TRIES):
            if self.helper is None or not self.helper.is_at_work:
                self.helper = Helper()
            answer = self.helper.answer(path)
            if answer == FINE:
                return
            stop(self.helper.process)
            if answer is None:
                raise UserError(f"{path}: was not opened within {PATIENCE:g} seconds; see to its disk and try again")
        raise BrokenFile(path, "not a readable HDF5 file (reading it takes for ever, or ends the process)", CURE)


# One for all: those who open files know nothing of each other, and each would start a process of its own.
TRIALS = Trials()


def look_at(path: Path) -> None:
    """Whatever the file says of itself is read; what it says does not matter here."""
    from jvgn.regions.opening import described

    with suppress(UserError):
        described(path)


def limit_time() -> None:
    """Some seconds from now on, within what the process may take at all."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    until = int(time.process_time()) + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (until if most == resource.RLIM_INFINITY else min(until, most), most))


def main() -> None:
    for line in sys.stdin.buffer:
        limit_time()
        look_at(Path(os.fsdecode(bytes.fromhex(line.decode()))))
        sys.stdout.buffer.write(FINE)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
