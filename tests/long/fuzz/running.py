"""Inputs spread over processes, each of which may end, hang or misbehave: that is counted, and it is replaced."""

import json
import os
import queue
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PATIENCE = 60.0
"""Seconds without an answer, after which a process hangs; long, for the machine may be busy with something else."""
PREPARING = 300.0
JOB = 200
"""Inputs handed to a process at a time."""
FINE = ("accepted", "refused")


@dataclass(frozen=True)
class Finding:
    reader: str
    number: int
    kind: str
    said: str


@dataclass
class Tally:
    """Of one reader."""

    inputs: int = 0
    structured: int = 0
    beyond_header: int = 0
    """Of the structured ones."""
    kinds: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    def add(self, outcome: dict[str, Any]) -> None:
        self.inputs += 1
        self.structured += outcome["structured"]
        self.beyond_header += outcome["header"]
        self.kinds[outcome["kind"]] += 1
        self.slowest = max(self.slowest, outcome["seconds"])


class Process:
    """A worker that can be asked for the outcomes of a job."""

    def __init__(self, folder: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.heard = b""
        self.stderr = (self.folder / "stderr").open("w+")
        work = self.folder / "work"
        temporary = work / "temporary"
        temporary.mkdir(parents=True)
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "TMPDIR": str(temporary)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.long.fuzz.worker", str(work)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.stderr,
        )

    def outcomes(self, job: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """One for each input, as far as the process gets; the last one, if it did not get to the end, says why."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(job).encode() + b"\n")
        self.process.stdin.flush()
        expected = len(job["files"]) if "files" in job else job["last"] - job["first"]
        for number in range(expected + 1):
            line = self.line(PATIENCE if number else PREPARING)
            if not line and not number:
                raise RuntimeError(f"{job['reader']}: its valid files cannot be read\n{self.end(line)['said']}")
            if not line:
                yield self.end(line) | {"number": number - 1}
                return
            if number:
                yield json.loads(line) | {"number": number - 1}

    def line(self, patience: float) -> bytes | None:
        """What the process says next; nothing, if it has ended, and None, if it does not speak."""
        assert self.process.stdout
        while b"\n" not in self.heard:
            ready, _, _ = select.select([self.process.stdout], [], [], patience)
            if not ready:
                return None
            said = os.read(self.process.stdout.fileno(), 1 << 16)
            if not said:
                return b""
            self.heard += said
        line, _, self.heard = self.heard.partition(b"\n")
        return line

    def end(self, line: bytes | None) -> dict[str, Any]:
        kind = "hung" if line is None else "crashed"
        code = self.stop()
        said = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        self.stderr.seek(0)
        return {
            "kind": kind,
            "said": f"{said}\n{self.stderr.read()[-2000:]}",
            "seconds": PATIENCE * (kind == "hung"),
            "structured": False,
            "header": False,
        }

    def stop(self) -> int:
        if self.process.poll() is None and self.process.stdin:
            self.process.kill()
        code = self.process.wait()
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        return code


@dataclass
class Run:
    """What was found, by reader."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, reader: str, number: int, outcome: dict[str, Any]) -> None:
        with self.lock:
            self.tallies.setdefault(reader, Tally()).add(outcome)
            if outcome["kind"] not in FINE:
                self.findings.append(Finding(reader, number, outcome["kind"], outcome["said"]))


def jobs_of(shares: dict[str, int], inputs: int, seed: int) -> list[dict[str, Any]]:
    """The inputs, in proportion to the shares, a job for each few hundred."""
    whole = sum(shares.values())
    jobs, before = [], 0
    for place, name in enumerate(shares):
        until = sum(list(shares.values())[: place + 1])
        count = inputs * until // whole - inputs * before // whole
        before = until
        jobs += [
            {"reader": name, "seed": seed, "first": first, "last": min(first + JOB, count)}
            for first in range(0, count, JOB)
        ]
    return jobs


def run_jobs(jobs: Sequence[dict[str, Any]], processes: int) -> Run:
    run, waiting = Run(), queue.SimpleQueue[dict[str, Any]]()
    for job in jobs:
        waiting.put(job)
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    with ThreadPoolExecutor(processes) as pool:
        at_work = [pool.submit(work, waiting, run, folder) for _ in range(processes)]
    shutil.rmtree(folder, ignore_errors=True)
    for one in at_work:
        one.result()
    return run


def work(waiting: "queue.SimpleQueue[dict[str, Any]]", run: Run, folder: Path) -> None:
    process = None
    while True:
        try:
            job = waiting.get_nowait()
        except queue.Empty:
            break
        first = job.get("first", 0)
        process = process or Process(folder)
        for outcome in process.outcomes(job):
            number = first + outcome["number"]
            run.note(job["reader"], number, outcome)
            if outcome["kind"] in ("crashed", "hung"):
                process = None
                rest = {**job, "files": job["files"][number + 1 :]} if "files" in job else {**job, "first": number + 1}
                if outcome["number"] >= 0 and (rest.get("files") or rest.get("first", 0) < rest.get("last", 0)):
                    waiting.put(rest)
    if process is not None:
        process.stop()
