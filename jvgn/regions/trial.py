"""Opens files of regions in another process first: damaged or contrived ones can keep HDF5's library busy for ever, or
end the process that reads them.

`python -m jvgn.regions.trial` is that process: it reads a path a line, and answers with a line once it has opened the
file and looked at all that tells of its content. One that is fine is not tried again.
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

from parsers.files import BrokenFile, UserError

SECONDS = 4
"""Of the processor's time; an honest file takes some thousandths of one."""
PATIENCE = 120
"""Seconds for a disk that is far away."""


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

    def survives(self, path: Path) -> bool:
        assert self.process.stdin and self.process.stdout
        with suppress(BrokenPipeError):
            self.process.stdin.write(os.fsencode(path.resolve()) + b"\n")
            self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE)
        return bool(ready) and self.process.stdout.readline() == b"fine\n"


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
            if self.helper is None or self.helper.owner != os.getpid():
                self.helper = Helper()
            if not self.helper.survives(path):
                stop(self.helper.process)
                self.helper = None
                raise BrokenFile(path, "not a readable HDF5 file (reading it takes for ever, or ends the process)")
            self.fine.add(version)


TRIALS = Trials()


def look_at(path: Path) -> None:
    """Whatever the file says of itself is read; what it says does not matter here."""
    from jvgn.regions.opening import described

    with suppress(UserError):
        described(path)


def main() -> None:
    for line in sys.stdin.buffer:
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + SECONDS, resource.RLIM_INFINITY))
        look_at(Path(os.fsdecode(line.rstrip(b"\n"))))
        sys.stdout.write("fine\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
