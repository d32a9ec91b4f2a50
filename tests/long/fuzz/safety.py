"""What no reader may do, whatever it reads: run code, start programs, open connections, write elsewhere, eat memory."""

import os
import re
import resource
import sys
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
CHANGES: dict[str, tuple[tuple[int, int], ...]] = {
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.symlink": ((1, 2),),
    "os.link": ((1, 3),),
    "os.rmdir": ((0, 1),),
    "os.chmod": ((0, 2),),
}
"""Which arguments are a place that changes, and the open folder that it is relative to, if any."""
OURS = "jvgn.regions.trial"
"""The process in which files of regions are tried."""
MAKERS = ("collections", "dataclasses")
"""Modules that write code for the classes they make, of names that they have checked."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
MOST_MEMORY = 1 << 28
"""Bytes that a small file may take while it is read."""
ROOMS = ("/dev/null", "/dev/shm")


class Watch:
    """From `begin` to `end`, notes what must not happen."""

    def __init__(self, folder: Path) -> None:
        """Files that are only for a time are in the folder's `temporary`."""
        self.temporary = folder.resolve() / "temporary"
        self.allowed: tuple[str, ...] = ()
        self.code = tuple(str(Path(place).resolve()) for place in {*sys.path, sys.prefix, sys.base_prefix} if place)
        self.seen: list[str] = []
        self.is_on = False
        sys.addaudithook(self.hear)

    def begin(self, folder: Path) -> None:
        """Nothing may be written but in this folder."""
        self.allowed = (str(folder.resolve()), str(self.temporary), *ROOMS)
        forget_peak_memory()
        self.memory = peak_memory()
        self.seen, self.is_on = [], True

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
        elif event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
            self.check_place(event, arguments[0], -1)
        for place, folder in CHANGES.get(event, ()):
            self.check_place(event, arguments[place], arguments[folder])

    def is_foreign(self, code: Any) -> bool:
        """Code that is in no file of Python's, its libraries' or ours, and that none of Python's own made."""
        if not isinstance(code, CodeType):
            return True
        asking = sys._getframe(2).f_globals.get("__name__")
        return not (code.co_filename.startswith((*self.code, "<frozen")) or asking in MAKERS)

    def check_place(self, event: str, place: Any, folder: int) -> None:
        if isinstance(place, str | bytes | os.PathLike):
            start = Path.cwd() if folder == -1 else Path(f"/proc/self/fd/{folder}").readlink()
            full = os.path.normpath(start / os.fsdecode(place))
            if event == "os.mkdir" and Path(full).is_dir():
                return  # it is there already
            if not any(full == allowed or full.startswith(allowed + os.sep) for allowed in self.allowed):
                self.seen.append(f"{event} {full!r:.200}")


def forget_peak_memory() -> None:
    """From here on, the peak is that of what comes."""
    Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) << 10


def limit_memory() -> None:
    """An allocation beyond all measure fails, rather than the machine."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    now = pages * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + 16 * MOST_MEMORY,) * 2)
