"""What no reader may do, whatever it reads: run code, start programs, open connections, write elsewhere, eat memory."""

import os
import resource
import sys
import tempfile
from pathlib import Path
from types import CodeType
from typing import Any

FORBIDDEN = (
    *(
        "os.system",
        "os.exec",
        "os.posix_spawn",
        "os.fork",
        "os.forkpty",
        "os.startfile",
        "subprocess.Popen",
        "pty.spawn",
    ),
    *("socket.connect", "socket.bind", "socket.getaddrinfo", "urllib.Request", "ctypes.dlopen", "pickle.find_class"),
    *("code.__new__", "webbrowser.open"),
)
CHANGES = (
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.symlink",
    "os.link",
    "os.rmdir",
    "os.chmod",
    "os.truncate",
    "shutil.rmtree",
)
OURS = "jvgn.regions.trial"
"""The process in which files of regions are tried."""
MAKERS = ("collections", "dataclasses")
"""Modules that write code for the classes they make, of names that they have checked."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MOST_MEMORY = 1 << 30
"""Bytes that a small file may take while it is read."""
ROOMS = ("/dev/null", "/dev/shm")


class Watch:
    """From `begin` to `end`, notes what must not happen."""

    def __init__(self, folder: Path) -> None:
        self.allowed = (str(folder.resolve()), tempfile.gettempdir(), *ROOMS)
        self.code = tuple(str(Path(place).resolve()) for place in {*sys.path, sys.prefix, sys.base_prefix} if place)
        self.seen: list[str] = []
        self.is_on = False
        sys.addaudithook(self.hear)

    def begin(self) -> None:
        self.seen, self.is_on = [], True
        self.memory = peak_memory()

    def end(self) -> list[str]:
        self.is_on = False
        grown = peak_memory() - self.memory
        return [*self.seen, *([f"took {grown >> 20} MB of memory"] if grown > MOST_MEMORY else [])]

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "subprocess.Popen" and OURS in arguments[1]:
            return
        if event in FORBIDDEN or (event == "exec" and self.is_foreign(arguments[0])):
            self.seen.append(f"{event} {arguments!r:.200}")
        elif (event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING) or event in CHANGES:
            self.check_place(event, arguments[0])

    def is_foreign(self, code: Any) -> bool:
        """Code that is in no file of Python's, its libraries' or ours, and that none of Python's own made."""
        if not isinstance(code, CodeType):
            return True
        asking = sys._getframe(2).f_globals.get("__name__")
        return not (code.co_filename.startswith((*self.code, "<frozen")) or asking in MAKERS)

    def check_place(self, event: str, place: Any) -> None:
        if isinstance(place, str | bytes | os.PathLike):
            full = os.path.normpath(Path.cwd() / os.fsdecode(place))
            if not full.startswith(self.allowed):
                self.seen.append(f"{event} {full!r:.200}")


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def limit_memory() -> None:
    """An allocation beyond all measure fails, rather than the machine."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    now = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + 4 * MOST_MEMORY,) * 2)
