"""Times, and the memory that work needs on top of what was there before it."""

import ctypes
import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
HIGHEST_RESIDENT = "5"  # what Linux wants to read in clear_refs to forget the peak so far


@dataclass(frozen=True)
class Cost:
    seconds: float
    peak_mb: float | None
    """None where the system does not report it."""

    def times(self, factor: float) -> "Cost":
        return Cost(self.seconds * factor, None if self.peak_mb is None else self.peak_mb * factor)


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, beside its reference in the same run."""

    name: str
    work: Cost
    reference_name: str
    reference: Cost
    ratio: float
    target: str
    is_met: bool
    note: str = ""


def costs(*works: Callable[[], object], repeats: int = 5, warm_up: bool = True) -> list[Cost]:
    """The median time of each work, taken in turns so that a busy machine slows all alike, and its peak memory."""
    if warm_up:
        for work in works:
            work()
    peaks = [peak_mb(work) for work in works]
    seconds: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for own, work in zip(seconds, works, strict=True):
            started = time.perf_counter()
            work()
            own.append(time.perf_counter() - started)
    return [Cost(statistics.median(own), peak) for own, peak in zip(seconds, peaks, strict=True)]


def peak_mb(work: Callable[[], object]) -> float | None:
    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        CLEAR.write_text(HIGHEST_RESIDENT)
        before = resident("VmRSS")
    except (OSError, AttributeError):
        work()
        return None
    work()
    return (resident("VmHWM") - before) / 1024


def resident(field: str) -> int:
    (line,) = (line for line in STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1])
